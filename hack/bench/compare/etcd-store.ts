import type { ApiObject } from "../../../pkg/api/object.ts";
import { resourceOfKind } from "../../../pkg/api/resources.ts";
import { inParallel } from "./in-parallel.ts";

/** Below etcd's own limits of a transaction: operations, and bytes. */
const MOST_OBJECTS = 100;
const MOST_BYTES = 1_000_000;

/**
 * Writes objects where kube-apiserver keeps them: it takes JSON as well as its own form. This is how a cluster of 50,000
 * pods is there within seconds, with statuses and owners, as if it had grown over weeks.
 */
export async function storeInEtcd(etcdUrl: string, objects: readonly ApiObject[]): Promise<void> {
  await inParallel(batches(objects), async (requests) => put(etcdUrl, requests), 4);
}

interface PutRequest {
  readonly requestPut: { readonly key: string; readonly value: string };
}

function batches(objects: readonly ApiObject[]): readonly (readonly PutRequest[])[] {
  const all: PutRequest[][] = [];
  let current: PutRequest[] = [];
  let bytes = 0;
  for (const object of objects) {
    const value = Buffer.from(JSON.stringify(object)).toString("base64");
    if (current.length >= MOST_OBJECTS || bytes + value.length > MOST_BYTES) {
      all.push(current);
      current = [];
      bytes = 0;
    }
    current.push({ requestPut: { key: Buffer.from(storagePath(object)).toString("base64"), value } });
    bytes += value.length;
  }
  if (current.length > 0) all.push(current);
  return all;
}

async function put(etcdUrl: string, requests: readonly PutRequest[]): Promise<void> {
  const response = await fetch(`${etcdUrl}/v3/kv/txn`, {
    method: "POST",
    body: JSON.stringify({ success: requests }),
  });
  if (!response.ok) throw new Error(`etcd answered ${response.status}: ${await response.text()}`);
  await response.arrayBuffer();
}

function storagePath({ apiVersion = "", kind = "", metadata }: ApiObject): string {
  const resource = resourceOfKind(apiVersion, kind);
  if (resource === undefined) throw new Error(`unknown kind ${kind}`);
  // Nodes were called minions once.
  const directory = kind === "Node" ? "minions" : resource.plural;
  return [
    "/registry",
    directory,
    ...(metadata.namespace === undefined ? [] : [metadata.namespace]),
    metadata.name,
  ].join("/");
}

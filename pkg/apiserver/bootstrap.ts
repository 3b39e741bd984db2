import { type ApiObject, keyOf } from "../api/object.ts";
import { resourceOfKind, resources } from "../api/resources.ts";
import type { Service } from "../api/types/core-v1.gen.ts";
import type { ClientSet } from "../client/client-set.ts";
import { isAlreadyExists } from "../client/errors.ts";
import { bootstrapObjects } from "./auth/bootstrap-objects.ts";
import { dayOf, USE_TRACKING } from "./auth/note-token-use.ts";

/** First address of the service range, as the API server reserves it for itself. */
const KUBERNETES_SERVICE_IP = "10.96.0.1";

export interface BootstrapOptions {
  /** That the server listens on. */
  readonly port: number;
  /** Also the accounts that the service account controller would make a moment later: the first pods need them. */
  readonly serviceAccounts: boolean;
  /** Says since when uses of tokens are noted: for whoever cleans up unused ones, here or in another program. */
  readonly tokenUses: boolean;
  readonly nowMs: number;
  /** Versions of groups that are served beside the usual ones. */
  readonly runtimeConfig?: readonly string[];
}

/**
 * Creates what every cluster has. What is there already stays as its users left it, but for the port of the Service
 * that leads to this server.
 */
export async function createBootstrapObjects(client: ClientSet, options: BootstrapOptions): Promise<void> {
  const { port, serviceAccounts, tokenUses, nowMs, runtimeConfig } = options;
  const objects = bootstrapObjects({ clusterIp: KUBERNETES_SERVICE_IP, port }, runtimeConfig);
  const accounts = serviceAccounts ? objects.flatMap(defaultAccount) : [];
  const tracking = tokenUses ? [useTracking(nowMs)] : [];
  for (const object of [...objects, ...accounts, ...tracking]) {
    const resource = resourceOfKind(object.apiVersion ?? "", object.kind ?? "");
    if (resource === undefined) throw new Error(`${keyOf(object)}: there is no kind ${object.kind ?? ""}`);
    try {
      await client.dynamic(resource).create(object);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      if (resource.plural === resources.services.plural) await redirect(client, object);
    }
  }
}

function defaultAccount({ kind, metadata }: ApiObject): readonly ApiObject[] {
  const { name: namespace = "" } = metadata;
  if (kind !== "Namespace") return [];
  return [{ apiVersion: "v1", kind: "ServiceAccount", metadata: { namespace, name: "default" } }];
}

function useTracking(nowMs: number): ApiObject & { readonly data: Readonly<Record<string, string>> } {
  const metadata = { namespace: "kube-system", name: USE_TRACKING };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data: { since: dayOf(nowMs) } };
}

async function redirect(client: ClientSet, { metadata, spec }: Service): Promise<void> {
  const ref = { namespace: metadata.namespace ?? "", name: metadata.name ?? "" };
  const body = { spec: { ports: spec?.ports } };
  await client.clientFor<Service>(resources.services).patch(ref, { type: "merge", body });
}

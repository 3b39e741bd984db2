import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { loadAll } from "js-yaml";
import type { ApiObject } from "../../../pkg/api/object.ts";
import { resourceOfKind, resources } from "../../../pkg/api/resources.ts";
import type { Deployment } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { ClientSet } from "../../../pkg/client/client-set.ts";

const FILE = join("deploy", "examples", "web.yaml");

/** The example's objects; undefined where this program is installed without it. */
export function readExample(): readonly ApiObject[] | undefined {
  for (let directory = import.meta.dirname; ; directory = dirname(directory)) {
    const path = join(directory, FILE);
    if (existsSync(path)) return loadAll(readFileSync(path, "utf8")) as ApiObject[];
    if (dirname(directory) === directory) return undefined;
  }
}

export interface ExampleTelling {
  readonly say: (line: string) => void;
  /** Whether there is anybody to make its pods, and a place for them. */
  readonly isFollowed: boolean;
}

/** Applies the example, and tells of every step until its Deployment is available. */
export async function showExample(
  objects: readonly ApiObject[],
  client: ClientSet,
  { say, isFollowed }: ExampleTelling,
  signal: AbortSignal,
): Promise<void> {
  for (const object of objects) {
    const { apiVersion = "", kind = "", metadata } = object;
    const resource = resourceOfKind(apiVersion, kind);
    if (resource === undefined) throw new Error(`the example has an object of unknown kind ${kind}`);
    await client.dynamic(resource).apply(object, { fieldManager: "kcm", force: true }, signal);
    say(`applied ${kind.toLowerCase()}/${metadata.name}`);
  }
  for (const { kind, metadata } of objects) {
    if (kind === "Deployment" && isFollowed) await followRollout(metadata, client, say, signal);
  }
}

async function followRollout(
  { namespace = "", name = "" }: ApiObject["metadata"],
  client: ClientSet,
  say: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const deployments = client.clientFor<Deployment>(resources.deployments);
  const options = { namespace, fieldSelector: `metadata.name=${name}` };
  let said = "";
  for await (const { type, object } of deployments.watch(options, signal)) {
    const wanted = object.spec?.replicas ?? 1;
    const available = object.status?.availableReplicas ?? 0;
    const line = `deployment/${name}: ${available} of ${wanted} pods available`;
    if (line !== said) say(line);
    said = line;
    const isCurrent = object.status?.observedGeneration === object.metadata.generation;
    if (type === "DELETED" || (isCurrent && available >= wanted)) return;
  }
}

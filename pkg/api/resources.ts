import { type BuiltInResource, apiVersionOf } from "./resource.ts";
import { resources } from "./resources.gen.ts";

export { resources };

const all: readonly BuiltInResource[] = Object.values(resources);
const byPlural = new Map(all.map((resource) => [`${apiVersionOf(resource)} ${resource.plural}`, resource]));
const byKind = new Map(all.map((resource) => [`${apiVersionOf(resource)} ${resource.kind}`, resource]));

/** Every built-in resource in every version, alpha and beta included. */
export function allResources(): readonly BuiltInResource[] {
  return all;
}

export function findResource(group: string, version: string, plural: string): BuiltInResource | undefined {
  return byPlural.get(`${apiVersionOf({ group, version })} ${plural}`);
}

/** ("apps/v1", "Deployment") → deployments */
export function resourceOfKind(apiVersion: string, kind: string): BuiltInResource | undefined {
  return byKind.get(`${apiVersion} ${kind}`);
}

/** API servers serve alpha and beta versions only when they are told to. */
export function isServedByDefault(resource: Pick<BuiltInResource, "version">): boolean {
  return /^v\d+$/.test(resource.version);
}

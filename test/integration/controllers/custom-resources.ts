import type { ApiObject } from "../../../pkg/api/object.ts";
import type { Resource } from "../../../pkg/api/resource.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { CustomResourceDefinition } from "../../../pkg/api/types/apiextensions-v1.gen.ts";
import type { ClientSet } from "../../../pkg/client/client-set.ts";
import { isNotFound } from "../../../pkg/client/errors.ts";
import { until } from "../../harness/until.ts";

let made = 0;

/** Defines a kind in a group of its own, and waits until it is served. */
export async function createDefinition(
  client: ClientSet,
  scope: "Namespaced" | "Cluster",
  plural = `things${++made}`,
  subresources?: unknown,
): Promise<Resource> {
  const group = `${plural}.example.com`;
  const kind = plural[0]?.toUpperCase() + plural.slice(1);
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  await client.dynamic(resources.customResourceDefinitions).create({
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { plural, kind, listKind: `${kind}List`, singular: plural },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema,
          ...(subresources !== undefined && { subresources }),
        },
      ],
    },
  } as ApiObject);
  const resource = { group, version: "v1", plural, kind, namespaced: scope === "Namespaced" };
  await until(`${plural} are served`, async () => isServed(client, resource));
  return resource;
}

/** Has a definition served in v2 alone. */
export async function moveDefinition(client: ClientSet, name: string): Promise<void> {
  const definitions = client.clientFor<CustomResourceDefinition>(resources.customResourceDefinitions);
  const { spec, ...rest } = await definitions.get({ name });
  const versions = spec.versions.flatMap((version) => [
    { ...version, served: false, storage: false },
    { ...version, name: "v2", served: true, storage: true },
  ]);
  await definitions.update({ ...rest, spec: { ...spec, versions } });
}

export function custom(name: string, metadata: ApiObject["metadata"] = {}): ApiObject {
  return { metadata: { ...metadata, name } };
}

async function isServed(client: ClientSet, resource: Resource): Promise<boolean> {
  try {
    await client.dynamic(resource).list({ limit: 1 });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

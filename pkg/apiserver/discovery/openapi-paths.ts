import { resourcePath } from "../../api/resource.ts";
import type { ServedResource } from "../server/served-resource.ts";
import { type Dialect, refTo } from "./openapi-schema.ts";

interface Operation {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  readonly action: string;
}

const collectionOperations: Readonly<Record<string, Operation>> = {
  list: { method: "get", action: "list" },
  create: { method: "post", action: "post" },
  deletecollection: { method: "delete", action: "deletecollection" },
};

const objectOperations: Readonly<Record<string, Operation>> = {
  get: { method: "get", action: "get" },
  create: { method: "post", action: "connect" },
  update: { method: "put", action: "put" },
  patch: { method: "patch", action: "patch" },
  delete: { method: "delete", action: "delete" },
};

const writes = new Set(["post", "put", "patch"]);

/** The paths of one resource: enough for clients to see which verbs there are and what they take. */
export function resourcePaths(
  served: ServedResource,
  schema: string,
  dialect: Dialect,
): Record<string, object> {
  const { resource, verbs, subresources } = served;
  const scoped = (name?: string, subresource?: string): string =>
    decodeURIComponent(
      resourcePath(resource, resource.namespaced ? "{namespace}" : undefined, name, subresource),
    );
  const describe =
    (kind: Kind = resource): Describe =>
    ({ method, action }) => ({
      operationId: `${action}-${resource.group}-${resource.version}-${resource.plural}`,
      ...(writes.has(method) ? { parameters: writeParameters(dialect) } : {}),
      responses: { "200": response(schema, dialect) },
      "x-kubernetes-action": action,
      "x-kubernetes-group-version-kind": { group: kind.group, version: kind.version, kind: kind.kind },
    });
  const paths: Record<string, object> = {
    [scoped()]: operations([...verbs], collectionOperations, describe()),
    [scoped("{name}")]: operations([...verbs], objectOperations, describe()),
  };
  for (const [name, subresource] of subresources)
    paths[scoped("{name}", name)] = operations(
      subresource.verbs,
      objectOperations,
      describe(subresource.kind),
    );
  return paths;
}

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

type Describe = (operation: Operation) => object;

function operations(
  verbs: readonly string[],
  known: Readonly<Record<string, Operation>>,
  describe: Describe,
): object {
  const entries: Record<string, object> = {};
  for (const verb of verbs) {
    const operation = known[verb];
    if (operation !== undefined) entries[operation.method] = describe(operation);
  }
  return entries;
}

function writeParameters(dialect: Dialect): readonly object[] {
  return ["dryRun", "fieldManager", "fieldValidation"].map((name) =>
    dialect === "v3"
      ? { name, in: "query", schema: { type: "string", uniqueItems: true } }
      : { name, in: "query", type: "string", uniqueItems: true },
  );
}

function response(schema: string, dialect: Dialect): object {
  const reference = { $ref: refTo(schema, dialect) };
  if (dialect === "v2") return { description: "OK", schema: reference };
  return { description: "OK", content: { "application/json": { schema: reference } } };
}

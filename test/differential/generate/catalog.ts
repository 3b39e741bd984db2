import { isJson, type Json } from "../../../pkg/api/json.ts";

/** What the real server says of the type of a value, in its OpenAPI document. */
export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly $ref?: string;
}

/** A resource as the real server's discovery tells of it. */
export interface Served {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly {
    readonly name: string;
    readonly kind: string;
    readonly verbs: readonly string[];
  }[];
}

/** All that requests are made from. */
export interface Catalog {
  readonly served: readonly Served[];
  schemaOf(served: Pick<Served, "group" | "version" | "kind">): Schema;
  resolve(schema: Schema): Schema;
}

export function apiVersion({ group, version }: Pick<Served, "group" | "version">): string {
  return group === "" ? version : `${group}/${version}`;
}

export function collectionPath(served: Served, namespace = "{{ns}}"): string {
  const root = served.group === "" ? `/api/${served.version}` : `/apis/${served.group}/${served.version}`;
  return served.namespaced ? `${root}/namespaces/${namespace}/${served.plural}` : `${root}/${served.plural}`;
}

/** From /openapi/v2 and the aggregated discovery documents of /api and /apis. */
export function catalogOf(openApi: Json, discovery: readonly unknown[]): Catalog {
  const definitions = openApi["definitions"] as Readonly<Record<string, Schema & Json>>;
  const byKind = new Map<string, Schema>();
  for (const definition of Object.values(definitions)) {
    const kinds = definition["x-kubernetes-group-version-kind"];
    if (!Array.isArray(kinds)) continue;
    for (const one of kinds.filter(isJson))
      byKind.set(`${String(one["group"])}/${String(one["version"])}/${String(one["kind"])}`, definition);
  }
  return {
    served: discovery.flatMap(servedIn),
    schemaOf: ({ group, version, kind }) => byKind.get(`${group}/${version}/${kind}`) ?? { type: "object" },
    resolve: (schema) => {
      const name = schema.$ref?.replace("#/definitions/", "");
      const target = name === undefined ? schema : (definitions[name] ?? schema);
      return name?.endsWith("resource.Quantity") === true ? { ...target, format: "quantity" } : target;
    },
  };
}

interface DiscoveredResource {
  readonly resource: string;
  readonly responseKind?: { readonly kind: string };
  readonly scope: string;
  readonly verbs: readonly string[];
  readonly subresources?: readonly {
    readonly subresource: string;
    readonly responseKind?: { readonly kind: string };
    readonly verbs: readonly string[];
  }[];
}

interface DiscoveredGroups {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly {
      readonly version: string;
      readonly resources: readonly DiscoveredResource[];
    }[];
  }[];
}

function servedIn(document: unknown): readonly Served[] {
  return (document as DiscoveredGroups).items.flatMap(({ metadata, versions }) =>
    versions.flatMap(({ version, resources }) =>
      resources.map((one): Served => ({
        group: metadata.name ?? "",
        version,
        plural: one.resource,
        kind: one.responseKind?.kind ?? "",
        namespaced: one.scope === "Namespaced",
        verbs: one.verbs,
        subresources: (one.subresources ?? []).map(({ subresource, responseKind, verbs }) => ({
          name: subresource,
          kind: responseKind?.kind ?? "",
          verbs,
        })),
      })),
    ),
  );
}

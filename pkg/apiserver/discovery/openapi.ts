import { createHash } from "node:crypto";
import { apiVersionOf } from "../../api/resource.ts";
import { definition, definitionOf, openApiName } from "../../api/schema.ts";
import type { ServedResource } from "../server/served-resource.ts";
import type { OpenApiSchema } from "../../cel/schemas/open-api-schema.ts";
import { schemaForV2 } from "./custom-schema-v2.ts";
import { type Descriptions, readDescriptions } from "./descriptions.ts";
import type { ApiGroup, ApiVersion } from "./api-groups.ts";
import { resourcePaths } from "./openapi-paths.ts";
import { closure, definitionSchema, type Dialect, scalarSchemas, scalarSchemasV2 } from "./openapi-schema.ts";

const title = "Kubernetes";

/** Where the document of each group version is, with a hash by which clients keep their copy. */
export function openApiV3Index(groups: readonly ApiGroup[]): object {
  const paths: Record<string, object> = {};
  for (const { name, versions } of groups) {
    for (const version of versions) {
      const path = name === "" ? `api/${version.version}` : `apis/${name}/${version.version}`;
      const facts = JSON.stringify(
        version.resources.map(({ resource, body, verbs }) => [resource, [...verbs], body.openApi ?? null]),
      );
      const hash = createHash("sha256").update(facts).digest("hex").toUpperCase();
      paths[path] = { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` };
    }
  }
  return { paths };
}

/** The document of one group version; `path` as the index names it. */
export function openApiV3(path: string, groups: readonly ApiGroup[], release: string): object | undefined {
  const parts = path.split("/");
  const core = parts[0] === "api";
  const groupName = core ? "" : parts[1];
  const versionName = parts[core ? 1 : 2];
  const version = groups
    .find(({ name }) => name === groupName)
    ?.versions.find((candidate) => candidate.version === versionName);
  if (version === undefined) return undefined;
  return {
    openapi: "3.0.0",
    info: { title, version: release },
    paths: versionPaths(version, "v3"),
    components: { schemas: versionSchemas([version], "v3", readDescriptions()) },
  };
}

export function openApiV2(groups: readonly ApiGroup[], release: string): object {
  const versions = groups.flatMap((group) => group.versions);
  return {
    swagger: "2.0",
    info: { title, version: release },
    paths: Object.assign({}, ...versions.map((version) => versionPaths(version, "v2"))) as object,
    definitions: versionSchemas(versions, "v2", {}),
  };
}

function versionPaths({ resources }: ApiVersion, dialect: Dialect): Record<string, object> {
  return Object.assign(
    {},
    ...resources.map((served) => resourcePaths(served, schemaName(served), dialect)),
  ) as Record<string, object>;
}

/** The name of a kind's schema; custom kinds are named by their reversed group. */
export function schemaName({ resource }: ServedResource): string {
  const known = definitionOf(apiVersionOf(resource), resource.kind);
  if (known !== undefined) return openApiName(known.name);
  return [...resource.group.split(".").reverse(), resource.version, resource.kind].join(".");
}

function versionSchemas(
  versions: readonly ApiVersion[],
  dialect: Dialect,
  descriptions: Descriptions,
): Record<string, object> {
  const roots = new Set<string>();
  const schemas: Record<string, object> = {};
  const kindsOf = new Map<string, object[]>();
  const addKind = (apiVersion: string, kind: string, group: string, version: string): boolean => {
    const found = definitionOf(apiVersion, kind);
    if (found === undefined) return false;
    roots.add(found.name);
    const kinds = kindsOf.get(found.name) ?? [];
    kindsOf.set(found.name, kinds);
    kinds.push({ group, version, kind });
    return true;
  };
  for (const served of versions.flatMap((version) => version.resources)) {
    const { group, version, kind } = served.resource;
    const apiVersion = apiVersionOf(served.resource);
    if (!addKind(apiVersion, kind, group, version))
      schemas[schemaName(served)] = customSchema(served, dialect, descriptions);
    addKind(apiVersion, `${kind}List`, group, version);
    for (const { kind: own } of served.subresources.values()) {
      if (own !== undefined && own.kind !== kind)
        addKind(apiVersionOf(own), own.kind, own.group, own.version);
    }
  }
  for (const name of ["meta.v1.ObjectMeta", "meta.v1.ListMeta", "meta.v1.Status", "meta.v1.DeleteOptions"])
    roots.add(name);
  for (const name of closure([...roots])) {
    const kinds = kindsOf.get(name);
    const schema = definitionSchema(definition(name), dialect, descriptions[openApiName(name)]);
    schemas[openApiName(name)] =
      kinds === undefined ? schema : { ...schema, "x-kubernetes-group-version-kind": kinds };
  }
  for (const [name, schema] of Object.entries(dialect === "v3" ? scalarSchemas : scalarSchemasV2)) {
    const [description] = descriptions[name] ?? [];
    schemas[name] = description === undefined ? schema : { description, ...schema };
  }
  return schemas;
}

/** The schema that the definition gave, completed by what every object has. */
function customSchema(
  { resource, body }: ServedResource,
  dialect: Dialect,
  descriptions: Descriptions,
): object {
  const { group, version, kind } = resource;
  const kinds = { "x-kubernetes-group-version-kind": [{ group, version, kind }] };
  const given = (body.openApi ?? { type: "object" }) as OpenApiSchema;
  // Fields that are named would make kubectl refuse all others.
  if (dialect === "v2" && given["x-kubernetes-preserve-unknown-fields"] === true)
    return { type: "object", ...kinds };
  const schema = dialect === "v2" ? schemaForV2(given) : given;
  const metadata = openApiName("meta.v1.ObjectMeta");
  // Those of a built-in kind hold for every other one.
  const [, said = {}] = descriptions[openApiName("core.v1.ConfigMap")] ?? [];
  const describe = (field: string): object => (said[field] === undefined ? {} : { description: said[field] });
  const ref = { $ref: dialect === "v3" ? `#/components/schemas/${metadata}` : `#/definitions/${metadata}` };
  return {
    ...schema,
    properties: {
      ...schema.properties,
      apiVersion: { ...describe("apiVersion"), type: "string" },
      kind: { ...describe("kind"), type: "string" },
      metadata: dialect === "v3" ? { ...describe("metadata"), allOf: [ref] } : ref,
    },
    ...kinds,
  };
}

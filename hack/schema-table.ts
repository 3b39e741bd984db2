// Renders pkg/api/schema.gen.ts from the API server's OpenAPI v3 documents. The notation is read by pkg/api/schema.ts.

export interface OpenApiDocument {
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly allOf?: readonly Schema[];
  readonly $ref?: string;
  readonly "x-kubernetes-group-version-kind"?: readonly { group: string; version: string; kind: string }[];
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
}

const apiextensions = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1";

/** Definitions whose JSON is a value of its own, not an object with fields. */
const scalars: Readonly<Record<string, string>> = {
  "io.k8s.apimachinery.pkg.api.resource.Quantity": "quantity",
  "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": "object",
  "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": "microTime",
  "io.k8s.apimachinery.pkg.apis.meta.v1.Patch": "object",
  "io.k8s.apimachinery.pkg.apis.meta.v1.Time": "time",
  "io.k8s.apimachinery.pkg.runtime.RawExtension": "object",
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": "intOrString",
  [`${apiextensions}.JSON`]: "any",
  [`${apiextensions}.JSONSchemaPropsOrArray`]: "any",
  [`${apiextensions}.JSONSchemaPropsOrBool`]: "any",
  [`${apiextensions}.JSONSchemaPropsOrStringArray`]: "any",
};

/** io.k8s.api.apps.v1.Deployment → apps.v1.Deployment */
function shortName(name: string): string {
  return name
    .replace(/^io\.k8s\.(.*\.)?(?=\w+\.\w+\.\w+$)/, "")
    .replace(/^.*\.version\.Info$/, "version.Info");
}

function refOf(schema: Schema): string | undefined {
  return (schema.$ref ?? schema.allOf?.[0]?.$ref)?.replace("#/components/schemas/", "");
}

function typeOf(schema: Schema): string {
  const ref = refOf(schema);
  if (ref !== undefined) return scalars[ref] ?? shortName(ref);
  if (schema.enum !== undefined) return `enum(${schema.enum.join("|")})`;
  if (schema.items !== undefined) return `[]${typeOf(schema.items)}`;
  if (schema.additionalProperties !== undefined) return `{}${typeOf(schema.additionalProperties)}`;
  const type = `${schema.type ?? "any"}/${schema.format ?? ""}`;
  const known: Readonly<Record<string, string>> = {
    "string/": "string",
    "string/byte": "bytes",
    "integer/int32": "int32",
    "integer/int64": "int64",
    "number/double": "number",
    "boolean/": "boolean",
    "object/": "object",
  };
  const name = known[type];
  if (name === undefined) throw new Error(`no notation for ${type}`);
  return name;
}

function renderField(name: string, schema: Schema, required: boolean): string {
  let text = `${name}${required ? "*" : ""}:${typeOf(schema)}`;
  const listType = schema["x-kubernetes-list-type"];
  const keys = schema["x-kubernetes-list-map-keys"];
  if (listType !== undefined) text += ` list=${listType}${keys === undefined ? "" : `(${keys.join(",")})`}`;
  const mapType = schema["x-kubernetes-map-type"];
  if (mapType !== undefined) text += ` map=${mapType}`;
  const strategy = schema["x-kubernetes-patch-strategy"];
  const mergeKey = schema["x-kubernetes-patch-merge-key"];
  if (strategy !== undefined || mergeKey !== undefined) {
    text += ` patch=${strategy ?? ""}${mergeKey === undefined ? "" : `(${mergeKey})`}`;
  }
  if (schema.default !== undefined) text += ` default=${JSON.stringify(schema.default)}`;
  if (/[;\n]/.test(text)) throw new Error(`the notation has no way to write ${text}`);
  return text;
}

function renderDefinition(schema: Schema): string {
  const mapType = schema["x-kubernetes-map-type"];
  const required = new Set(schema.required);
  const fields = Object.entries(schema.properties ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => renderField(name, field, required.has(name)));
  return [...(mapType === undefined ? [] : [`map=${mapType}`]), ...fields].join(";");
}

function definitionNames(schemas: ReadonlyMap<string, Schema>): Map<string, string> {
  const names = new Map<string, string>();
  for (const name of schemas.keys()) {
    if (name in scalars) continue;
    const short = shortName(name);
    if (names.has(short)) throw new Error(`two definitions would be called ${short}`);
    names.set(short, name);
  }
  return new Map([...names].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** "apps/v1 Deployment" → definition. Kinds that every group serves (Status, DeleteOptions) are listed under v1. */
function kindsOf(schemas: ReadonlyMap<string, Schema>): [kind: string, definition: string][] {
  const kinds: [string, string][] = [];
  for (const [name, schema] of schemas) {
    const all = schema["x-kubernetes-group-version-kind"] ?? [];
    const own = all.length > 1 ? all.filter(({ group, version }) => group === "" && version === "v1") : all;
    for (const { group, version, kind } of own) {
      kinds.push([`${group === "" ? "" : `${group}/`}${version} ${kind}`, shortName(name)]);
    }
  }
  return kinds.sort(([a], [b]) => (a < b ? -1 : 1));
}

export function renderSchemaTable(documents: readonly OpenApiDocument[]): string {
  const schemas = new Map(documents.flatMap((doc) => Object.entries(doc.components?.schemas ?? {})));
  const names = definitionNames(schemas);
  const packages = new Set(
    [...names].map(
      ([short, name]) =>
        `${short.split(".").slice(0, -1).join(".")} ${name.split(".").slice(0, -1).join(".")}`,
    ),
  );
  const line = (key: string, value: string): string =>
    `  ${JSON.stringify(key)}: ${JSON.stringify(value)},\n`;
  const definitions = [...names].map(([short, name]) =>
    line(short, renderDefinition(schemas.get(name) ?? {})),
  );
  return `// Generated by hack/generate-api-facts.ts from an API server's OpenAPI documents; do not edit.

/** Full OpenAPI names of the packages: apps.v1 is io.k8s.api.apps.v1. */
export const openApiPackages: Readonly<Record<string, string>> = {
${[...packages]
  .sort()
  .map((pair) => line(...(pair.split(" ") as [string, string])))
  .join("")}};

/** "apiVersion kind" → definition. */
export const definitionsByKind: Readonly<Record<string, string>> = {
${kindsOf(schemas)
  .map(([kind, name]) => line(kind, name))
  .join("")}};

/** Definition → its fields, in the notation of schema.ts. */
export const definitionTexts: Readonly<Record<string, string>> = {
${definitions.join("")}};
`;
}

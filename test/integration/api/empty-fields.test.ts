import { expect, test } from "vitest";
import { type GoField, goStruct, type GoStruct, type GoType, structOf } from "../../../pkg/api/go-types.ts";
import { isJson, type Json } from "../../../pkg/api/json.ts";
import { apiVersionOf, type Resource, resourcePath } from "../../../pkg/api/resource.ts";
import { definitionOf } from "../../../pkg/api/schema.ts";
import { MINIMAL_OBJECTS } from "../minimal-objects.ts";
import { describeApi } from "./api-client.ts";

/** Bodies of the same meaning: fields that say nothing are there, as null or as their empty value. */
type Filling = "null" | "empty";

const identity = new Set(["apiVersion", "kind", "name", "namespace", "resourceVersion", "managedFields"]);
/** An empty one is one. */
const meaningful = new Set(["overhead"]);

const emptyValues: Readonly<Partial<Record<GoType["kind"], () => unknown>>> = {
  bool: () => false,
  int32: () => 0,
  int64: () => 0,
  list: () => [],
  map: () => ({}),
  string: () => "",
  struct: () => ({}),
};

function filled(object: Json, type: GoStruct, how: Filling): Json {
  const made: Json = { ...object };
  for (const field of type.fields.values()) {
    if (identity.has(field.name)) continue;
    const value = field.name in made ? filledValue(made[field.name], field.type, how) : filling(field, how);
    if (value !== undefined) made[field.name] = value;
  }
  return made;
}

function filledValue(value: unknown, type: GoType, how: Filling): unknown {
  if (type.kind === "struct" && isJson(value)) return filled(value, structOf(type), how);
  if (type.kind !== "list" || type.items?.kind !== "struct" || !Array.isArray(value)) return value;
  const items = structOf(type.items);
  return value.map((item: unknown) => (isJson(item) ? filled(item, items, how) : item));
}

function filling({ name, type }: GoField, how: Filling): unknown {
  if (how === "null") return null;
  return type.pointer || meaningful.has(name) ? undefined : emptyValues[type.kind]?.();
}

function typeOf(resource: Resource): GoStruct {
  const type = goStruct(definitionOf(apiVersionOf(resource), resource.kind)?.name ?? "");
  if (type === undefined) throw new Error(`${resource.kind} has no Go type`);
  return type;
}

/** What the server makes up for each object. */
function bare(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "uid")
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "time")
    .replaceAll(/"10\.\d+\.\d+\.\d+"/g, '"address"')
    .replaceAll(/kube-api-access-\w{5}/g, "kube-api-access");
}

const cases = MINIMAL_OBJECTS.flatMap(([resource, object]) =>
  (["null", "empty"] as const).map((how) => [resource.kind, how, resource, object] as const),
);

describeApi("empty fields", (api) => {
  test.each(cases)("a %s is the same with fields that are %s", async (_kind, how, resource, minimal) => {
    const namespace = await api().namespace();
    const path = `/${resourcePath(resource, resource.namespaced ? namespace : undefined).replace(/^\//, "")}`;
    const metadata = { name: `of-${namespace}`, ...(resource.namespaced ? { namespace } : {}) };
    const object: Json = { ...minimal, metadata };
    const create = async (body: Json): Promise<{ readonly status: number; readonly text: string }> => {
      const { status, body: answer } = await api().send("POST", `${path}?dryRun=All`, body);
      const { managedFields: _, ...rest } = answer.metadata;
      return { status, text: bare(JSON.stringify({ ...answer, metadata: rest })) };
    };
    const plain = await create(object);
    expect(plain.status).toBe(201);
    expect(await create(filled(object, typeOf(resource), how))).toEqual(plain);
  });
});

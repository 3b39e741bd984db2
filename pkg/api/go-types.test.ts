import { describe, expect, test } from "vitest";
import { type GoKind, goStruct, goStructNames, type GoType } from "./go-types.ts";
import { allResources, isServedByDefault } from "./resources.ts";
import { apiVersionOf } from "./resource.ts";
import { definition, definitionNames, definitionOf, type FieldType } from "./schema.ts";

/** What the published schema calls some Go types otherwise. */
const otherNames: Readonly<Partial<Record<GoKind, string>>> = {
  bool: "boolean",
  float64: "number",
  raw: "object",
};

function schemaType({ kind, struct, items }: GoType): string {
  if (struct !== undefined) return `ref ${struct}`;
  return items === undefined ? (otherNames[kind] ?? kind) : `${kind} of ${schemaType(items)}`;
}

function written(type: FieldType): string {
  if (type.kind === "ref") return `ref ${type.definition}`;
  if (type.kind === "list") return `list of ${written(type.items)}`;
  if (type.kind === "map") return `map of ${written(type.values)}`;
  return type.kind === "enum" ? "string" : type.kind;
}

const published = new Set(definitionNames());
const shared = goStructNames().filter((name) => published.has(name));

describe("Go's types and the published schema tell the same of", () => {
  test.each(shared)("%s", (name) => {
    const fields = [...(goStruct(name)?.fields.values() ?? [])];
    expect(Object.fromEntries(fields.map((field) => [field.name, schemaType(field.type)]))).toEqual(
      Object.fromEntries(
        [...definition(name).fields.values()].map((field) => [field.name, written(field.type)]),
      ),
    );
  });
});

test("the types of all kinds that are served by default are known", () => {
  const names = allResources()
    .filter(isServedByDefault)
    .map((resource) => definitionOf(apiVersionOf(resource), resource.kind)?.name ?? "");
  expect(names.filter((name) => goStruct(name) === undefined)).toEqual([]);
});

test.each([
  [
    "core.v1.Probe",
    "httpGet",
    { path: "ProbeHandler.httpGet", type: { go: "v1.HTTPGetAction", pointer: true } },
  ],
  [
    "core.v1.Container",
    "imagePullPolicy",
    { type: { kind: "string", go: "v1.PullPolicy" }, omitsEmpty: true },
  ],
  ["core.v1.PodSpec", "containers", { type: { go: "[]v1.Container" }, unset: "null" }],
  ["core.v1.ResourceRequirements", "limits", { type: { kind: "map", go: "v1.ResourceList" } }],
  ["core.v1.Secret", "data", { type: { kind: "map", go: "map[string][]uint8" } }],
  ["apps.v1.Deployment", "status", { unset: "struct" }],
  ["core.v1.HTTPGetAction", "port", { unset: 0 }],
  ["core.v1.PodCondition", "lastProbeTime", { unset: "null" }],
  ["meta.v1.ObjectMeta", "creationTimestamp", { omitsEmpty: true, unset: undefined }],
])("%s.%s", (name, field, facts) => {
  expect(goStruct(name)?.fields.get(field)).toMatchObject(facts);
});

import { expect, test } from "vitest";
import { definition } from "../../api/schema.ts";
import { definitionSchema, type Dialect } from "./openapi-schema.ts";

interface Row {
  readonly of: string;
  readonly field: string;
  /** As upstream's documents of version 3 have it. */
  readonly v3: object;
  /** Where it is not the same in version 2, but for the references. */
  readonly v2?: object;
}

const core = (name: string, dialect: Dialect = "v3"): object => ({
  $ref: `#/${dialect === "v3" ? "components/schemas" : "definitions"}/io.k8s.api.core.v1.${name}`,
});
const library = (name: string, dialect: Dialect = "v3"): object => ({
  $ref: `#/${dialect === "v3" ? "components/schemas" : "definitions"}/io.k8s.apimachinery.pkg.${name}`,
});
const mergedBy = (key: string, strategy = "merge", keys: readonly string[] = [key]): object => ({
  type: "array",
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": keys,
  "x-kubernetes-patch-strategy": strategy,
  "x-kubernetes-patch-merge-key": key,
});

const rows: readonly Row[] = [
  {
    of: "core.v1.PodSpec",
    field: "containers",
    v3: { ...mergedBy("name"), items: core("Container") },
    v2: { ...mergedBy("name"), items: core("Container", "v2") },
  },
  {
    of: "core.v1.PodSpec",
    field: "volumes",
    v3: { ...mergedBy("name", "merge,retainKeys"), items: core("Volume") },
    v2: { ...mergedBy("name", "merge,retainKeys"), items: core("Volume", "v2") },
  },
  {
    of: "core.v1.ServiceSpec",
    field: "ports",
    v3: { ...mergedBy("port", "merge", ["port", "protocol"]), items: core("ServicePort") },
    v2: { ...mergedBy("port", "merge", ["port", "protocol"]), items: core("ServicePort", "v2") },
  },
  {
    of: "meta.v1.ObjectMeta",
    field: "finalizers",
    v3: {
      type: "array",
      items: { type: "string" },
      "x-kubernetes-list-type": "set",
      "x-kubernetes-patch-strategy": "merge",
    },
  },
  {
    of: "core.v1.ServiceSpec",
    field: "selector",
    v3: { type: "object", additionalProperties: { type: "string" }, "x-kubernetes-map-type": "atomic" },
  },
  {
    of: "core.v1.Pod",
    field: "spec",
    v3: { allOf: [core("PodSpec")], default: {} },
    v2: core("PodSpec", "v2"),
  },
  {
    of: "core.v1.PodSpec",
    field: "securityContext",
    v3: { allOf: [core("PodSecurityContext")] },
    v2: core("PodSecurityContext", "v2"),
  },
  {
    of: "core.v1.ServicePort",
    field: "targetPort",
    v3: { allOf: [library("util.intstr.IntOrString")] },
    v2: library("util.intstr.IntOrString", "v2"),
  },
  {
    of: "core.v1.PodStatus",
    field: "startTime",
    v3: { allOf: [library("apis.meta.v1.Time")] },
    v2: library("apis.meta.v1.Time", "v2"),
  },
  {
    of: "core.v1.Event",
    field: "eventTime",
    v3: { allOf: [library("apis.meta.v1.MicroTime")] },
    v2: library("apis.meta.v1.MicroTime", "v2"),
  },
  {
    of: "core.v1.ResourceRequirements",
    field: "limits",
    v3: { type: "object", additionalProperties: library("api.resource.Quantity") },
    v2: { type: "object", additionalProperties: library("api.resource.Quantity", "v2") },
  },
  {
    of: "core.v1.Secret",
    field: "data",
    v3: { type: "object", additionalProperties: { type: "string", format: "byte" } },
  },
  {
    of: "core.v1.ContainerPort",
    field: "containerPort",
    v3: { type: "integer", format: "int32", default: 0 },
  },
  {
    of: "core.v1.PodSpec",
    field: "terminationGracePeriodSeconds",
    v3: { type: "integer", format: "int64" },
  },
  { of: "core.v1.PodSpec", field: "hostNetwork", v3: { type: "boolean" } },
  { of: "apiextensions.v1.JSONSchemaProps", field: "maximum", v3: { type: "number", format: "double" } },
];

function fieldOf(of: string, field: string, dialect: Dialect): unknown {
  const { properties } = definitionSchema(definition(of), dialect, undefined);
  return (properties as Readonly<Record<string, unknown>>)[field];
}

test.each(rows)("clients read how $of's $field is patched, and what it is", ({ of, field, v3, v2 = v3 }) => {
  expect(fieldOf(of, field, "v3")).toEqual(v3);
  expect(fieldOf(of, field, "v2")).toEqual(v2);
});

test("what is said of a kind as a whole stands beside its fields", () => {
  const said = { key: "The key." };
  const schema = definitionSchema(definition("core.v1.ConfigMapKeySelector"), "v3", ["Selects a key.", said]);
  expect(schema).toEqual({
    description: "Selects a key.",
    type: "object",
    required: ["key"],
    properties: {
      key: { type: "string", default: "", description: "The key." },
      name: { type: "string", default: "" },
      optional: { type: "boolean" },
    },
    "x-kubernetes-map-type": "atomic",
  });
});

test("what is not there is not spoken of", () => {
  const schema = definitionSchema(definition("core.v1.PodSpec"), "v3", undefined);
  expect(Object.keys(schema)).toEqual(["type", "required", "properties"]);
  expect(definitionSchema(definition("core.v1.Affinity"), "v3", undefined)["required"]).toBeUndefined();
});

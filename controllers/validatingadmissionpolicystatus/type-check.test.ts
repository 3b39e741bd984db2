import { expect, test } from "vitest";
import { inOneGo } from "../../pkg/api/steps.ts";
import type {
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
} from "../../pkg/api/types/admissionregistration-v1.gen.ts";
import type { OpenApiSchema } from "../../pkg/cel/schemas/open-api-schema.ts";
import { stored } from "../../test/harness/stored.ts";
import { matchedKinds, nameOfKind } from "./matched-kinds.ts";
import { schemaOfKind } from "./kind-schema.ts";
import { checkTypes } from "./type-check.ts";

const rule = (apiGroups: readonly string[], resources: readonly string[], apiVersions = ["v1"]) => ({
  apiGroups,
  apiVersions,
  resources,
});
const policyOf = (spec: ValidatingAdmissionPolicySpec) =>
  stored<ValidatingAdmissionPolicy>({ metadata: { name: "p" }, spec });
const about = (...resourceRules: readonly ReturnType<typeof rule>[]): ValidatingAdmissionPolicySpec => ({
  matchConstraints: { resourceRules },
});

const offered = [
  { group: "", version: "v1", plural: "pods", kind: "Pod" },
  { group: "", version: "v1", plural: "events", kind: "Event" },
  { group: "apps", version: "v1", plural: "deployments", kind: "Deployment" },
  { group: "apps", version: "v1beta1", plural: "deployments", kind: "Deployment" },
  { group: "events.k8s.io", version: "v1", plural: "events", kind: "Event" },
  ...Array.from({ length: 12 }, (_, index) => ({
    group: "many.io",
    version: "v1",
    plural: `r${index}`,
    kind: `R${index}`,
  })),
];

// upstream: apiserver/pkg/admission/plugin/policy/validating/typechecking_test.go#TestExtractTypeNames
test.each<[string, ValidatingAdmissionPolicySpec, readonly string[], unknown: boolean]>([
  ["nothing", {}, [], false],
  ["one resource", about(rule(["apps"], ["deployments"])), ["apps/v1, Kind=Deployment"], false],
  [
    "several, in order",
    about(rule(["apps"], ["deployments"], ["v1beta1", "v1"]), rule([""], ["pods"])),
    ["/v1, Kind=Pod", "apps/v1, Kind=Deployment", "apps/v1beta1, Kind=Deployment"],
    false,
  ],
  ["all resources of a group", about(rule(["apps"], ["*"])), [], false],
  ["subresources", about(rule([""], ["pods/*", "pods/status"])), [], false],
  [
    "names and wildcards",
    about(rule(["apps"], ["deployments"]), rule(["apps"], ["deployments"], ["*"]), rule(["*"], ["pods"])),
    ["apps/v1, Kind=Deployment"],
    false,
  ],
  [
    "one that there is not",
    about(rule(["apps"], ["nope", "deployments"])),
    ["apps/v1, Kind=Deployment"],
    true,
  ],
  [
    "a group without a name, which stands for any",
    about(rule([""], ["events"])),
    ["/v1, Kind=Event", "events.k8s.io/v1, Kind=Event"],
    false,
  ],
  [
    "ten at most of a rule, and nothing after it",
    about(
      rule(
        ["many.io"],
        Array.from({ length: 12 }, (_, index) => `r${index}`),
      ),
      rule(["apps"], ["deployments"]),
    ),
    ["R0", "R1", "R10", "R11", "R2", "R3", "R4", "R5", "R6", "R7"].map((kind) => `many.io/v1, Kind=${kind}`),
    false,
  ],
])("a policy that names %s", (_, spec, expected, unknown) => {
  const found = matchedKinds(policyOf(spec), offered);
  expect([found.kinds.map(nameOfKind), found.unknown]).toEqual([expected, unknown]);
});

const deployment = { group: "apps", version: "v1", kind: "Deployment" };
const object = (properties: Readonly<Record<string, OpenApiSchema>>): OpenApiSchema => ({
  type: "object",
  properties,
});
const text = { type: "string" };
const integer = { type: "integer", format: "int64" };

function warningsOf(
  spec: ValidatingAdmissionPolicySpec,
  schema: OpenApiSchema | undefined,
  params: OpenApiSchema | undefined = schema,
): readonly string[] {
  const kinds = schema === undefined ? [] : [{ kind: deployment, schema }];
  const known = spec.paramKind && params && { kind: { ...deployment, kind: "Params" }, schema: params };
  const warnings = inOneGo(checkTypes(policyOf(spec), { kinds, params: known }, 7));
  return warnings.map(({ fieldRef, warning }) => `${fieldRef} ${warning}`);
}

const saying = (...expressions: readonly string[]): ValidatingAdmissionPolicySpec => ({
  validations: expressions.map((expression) => ({ expression })),
});
const paramKind = { apiVersion: "v1", kind: "DoesNotMatter" };
const first = "spec.validations[0].expression apps/v1, Kind=Deployment: ERROR: <input>:1:";

// upstream: typechecking_test.go#TestTypeCheck
test.each<[string, ValidatingAdmissionPolicySpec, OpenApiSchema | undefined, readonly string[]]>([
  ["nothing", {}, object({}), []],
  ["a kind of which nothing is known", saying("object.foo == 'bar'"), undefined, []],
  ["what is right", saying("object.foo == 'bar'"), object({ foo: text }), []],
  [
    "a field that there is not",
    saying("object.foo == 'bar'"),
    object({ bar: text }),
    [`${first}7: undefined field 'foo'\n | object.foo == 'bar'\n | ......^\n`],
  ],
  [
    "a field of another type",
    saying("object.foo == 'bar'"),
    object({ foo: integer }),
    [
      `${first}12: found no matching overload for '_==_' applied to '(int, string)'\n | object.foo == 'bar'\n | ...........^\n`,
    ],
  ],
  [
    "params",
    { paramKind, ...saying("object.foo == params.bar") },
    object({ foo: text }),
    [`${first}21: undefined field 'bar'\n | object.foo == params.bar\n | ....................^\n`],
  ],
  ["params without a type", { paramKind, ...saying("params != null") }, {}, []],
  [
    "several expressions",
    saying("object.foo == 'bar'", "object.bar == 'foo'"),
    object({ foo: text }),
    [
      "spec.validations[1].expression apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'bar'\n | object.bar == 'foo'\n | ......^\n",
    ],
  ],
  [
    "messages",
    { validations: [{ expression: "object.foo == 'bar'", messageExpression: "object.foo + 114514" }] },
    object({ foo: text }),
    [
      "spec.validations[0].messageExpression apps/v1, Kind=Deployment: ERROR: <input>:1:12: found no matching overload for '_+_' applied to '(string, int)'\n | object.foo + 114514\n | ...........^\n",
    ],
  ],
  [
    "the authorizer",
    saying("authorizer.group('').resource('endpoints').check('create').allowed()"),
    object({ foo: text }),
    [],
  ],
  [
    "the authorizer, asked for what it is not",
    saying("authorizer.allowed()"),
    object({ foo: text }),
    [
      `${first}19: found no matching overload for 'allowed' applied to 'kubernetes.authorization.Authorizer.()'\n | authorizer.allowed()\n | ..................^\n`,
    ],
  ],
  [
    "maps of anything",
    saying("has(object.spec.text)"),
    object({
      spec: object({ text }),
      status: object({ problem: { type: "object", additionalProperties: true } }),
    }),
    [],
  ],
  ["a schema without a type", saying("true"), {}, []],
  [
    "variables",
    { variables: [{ name: "works", expression: "true" }], ...saying("variables.works") },
    object({ foo: integer }),
    [],
  ],
  [
    "variables that there are not",
    { variables: [{ name: "works", expression: "true" }], ...saying("variables.nonExisting") },
    object({ foo: integer }),
    [`${first}10: undefined field 'nonExisting'\n | variables.nonExisting\n | .........^\n`],
  ],
  [
    "variables of another type",
    { variables: [{ name: "name", expression: "'something'" }], ...saying("variables.name == object.foo") },
    object({ foo: integer }),
    [
      `${first}16: found no matching overload for '_==_' applied to '(string, int)'\n | variables.name == object.foo\n | ...............^\n`,
    ],
  ],
  [
    "variables that are wrong",
    {
      variables: [{ name: "name", expression: "object.foo == 'str'" }],
      ...saying("variables.name == object.foo"),
    },
    object({ foo: integer }),
    [],
  ],
  [
    "objects within objects, by names of their own",
    saying("object.spec == 1", "object.list[0] == 1", "object.map['a'] == 1"),
    object({
      spec: object({ a: text }),
      list: { type: "array", items: object({}) },
      map: { type: "object", additionalProperties: object({}) },
    }),
    ["spec", "list.@idx", "map.@elem"].map((path, index) => {
      const expression = ["object.spec == 1", "object.list[0] == 1", "object.map['a'] == 1"][index] ?? "";
      const at = expression.indexOf("=");
      return `spec.validations[${index}].expression apps/v1, Kind=Deployment: ERROR: <input>:1:${at + 1}: found no matching overload for '_==_' applied to '(Deployment7.${path}, int)'\n | ${expression}\n | ${".".repeat(at)}^\n`;
    }),
  ],
])("of %s", (_, spec, schema, expected) => {
  expect(warningsOf(spec, schema)).toEqual(expected);
});

test("several kinds have a warning each, in one text", () => {
  const other = { group: "", version: "v1", kind: "Pod" };
  const warnings = inOneGo(
    checkTypes(
      policyOf(saying("object.foo == 1")),
      {
        kinds: [
          { kind: other, schema: object({ foo: integer }) },
          { kind: deployment, schema: object({}) },
          { kind: { ...other, kind: "Node" }, schema: object({}) },
        ],
        params: undefined,
      },
      1,
    ),
  );
  const what = "ERROR: <input>:1:7: undefined field 'foo'\n | object.foo == 1\n | ......^\n";
  expect(warnings).toEqual([
    {
      fieldRef: "spec.validations[0].expression",
      warning: `apps/v1, Kind=Deployment: ${what}\n/v1, Kind=Node: ${what}`,
    },
  ]);
});

test("schemas are put together of what refers to each other", () => {
  const schemas = {
    "io.Thing": {
      type: "object",
      "x-kubernetes-group-version-kind": [{ group: "a.io", version: "v1", kind: "Thing" }],
      properties: {
        spec: { description: "what is wanted", allOf: [{ $ref: "#/components/schemas/io.Spec" }] },
        again: { $ref: "#/components/schemas/io.Thing" },
        lost: { $ref: "#/components/schemas/io.Lost" },
        port: { $ref: "#/components/schemas/io.IntOrString" },
      },
    },
    "io.Spec": {
      type: "object",
      properties: { specs: { type: "array", items: { $ref: "#/components/schemas/io.Spec" } } },
      additionalProperties: { $ref: "#/components/schemas/io.IntOrString" },
    },
    "io.IntOrString": { format: "int-or-string", oneOf: [{ type: "integer" }, { type: "string" }] },
  };
  const document = { components: { schemas } };
  const port = { ...schemas["io.IntOrString"], "x-kubernetes-int-or-string": true };
  expect(schemaOfKind(document, { group: "a.io", version: "v1", kind: "Thing" })).toEqual({
    ...schemas["io.Thing"],
    properties: {
      spec: {
        type: "object",
        properties: { specs: { type: "array", items: { type: "object" } } },
        additionalProperties: port,
      },
      again: { type: "object" },
      lost: {},
      port,
    },
  });
  expect(schemaOfKind(document, { group: "a.io", version: "v2", kind: "Thing" })).toBeUndefined();
});

import { expect, test } from "vitest";
import { describeApi } from "../api-client.ts";

type Json = Record<string, unknown>;

const PATH = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies?dryRun=All";
const rule = { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["deployments"] };
const policy = (spec: Json): Json => ({
  metadata: { name: "p" },
  spec: {
    matchConstraints: { resourceRules: [rule] },
    validations: [{ expression: "true" }],
    ...spec,
  },
});

/** Each field and what is wrong with it, in the first line. */
const cases: readonly (readonly [string, Json, readonly string[]])[] = [
  [
    "all that an expression may speak of",
    {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      variables: [
        { name: "count", expression: "object.spec.replicas" },
        { name: "twice", expression: "variables.count * 2" },
      ],
      validations: [
        {
          expression:
            "variables.twice < 10 && has(params.data) && request.operation == 'CREATE' && " +
            "authorizer.requestResource.check('get').allowed() && namespaceObject.metadata.name != '' && oldObject == null",
          messageExpression: "'not ' + string(variables.count)",
        },
      ],
      auditAnnotations: [{ key: "a", valueExpression: "'many'" }],
    },
    [],
  ],
  [
    "types that are others",
    {
      validations: [{ expression: "1", messageExpression: "1" }],
      auditAnnotations: [{ key: "a", valueExpression: "1" }],
    },
    [
      "spec.validations[0].expression: must evaluate to bool but got int",
      "spec.validations[0].messageExpression: must evaluate to string but got int",
      "spec.auditAnnotations[0].valueExpression: must evaluate to one of [string null_type] but got int",
    ],
  ],
  [
    "types that have longer names",
    {
      validations: [
        { expression: "null" },
        { expression: "[duration('1s')]" },
        { expression: "{'a': timestamp('2020-01-01T00:00:00Z')}" },
      ],
    },
    [
      "spec.validations[0].expression: must evaluate to bool but got null_type",
      "spec.validations[1].expression: must evaluate to bool but got list(google.protobuf.Duration)",
      "spec.validations[2].expression: must evaluate to bool but got map(string, google.protobuf.Timestamp)",
    ],
  ],
  [
    "what is not there",
    {
      variables: [
        { name: "my.name", expression: "1" },
        { name: "in", expression: "" },
        { name: "a", expression: "b" },
        { name: "later", expression: "variables.last" },
        { name: "last", expression: "1" },
      ],
      validations: [{ expression: "params.a", messageExpression: "authorizer.path('/a')" }],
    },
    [
      "spec.variables[0].name: must be a valid CEL identifier",
      "spec.variables[1].name: must be a valid CEL identifier",
      "spec.variables[1].expression: expression is not specified",
      "spec.variables[2].expression: compilation failed: ERROR: <input>:1:1: undeclared reference to 'b' (in container '')",
      "spec.variables[3].expression: compilation failed: ERROR: <input>:1:10: undefined field 'last'",
      "spec.validations[0].expression: compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')",
      "spec.validations[0].messageExpression: compilation failed: ERROR: <input>:1:1: undeclared reference to 'authorizer' (in container '')",
    ],
  ],
];

describeApi("policies", (api) => {
  test.each(cases)("%s", async (_, spec, expected) => {
    const { status, body } = await api().send("POST", PATH, policy(spec));
    const causes = (body.details?.["causes"] ?? []) as readonly {
      readonly field: string;
      readonly message: string;
    }[];
    const told = causes.map(({ field, message }) => {
      const [line = ""] = message
        .replace(/^(?:Invalid value: "(?:[^"\\]|\\.)*"|Required value): /, "")
        .split("\n");
      return `${field}: ${line}`;
    });
    expect([status, told]).toEqual([expected.length === 0 ? 201 : 422, expected]);
  });
});

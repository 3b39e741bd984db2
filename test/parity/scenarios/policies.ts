import type { ApiObject } from "../../../pkg/api/object.ts";
import type { ValidatingAdmissionPolicy } from "../../../pkg/api/types/admissionregistration-v1.gen.ts";
import { inArea, type Scenario, type Step } from "../scenario.ts";
import { fresh } from "./accounts.ts";
import { create } from "./objects.ts";

interface Named {
  readonly name: string;
  readonly expression: string;
}

function policy(
  groups: readonly string[],
  resources: readonly string[],
  expressions: readonly string[],
  more: {
    readonly variables?: readonly Named[];
    readonly paramKind?: object;
    readonly versions?: readonly string[];
  } = {},
): Step {
  const { versions: apiVersions = ["v1"], ...others } = more;
  const object: ApiObject & ValidatingAdmissionPolicy = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingAdmissionPolicy",
    metadata: { name: ".checked" },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: groups, apiVersions, operations: ["*"], resources }],
      },
      validations: expressions.map((expression) => ({
        expression,
        // Messages may not ask what others may do.
        ...(expression.startsWith("authorizer") ? {} : { messageExpression: `${expression} ? 'a' : 'b'` }),
      })),
      ...others,
    },
  };
  return create(object);
}

const checked = (generation: number): Step => ({
  do: "until",
  target: "validatingAdmissionPolicies/.checked",
  holds: { "status.observedGeneration": generation },
});

/** What the expressions of ValidatingAdmissionPolicies are told of. */
export const policies: readonly Scenario[] = inArea("accounts", [
  {
    name: "policy-of-deployments",
    steps: [
      ...fresh,
      policy(
        ["apps"],
        ["deployments", "deployments/status"],
        [
          "object.spec.replicas > 1",
          "object.spec.replicas > '1'",
          "object.spec.replicas > '1' && object.spec.nonExisting == 1",
          "object.nope == oldObject.never",
          "object.spec.template.spec.containers.all(c, c.image == 1)",
          "object.spec.template.spec.containers[0].ports[0].containerPort == 'a'",
          "object.spec.template.spec.containers[0].resources.limits['cpu'] == 1",
          "object.spec.strategy.rollingUpdate.maxSurge == 1 || object.spec.strategy.rollingUpdate.maxSurge == '1'",
          "object.metadata.labels['a'] == 1",
          "object.metadata.creationTimestamp > timestamp('2020-01-01T00:00:00Z')",
          "object.metadata.creationTimestamp == ''",
          "object.metadata.managedFields.all(m, m.fieldsV1.a == 1)",
          "authorizer.requestResource.check('get').allowed()",
          "authorizer.path('/x').check('get').allowed()",
          "has(object.spec.template.spec.overhead)",
        ],
      ),
      checked(1),
      {
        do: "patch",
        target: "validatingAdmissionPolicies/.checked",
        body: { spec: { validations: [{ expression: "object.spec.replicas > 1" }] } },
      },
      checked(2),
    ],
  },
  {
    name: "policy-of-several-kinds",
    steps: [
      ...fresh,
      policy(
        ["apps", ""],
        ["replicasets", "pods", "services", "nope"],
        ["object.spec.replicas == 1", "object.kind == 1", "object.spec.containers == variables.ports"],
        {
          variables: [
            { name: "ports", expression: "object.spec.ports" },
            { name: "wrong", expression: "object.nope" },
          ],
        },
      ),
      checked(1),
    ],
  },
  {
    name: "policy-with-params",
    steps: [
      ...fresh,
      policy(
        ["batch"],
        ["jobs"],
        ["params.data['a'] == 1", "params.nope == 1", "object.spec.parallelism == params.kind"],
        {
          paramKind: { apiVersion: "v1", kind: "ConfigMap" },
        },
      ),
      checked(1),
    ],
  },
  {
    name: "policy-of-unknown-params",
    steps: [
      ...fresh,
      policy(["batch"], ["jobs"], ["params.nope == 1", "variables.two == object.metadata.name"], {
        paramKind: { apiVersion: "example.com/v1", kind: "Nothing" },
        variables: [{ name: "two", expression: "1 + 1" }],
      }),
      checked(1),
    ],
  },
  {
    name: "policy-of-everything",
    steps: [...fresh, policy(["*"], ["*"], ["object.nope == 1"], { versions: ["*"] }), checked(1)],
  },
]);

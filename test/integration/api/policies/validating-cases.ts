import { type Json, type Policy, rule } from "./policy-stage.ts";

export interface ValidatingCase {
  readonly name: string;
  readonly policy: Policy;
  /** ConfigMaps that are there before. */
  readonly params?: readonly Json[];
  /** What is created; a ConfigMap "test-foobar" where this is left out. */
  readonly object?: Json;
  readonly path?: (namespace: string) => string;
  /** What is refused, and why; undefined: nothing is. With WHO for "ValidatingAdmissionPolicy 'p' with binding 'b' denied request". */
  readonly message?: string;
  readonly reason?: string;
  readonly status?: number;
  readonly warnings?: readonly string[];
}

const paramKind = { apiVersion: "v1", kind: "ConfigMap" };
const suffix = "object.metadata.name.endsWith('k8s')";
const authorized =
  "authorizer.group('apps').resource('deployments').subresource('status').namespace('test').name('backend').check('create').allowed()";
const tooOften = [authorized, authorized, authorized].join(" && ");
const ten = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]";
const loops = ["a", "b", "c", "d", "e", "f", "g"];
const nested =
  loops.map((letter) => `${ten}.all(${letter}, `).join("") +
  "int('1'.find('[0-9]*')) < 100" +
  ")".repeat(loops.length);

const validations = (...expressions: readonly string[]): Json => ({
  validations: expressions.map((expression) => ({ expression })),
});
const withParams = (expression: string): Json => ({ paramKind, ...validations(expression) });
const limit = { metadata: { name: "limit", labels: { limit: "yes" } }, data: { suffix: "k8s" } };
const paramRef = { name: "limit", parameterNotFoundAction: "Deny" };
const LIMIT_EXCEEDED = "resulted in error: operation cancelled: actual cost limit exceeded";

/** upstream: test/integration/apiserver/cel/validatingadmissionpolicy_test.go */
export const validatingCases: readonly ValidatingCase[] = [
  { name: "what passes", policy: { spec: validations("object.metadata.name.startsWith('test')") } },
  {
    name: "an object that does not pass",
    policy: { spec: validations(suffix) },
    message: `WHO: failed expression: ${suffix}`,
  },
  {
    name: "a reason of its own",
    policy: { spec: { validations: [{ expression: suffix, reason: "Forbidden" }] } },
    message: `WHO: failed expression: ${suffix}`,
    reason: "Forbidden",
    status: 403,
  },
  {
    name: "the reason that something is too large",
    policy: {
      spec: {
        validations: [{ expression: suffix, reason: "RequestEntityTooLarge", message: " too large " }],
      },
    },
    message: "WHO: too large",
    reason: "RequestEntityTooLarge",
    status: 413,
  },
  {
    name: "an expression that fails",
    policy: { spec: validations("object.nonExistentProperty == 'someval'") },
    message:
      "WHO: expression 'object.nonExistentProperty == 'someval'' resulted in error: no such key: nonExistentProperty",
  },
  {
    name: "an expression that fails and may be ignored",
    policy: { spec: { failurePolicy: "Ignore", ...validations("object.nonExistentProperty == 'someval'") } },
  },
  {
    name: "refusals of a policy whose failures are ignored",
    policy: { spec: { failurePolicy: "Ignore", ...validations("object.nope == 1", "false") } },
    message: "WHO: failed expression: false",
  },
  {
    name: "the first of several refusals",
    policy: { spec: validations("true", "1 > 2", "2 > 3") },
    message: "WHO: failed expression: 1 > 2",
  },
  {
    name: "params that are not there, unguarded",
    policy: { spec: withParams("object.metadata.name.startsWith(params.metadata.name)") },
    message:
      "WHO: expression 'object.metadata.name.startsWith(params.metadata.name)' resulted in error: no such key: metadata",
  },
  {
    name: "params that are not there, asked for with has()",
    policy: { spec: withParams("has(params.metadata) && has(params.metadata.name)") },
    message: "WHO: failed expression: has(params.metadata) && has(params.metadata.name)",
  },
  { name: "params that are null", policy: { spec: withParams("params == null") } },
  {
    name: "params by name",
    policy: { spec: withParams("object.metadata.name.endsWith(params.data.suffix)"), binding: { paramRef } },
    params: [limit],
    message: "WHO: failed expression: object.metadata.name.endsWith(params.data.suffix)",
  },
  {
    name: "the kind of params",
    policy: { spec: withParams("params.kind + params.apiVersion == 'ConfigMapv1'"), binding: { paramRef } },
    params: [limit],
  },
  {
    name: "params that are missing and have to be there",
    policy: { spec: withParams("true"), binding: { paramRef } },
    message:
      "WHO: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
  },
  {
    name: "params that are missing and need not be there",
    policy: {
      spec: withParams("false"),
      binding: { paramRef: { ...paramRef, parameterNotFoundAction: "Allow" } },
    },
  },
  {
    name: "params that are missing, for a policy whose failures are ignored",
    policy: { spec: { failurePolicy: "Ignore", ...withParams("true") }, binding: { paramRef } },
  },
  {
    name: "params by their labels",
    policy: {
      spec: withParams("object.metadata.name.endsWith(params.data.suffix)"),
      binding: { paramRef: { selector: { matchLabels: { limit: "yes" } }, parameterNotFoundAction: "Deny" } },
    },
    params: [
      { metadata: { name: "a", labels: { limit: "yes" } }, data: { suffix: "bar" } },
      { metadata: { name: "b", labels: { limit: "no" } }, data: { suffix: "none" } },
      { metadata: { name: "c", labels: { limit: "yes" } }, data: { suffix: "k8s" } },
    ],
    message: "WHO: failed expression: object.metadata.name.endsWith(params.data.suffix)",
  },
  {
    name: "params of a kind that there is not",
    policy: {
      spec: { paramKind: { apiVersion: "example.com/v1", kind: "Missing" }, ...validations("true") },
      binding: { paramRef },
    },
    message:
      "POLICY: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Missing'",
  },
  {
    name: "a message by an expression",
    policy: {
      spec: {
        validations: [
          { expression: suffix, messageExpression: "' not ' + object.metadata.name + ' '", message: "no" },
        ],
      },
    },
    message: "WHO: not test-foobar",
  },
  {
    name: "a message by an expression that fails",
    policy: {
      spec: {
        validations: [{ expression: suffix, messageExpression: "string(object.nope)", message: "no" }],
      },
    },
    message: "WHO: no",
    status: 422,
  },
  {
    name: "a message of several lines",
    policy: {
      spec: { validations: [{ expression: suffix, messageExpression: "'a\\nb'", message: "one line" }] },
    },
    message: "WHO: one line",
  },
  {
    name: "messages for those that have one",
    policy: {
      spec: {
        variables: [{ name: "n", expression: "object.metadata.name" }],
        validations: [
          { expression: "true" },
          { expression: "variables.n == 'a'", messageExpression: "'is ' + variables.n" },
        ],
      },
    },
    message: "WHO: is test-foobar",
  },
  {
    name: "variables of variables",
    policy: {
      spec: {
        variables: [
          { name: "parts", expression: "object.metadata.name.split('-')" },
          { name: "last", expression: "variables.parts[size(variables.parts) - 1]" },
        ],
        ...validations("variables.last == 'k8s'"),
      },
    },
    message: "WHO: failed expression: variables.last == 'k8s'",
  },
  {
    name: "a variable that fails",
    policy: {
      spec: {
        variables: [{ name: "broken", expression: "object.nope" }],
        ...validations("variables.broken == 1"),
      },
    },
    message:
      "WHO: expression 'variables.broken == 1' resulted in error: composited variable \"broken\" fails to evaluate: no such key: nope",
  },
  {
    name: "a variable that nobody asks for",
    policy: { spec: { variables: [{ name: "broken", expression: "object.nope" }], ...validations("true") } },
  },
  {
    name: "conditions that hold",
    policy: {
      spec: {
        matchConditions: [{ name: "a", expression: "object.metadata.name == 'test-foobar'" }],
        ...validations("false"),
      },
    },
    message: "WHO: failed expression: false",
  },
  {
    name: "conditions that do not hold",
    policy: {
      spec: {
        matchConditions: [
          { name: "a", expression: "object.nope == 1" },
          { name: "b", expression: "object.metadata.name == 'other'" },
        ],
        ...validations("false"),
      },
    },
  },
  {
    name: "conditions that fail",
    policy: {
      spec: {
        matchConditions: [
          { name: "a", expression: "object.nope == 1" },
          { name: "b", expression: "object.none == 1" },
        ],
        ...validations("true"),
      },
    },
    message:
      "WHO: [expression 'object.nope == 1' resulted in error: no such key: nope, expression 'object.none == 1' resulted in error: no such key: none]",
  },
  {
    name: "conditions that speak of params",
    policy: {
      spec: {
        paramKind,
        matchConditions: [{ name: "a", expression: "params.data.suffix == 'k8s'" }],
        ...validations("false"),
      },
      binding: { paramRef },
    },
    params: [limit],
    message: "WHO: failed expression: false",
  },
  {
    name: "conditions are not told of the namespace",
    policy: {
      spec: {
        matchConditions: [{ name: "a", expression: "namespaceObject == null" }],
        ...validations("false"),
      },
    },
    message: "WHO: failed expression: false",
  },
  {
    name: "the namespace",
    policy: {
      spec: validations(
        "namespaceObject.metadata.name == request.namespace && namespaceObject.status.phase == 'Active' && namespaceObject.spec.finalizers == ['kubernetes']",
      ),
    },
  },
  {
    name: "the request",
    policy: {
      spec: validations(
        "request.operation == 'CREATE' && request.kind.kind == 'ConfigMap' && request.resource.resource == 'configmaps' && " +
          "request.requestKind.version == 'v1' && !request.dryRun && oldObject == null && 'system:masters' in request.userInfo.groups && " +
          "!has(request.subResource) && request.name == 'test-foobar' && request.options.kind == 'CreateOptions'",
      ),
    },
  },
  {
    name: "the authorizer",
    policy: {
      spec: validations(
        "authorizer.requestResource.check('anything').allowed() && authorizer.path('/x').check('get').allowed()",
      ),
    },
  },
  {
    name: "what a service account may do",
    policy: {
      spec: validations(
        "authorizer.serviceAccount('default', 'nobody').group('').resource('secrets').check('get').allowed()",
      ),
    },
    message:
      "WHO: failed expression: authorizer.serviceAccount('default', 'nobody').group('').resource('secrets').check('get').allowed()",
  },
  {
    name: "messages may not ask the authorizer by a variable",
    policy: {
      spec: {
        variables: [{ name: "may", expression: "authorizer.path('/x').check('get').allowed()" }],
        validations: [
          { expression: "!variables.may", messageExpression: "string(variables.may)", message: "fallback" },
        ],
      },
    },
    message: "WHO: fallback",
  },
  {
    name: "annotations for the audit log",
    policy: {
      spec: {
        auditAnnotations: [
          { key: "example", valueExpression: "'object name: ' + object.metadata.name" },
          { key: "none", valueExpression: "null" },
        ],
      },
    },
  },
  {
    name: "annotations for the audit log that fail",
    policy: {
      spec: { paramKind, auditAnnotations: [{ key: "a", valueExpression: "string(params.metadata.name)" }] },
      binding: { validationActions: ["Audit"] },
    },
    message: "WHO: expression 'string(params.metadata.name)' resulted in error: no such key: metadata",
  },
  {
    name: "annotations for the audit log that may fail",
    policy: {
      spec: {
        paramKind,
        failurePolicy: "Ignore",
        auditAnnotations: [{ key: "a", valueExpression: "string(params.metadata.name)" }],
      },
    },
  },
  {
    name: "warnings",
    policy: {
      spec: validations(suffix, "object.nope == 1"),
      binding: { validationActions: ["Warn", "Audit"] },
    },
    warnings: [
      `Validation failed for ValidatingAdmissionPolicy 'NAME' with binding 'NAME-binding': failed expression: ${suffix}`,
      "Validation failed for ValidatingAdmissionPolicy 'NAME' with binding 'NAME-binding': expression 'object.nope == 1' resulted in error: no such key: nope",
    ],
  },
  {
    name: "an entry in the audit log",
    policy: { spec: validations(suffix), binding: { validationActions: ["Audit"] } },
  },
  {
    name: "a refusal with an entry in the audit log",
    policy: { spec: validations(suffix), binding: { validationActions: ["Deny", "Audit"] } },
    message: `WHO: failed expression: ${suffix}`,
  },
  {
    name: "an object that a selector leaves out",
    policy: {
      spec: {
        matchConstraints: {
          resourceRules: [rule(["configmaps"])],
          objectSelector: { matchLabels: { foo: "bar" } },
        },
        ...validations("false"),
      },
    },
  },
  {
    name: "an object that a selector means",
    policy: {
      spec: {
        matchConstraints: {
          resourceRules: [rule(["configmaps"])],
          objectSelector: { matchLabels: { foo: "bar" } },
        },
        ...validations("false"),
      },
    },
    object: { metadata: { name: "test-foobar", labels: { foo: "bar" } } },
    message: "WHO: failed expression: false",
  },
  {
    name: "an object by its name",
    policy: {
      spec: {
        matchConstraints: {
          resourceRules: [rule(["configmaps"], ["CREATE"], { resourceNames: ["other", "test-foobar"] })],
        },
        ...validations("false"),
      },
    },
    message: "WHO: failed expression: false",
  },
  {
    name: "an object by the name of another",
    policy: {
      spec: {
        matchConstraints: { resourceRules: [rule(["configmaps"], ["CREATE"], { resourceNames: ["other"] })] },
        ...validations("false"),
      },
    },
  },
  {
    name: "a resource that is excluded",
    policy: {
      spec: {
        matchConstraints: {
          resourceRules: [rule(["*"])],
          excludeResourceRules: [rule(["configmaps"])],
        },
        ...validations("false"),
      },
    },
  },
  {
    name: "what the binding alone excludes",
    policy: {
      spec: validations("false"),
      binding: { matchResources: { excludeResourceRules: [rule(["configmaps"])] } },
    },
  },
  {
    name: "another version of the resource",
    policy: {
      spec: {
        matchConstraints: {
          resourceRules: [rule(["cronjobs"], ["CREATE"], { apiGroups: ["batch"], apiVersions: ["v2"] })],
        },
        ...validations("false"),
      },
    },
  },
  {
    name: "an equivalent version of the resource",
    policy: {
      spec: {
        matchConstraints: {
          resourceRules: [
            rule(["horizontalpodautoscalers"], ["CREATE"], {
              apiGroups: ["autoscaling"],
              apiVersions: ["v1"],
            }),
          ],
        },
        validations: [
          {
            expression: "false",
            messageExpression:
              "object.apiVersion + ' ' + request.kind.version + ' ' + request.resource.version + ' ' + request.requestKind.version + ' ' + string(object.spec.targetCPUUtilizationPercentage)",
          },
        ],
      },
    },
    path: (namespace) => `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`,
    object: {
      metadata: { name: "h" },
      spec: {
        maxReplicas: 3,
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
        metrics: [
          {
            type: "Resource",
            resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } },
          },
        ],
      },
    },
    message: "WHO: autoscaling/v1 v1 v1 v2 70",
  },
  {
    name: "exactly a version of the resource",
    policy: {
      spec: {
        matchConstraints: {
          matchPolicy: "Exact",
          resourceRules: [
            rule(["horizontalpodautoscalers"], ["CREATE"], {
              apiGroups: ["autoscaling"],
              apiVersions: ["v1"],
            }),
          ],
        },
        ...validations("false"),
      },
    },
    path: (namespace) => `/apis/autoscaling/v2/namespaces/${namespace}/horizontalpodautoscalers`,
    object: {
      metadata: { name: "h" },
      spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" } },
    },
  },
  {
    name: "a name that is still to be generated",
    policy: { spec: validations("has(object.metadata.name)") },
    object: { metadata: { generateName: "test-" } },
  },
  {
    name: "an expression that costs too much",
    policy: { spec: validations(nested) },
    message: `WHO: expression '${nested}' ${LIMIT_EXCEEDED}`,
  },
  {
    name: "questions to the authorizer that cost too much",
    policy: { spec: validations(tooOften) },
    message: `WHO: expression '${tooOften}' ${LIMIT_EXCEEDED}`,
  },
  {
    name: "a variable that costs too much",
    policy: {
      spec: { variables: [{ name: "check", expression: tooOften }], ...validations("variables.check") },
    },
    message: `WHO: expression 'variables.check' resulted in error: composited variable "check" fails to evaluate: operation cancelled: actual cost limit exceeded`,
  },
  {
    name: "conditions that cost too much",
    policy: { spec: { matchConditions: [{ name: "test", expression: tooOften }], ...validations("true") } },
    message: `WHO: expression '${tooOften}' ${LIMIT_EXCEEDED}`,
  },
  {
    name: "expressions that cost too much together",
    policy: { spec: validations(...Array.from({ length: 29 }, () => authorized)) },
    message:
      "WHO: validation failed due to running out of cost budget, no further validation rules will be run",
  },
  {
    name: "variables that cost too much together",
    policy: {
      spec: {
        variables: Array.from({ length: 29 }, (_, index) => ({ name: `v${index}`, expression: authorized })),
        ...validations(...Array.from({ length: 29 }, (_, index) => `variables.v${index}`)),
      },
    },
    message:
      "WHO: validation failed due to running out of cost budget, no further validation rules will be run",
  },
  {
    name: "a message that costs more than is left",
    policy: {
      spec: {
        validations: [
          ...Array.from({ length: 27 }, () => ({ expression: authorized })),
          { expression: "true", messageExpression: `string(${nested})` },
        ],
      },
    },
    message:
      "WHO: failed messageExpression: validation failed due to running out of cost budget, no further validation rules will be run",
  },
];

import { cases } from "./corpus-case.ts";

const rule = { apiGroups: ["apps"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["deployments"] };
const oddRules = [
  {},
  {
    apiGroups: ["*", "apps"],
    apiVersions: ["*", "", "v1"],
    operations: ["*", "READ"],
    resources: ["*", "pods", "pods/*", "pods/status", "*/*", ""],
    scope: "Nowhere",
  },
];
const badSelector = { matchExpressions: [{ key: "a b", operator: "Near" }] };
const webhook = {
  name: "a.example.com",
  admissionReviewVersions: ["v1"],
  sideEffects: "None",
  clientConfig: { url: "https://example.com/x" },
};
const url = (text: string) => ({ ...webhook, clientConfig: { url: text } });
const service = (fields: object) => ({ ...webhook, clientConfig: { service: fields } });

/** What both sorts of webhooks refuse. */
const badWebhooks = {
  "nothing said": { webhooks: [{}, { name: "a" }, { name: "A_.b.c" }] },
  "twice the same": { webhooks: [webhook, webhook] },
  "bad rules": { webhooks: [{ ...webhook, rules: oddRules }] },
  "bad enumerations": {
    webhooks: [
      {
        ...webhook,
        failurePolicy: "Maybe",
        matchPolicy: "Never",
        sideEffects: "Some",
        timeoutSeconds: 31,
        namespaceSelector: badSelector,
        matchConditions: [{}, { name: "a b", expression: "true" }],
        admissionReviewVersions: ["v2", "v2", "A"],
      },
    ],
  },
  "bad addresses": {
    webhooks: ["http://user@a/x?y#z", "https://", "x"].map((text, index) => ({
      ...url(text),
      name: `a${index}.example.com`,
    })),
  },
  "bad services": {
    webhooks: [
      {},
      { name: "a", namespace: "b", path: "/a//B", port: 0 },
      { name: "a", namespace: "b", path: "x" },
    ].map((fields, index) => ({ ...service(fields), name: `a${index}.example.com` })),
  },
};

const match = { resourceRules: [rule] };
const registration = "admissionregistration.k8s.io/v1";

/** What both sorts of policies refuse. */
const badMatches = {
  "bad matches": {
    spec: {
      failurePolicy: "Maybe",
      paramKind: { apiVersion: "A_/B", kind: "a b" },
      matchConstraints: {
        matchPolicy: "Never",
        objectSelector: badSelector,
        resourceRules: oddRules,
        excludeResourceRules: [{ ...rule, resourceNames: ["a", "a", "b/c"] }],
      },
      matchConditions: [{}, { name: "a", expression: "true" }, { name: "a", expression: "true" }],
      variables: [{}],
    },
  },
  "no kind of parameters": { spec: { paramKind: {}, matchConstraints: {} } },
  "too many versions": { spec: { paramKind: { apiVersion: "a/b/c", kind: "K" } } },
};

const admission = [
  ...cases(registration, "ValidatingWebhookConfiguration", {}, badWebhooks),
  ...cases(
    registration,
    "MutatingWebhookConfiguration",
    {},
    { ...badWebhooks, "bad reinvocation": { webhooks: [{ ...webhook, reinvocationPolicy: "Often" }] } },
  ),
  ...cases(
    registration,
    "ValidatingAdmissionPolicy",
    {},
    {
      ...badMatches,
      "bad validations": {
        spec: {
          matchConstraints: match,
          validations: [{}, { expression: "true", message: " ", messageExpression: " ", reason: "Why" }],
          auditAnnotations: [
            { key: "a" },
            { key: "a", valueExpression: "'x'" },
            { key: "a b", valueExpression: "'x'" },
          ],
        },
      },
    },
  ),
  ...cases(
    registration,
    "MutatingAdmissionPolicy",
    {},
    {
      ...badMatches,
      "bad mutations": {
        spec: {
          reinvocationPolicy: "Often",
          matchConstraints: { resourceRules: [{ ...rule, operations: ["DELETE"] }] },
          mutations: [
            {},
            { patchType: "Glue" },
            { patchType: "JSONPatch", applyConfiguration: { expression: "x" } },
            { patchType: "JSONPatch", jsonPatch: {} },
            { patchType: "ApplyConfiguration" },
          ],
        },
      },
    },
  ),
  ...cases(
    registration,
    "ValidatingAdmissionPolicyBinding",
    {},
    {
      "bad references": {
        spec: {
          policyName: "A_",
          paramRef: { name: "a/b", selector: badSelector, parameterNotFoundAction: "Ask" },
          matchResources: { ...match, matchPolicy: "Never" },
          validationActions: ["Deny", "Warn", "Deny", "Sing"],
        },
      },
      "no action": { spec: { paramRef: {} } },
    },
  ),
  ...cases(
    registration,
    "MutatingAdmissionPolicyBinding",
    {},
    { empty: { spec: { paramRef: {} } }, "bad name": { spec: { policyName: "A_" } } },
  ),
];

const controller = "example.com/c";
const network = [
  ...cases(
    "networking.k8s.io/v1",
    "IngressClass",
    {},
    {
      "no controller": { spec: {} },
      "no path": { spec: { controller: "x" } },
      "bad path": { spec: { controller: "A_/a b" } },
      "empty parameters": { spec: { controller, parameters: {} } },
      "bad parameters": {
        spec: { controller, parameters: { apiGroup: "A_", kind: "a/b", name: "%", scope: "Galaxy" } },
      },
      "no namespace": { spec: { controller, parameters: { kind: "K", name: "n", scope: "Namespace" } } },
      "useless namespace": { spec: { controller, parameters: { kind: "K", name: "n", namespace: "a" } } },
    },
  ),
  ...cases(
    "networking.k8s.io/v1",
    "ServiceCIDR",
    {},
    {
      none: { spec: {} },
      "three ranges": { spec: { cidrs: ["10.1.0.0/24", "10.2.0.0/24", "10.3.0.0/24"] } },
      "one family": { spec: { cidrs: ["10.1.0.0/24", "10.2.0.0/24"] } },
      "bad ranges": { spec: { cidrs: ["10.1.0.1/24", "x"] } },
      "long form": { spec: { cidrs: ["2001:db8:0:0::/64", "10.1.0.0/33"] } },
    },
  ),
  ...cases(
    "networking.k8s.io/v1",
    "IPAddress",
    {
      minimal: { metadata: { name: "192.0.2.1" }, spec: { parentRef: { resource: "services", name: "a" } } },
    },
    {
      "no address": { spec: { parentRef: { resource: "a/b", name: "%", group: "A_" } } },
      "long form": { metadata: { name: "2001:db8:0:0::1" }, spec: {} },
    },
  ),
];

const flow = "flowcontrol.apiserver.k8s.io/v1";
const group = { kind: "Group", group: { name: "system:authenticated" } };
const urls = { verbs: ["get"], nonResourceURLs: ["/x"] };
const level = { name: "global-default" };
const limited = (fields: object) => ({ spec: { type: "Limited", limited: fields } });
const queuing = (fields: object) => limited({ limitResponse: { type: "Queue", queuing: fields } });

const flowControl = [
  ...cases(
    flow,
    "FlowSchema",
    {
      full: {
        spec: { priorityLevelConfiguration: level, rules: [{ subjects: [group], nonResourceRules: [urls] }] },
      },
    },
    {
      empty: { spec: {} },
      "bad precedence": { spec: { matchingPrecedence: 10_001, priorityLevelConfiguration: { name: "A_" } } },
      "reserved precedence": { spec: { matchingPrecedence: 1, priorityLevelConfiguration: level } },
      "bad subjects": {
        spec: {
          priorityLevelConfiguration: level,
          distinguisherMethod: { type: "ByColour" },
          rules: [
            {},
            {
              subjects: [
                { kind: "Robot" },
                { kind: "User", group: { name: "x" } },
                { kind: "Group", group: {}, serviceAccount: { namespace: "a", name: "b" } },
                { kind: "ServiceAccount", serviceAccount: { namespace: "A_", name: "B_" } },
              ],
              nonResourceRules: [
                {},
                { verbs: ["sing"], nonResourceURLs: ["x", "/a b", "/a//b", "/*/a", ""] },
                { verbs: ["*", "get"], nonResourceURLs: ["*", "/x"] },
              ],
              resourceRules: [
                {},
                {
                  verbs: ["get"],
                  apiGroups: ["*", "apps"],
                  resources: ["*", "pods"],
                  namespaces: ["*", "a"],
                },
                { verbs: ["get"], apiGroups: ["apps"], resources: ["pods"], namespaces: ["A_"] },
              ],
            },
          ],
        },
      },
    },
  ),
  ...cases(
    flow,
    "PriorityLevelConfiguration",
    { defaults: queuing({}), reject: limited({ limitResponse: { type: "Reject" } }) },
    {
      empty: { spec: {} },
      "odd type": { spec: { type: "Endless" } },
      exempt: { spec: { type: "Exempt", limited: {} } },
      "nothing said": { spec: { type: "Limited", exempt: { nominalConcurrencyShares: -1 } } },
      "bad shares": limited({
        nominalConcurrencyShares: -1,
        lendablePercent: 101,
        borrowingLimitPercent: -1,
      }),
      "no queues": limited({ limitResponse: { type: "Queue" } }),
      "queues without a queue": limited({ limitResponse: { type: "Reject", queuing: {} } }),
      "bad queues": queuing({ queues: -1, queueLengthLimit: -1, handSize: -1 }),
      "too large a hand": queuing({ queues: 5, handSize: 6 }),
      "too many hands": queuing({ queues: 10_000_000, handSize: 3 }),
    },
  ),
];

const others = [
  ...cases(
    "apiregistration.k8s.io/v1",
    "APIService",
    {},
    {
      empty: { spec: {} },
      "local one": {
        spec: { group: "A_", version: "V", insecureSkipTLSVerify: true, versionPriority: 1001 },
      },
      "bad service": {
        metadata: { name: "v1.example.com" },
        spec: {
          group: "example.com",
          version: "v1",
          groupPriorityMinimum: 1,
          versionPriority: 1,
          service: { port: 70_000 },
        },
      },
    },
  ),
  ...cases("storage.k8s.io/v1", "VolumeAttributesClass", {}, { "no parameters": { driverName: "d" } }),
];

export const clusterCases = [...admission, ...network, ...flowControl, ...others];

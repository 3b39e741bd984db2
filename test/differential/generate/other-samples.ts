import type { Json } from "../../../pkg/api/json.ts";
import { TOKEN } from "../case.ts";

const certificateRequest =
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIbE1JR01BZ0VBTUNveEtEQU1CZ05WQkFNTUJXRnNhV05sTUJnR0ExVUVDZ3dSYzNsemRHVnRPbTFoYzNSbGNuTXcKLS0tLS1FTkQgQ0VSVElGSUNBVEUgUkVRVUVTVC0tLS0tCg==";
const resourceAttributes = { verb: "get", resource: "pods", namespace: "{{ns}}" };
const policyRule = {
  apiGroups: ["apps"],
  apiVersions: ["v1"],
  operations: ["CREATE"],
  resources: ["deployments"],
};
const crdSchema = {
  openAPIV3Schema: {
    type: "object",
    properties: {
      spec: {
        type: "object",
        properties: {
          size: { type: "integer", minimum: 0, default: 0 },
          name: { type: "string", maxLength: 5 },
        },
      },
    },
  },
};

/** Of the kinds that the corpora have none of. The name comes from the case. */
export const otherSamples: Readonly<Record<string, readonly Json[]>> = {
  "v1 Binding": [{ target: { apiVersion: "v1", kind: "Node", name: "n" } }],
  "authentication.k8s.io/v1 SelfSubjectReview": [{}],
  "authentication.k8s.io/v1 TokenReview": [
    { spec: { token: "x" } },
    { spec: { token: "x", audiences: ["a"] } },
  ],
  "authorization.k8s.io/v1 LocalSubjectAccessReview": [{ spec: { user: "editor", resourceAttributes } }],
  "authorization.k8s.io/v1 SelfSubjectAccessReview": [
    { spec: { resourceAttributes } },
    { spec: { nonResourceAttributes: { path: "/healthz", verb: "get" } } },
  ],
  "authorization.k8s.io/v1 SelfSubjectRulesReview": [{ spec: { namespace: "{{ns}}" } }],
  "authorization.k8s.io/v1 SubjectAccessReview": [
    { spec: { user: "viewer", resourceAttributes } },
    { spec: { groups: ["system:masters"], nonResourceAttributes: { path: "/", verb: "get" } } },
    {
      spec: { user: "nobody", extra: { a: ["b"] }, resourceAttributes: { ...resourceAttributes, name: "x" } },
    },
  ],
  "certificates.k8s.io/v1 CertificateSigningRequest": [
    { spec: { request: certificateRequest, signerName: "example.com/s", usages: ["client auth"] } },
  ],
  "apiregistration.k8s.io/v1 APIService": [
    {
      spec: {
        group: `${TOKEN}.example.com`,
        version: "v1",
        groupPriorityMinimum: 100,
        versionPriority: 10,
        insecureSkipTLSVerify: true,
        service: { namespace: "default", name: "x" },
      },
    },
  ],
  "apiextensions.k8s.io/v1 CustomResourceDefinition": [
    {
      spec: {
        group: "example.com",
        scope: "Namespaced",
        names: { plural: `${TOKEN}s`, kind: "Thing" },
        versions: [{ name: "v1", served: true, storage: true, schema: crdSchema }],
      },
    },
  ],
  "networking.k8s.io/v1 IPAddress": [
    { spec: { parentRef: { group: "", resource: "services", namespace: "default", name: "x" } } },
  ],
  "resource.k8s.io/v1 ResourceSlice": [
    {
      spec: {
        driver: "driver.example.com",
        nodeName: "n",
        pool: { name: "p", generation: 1, resourceSliceCount: 1 },
        devices: [{ name: "d", attributes: { model: { string: "m" } } }],
      },
    },
  ],
  "admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy": [
    {
      spec: {
        matchConstraints: { resourceRules: [policyRule] },
        validations: [{ expression: "object.spec.replicas <= 5" }],
      },
    },
  ],
  "admissionregistration.k8s.io/v1 MutatingAdmissionPolicy": [
    {
      spec: {
        matchConstraints: { resourceRules: [policyRule] },
        reinvocationPolicy: "Never",
        failurePolicy: "Ignore",
        mutations: [
          {
            patchType: "ApplyConfiguration",
            applyConfiguration: { expression: "Object{spec: Object.spec{replicas: 1}}" },
          },
        ],
      },
    },
  ],
  "admissionregistration.k8s.io/v1 MutatingAdmissionPolicyBinding": [{ spec: { policyName: "p" } }],
  "admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration": [
    {
      webhooks: [
        {
          name: "a.example.com",
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          clientConfig: { url: "https://127.0.0.1:1/x" },
          rules: [policyRule],
        },
      ],
    },
  ],
  "flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration": [
    {
      spec: {
        type: "Limited",
        limited: { nominalConcurrencyShares: 5, limitResponse: { type: "Queue", queuing: {} } },
      },
    },
  ],
  "flowcontrol.apiserver.k8s.io/v1 FlowSchema": [
    {
      spec: {
        priorityLevelConfiguration: { name: "global-default" },
        matchingPrecedence: 9000,
        rules: [
          {
            subjects: [{ kind: "Group", group: { name: "system:authenticated" } }],
            nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/x"] }],
          },
        ],
      },
    },
  ],
  "autoscaling/v1 HorizontalPodAutoscaler": [
    { spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" } } },
    {
      spec: {
        minReplicas: 2,
        maxReplicas: 3,
        targetCPUUtilizationPercentage: 50,
        scaleTargetRef: { kind: "ReplicationController", name: "d" },
      },
    },
  ],
  "events.k8s.io/v1 Event": [
    {
      eventTime: "2020-01-01T00:00:00.000000Z",
      reportingController: "example.com/c",
      reportingInstance: "c-1",
      action: "Act",
      reason: "Because",
      type: "Normal",
      regarding: { apiVersion: "v1", kind: "Pod", namespace: "{{ns}}", name: "p" },
      note: "said",
    },
  ],
};

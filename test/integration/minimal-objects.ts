import type { ApiObject } from "../../pkg/api/object.ts";
import type { Resource } from "../../pkg/api/resource.ts";
import { resources } from "../../pkg/api/resources.ts";

const metadata = { namespace: "default", name: "minimal" };
const labels = { app: "minimal" };
const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: "main:1" }] } };
const workload = { selector: { matchLabels: labels }, template };
const rule = { apiGroups: [""], resources: ["pods"], verbs: ["get"] };

/** The least that the API server accepts of each kind. */
export const MINIMAL_OBJECTS: readonly (readonly [Resource, ApiObject])[] = (
  [
    [resources.namespaces, {}],
    [resources.nodes, {}],
    // Without this one, there can be no pods.
    [resources.serviceAccounts, { metadata: { namespace: "default", name: "default" } }],
    [resources.pods, { spec: template.spec }],
    [resources.podTemplates, { template }],
    [resources.configMaps, {}],
    [resources.secrets, {}],
    [resources.services, { spec: { ports: [{ port: 80 }] } }],
    [resources.endpoints, {}],
    [resources.endpointSlices, { addressType: "IPv4", endpoints: [] }],
    [resources.limitRanges, { spec: { limits: [] } }],
    [resources.resourceQuotas, { spec: {} }],
    [resources.replicationControllers, { spec: { selector: labels, template } }],
    [resources.deployments, { spec: workload }],
    [resources.replicaSets, { spec: workload }],
    [resources.daemonSets, { spec: workload }],
    [resources.statefulSets, { spec: workload }],
    [resources.controllerRevisions, { revision: 1, data: {} }],
    [resources.jobs, { spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } }],
    [
      resources.cronJobs,
      {
        spec: {
          schedule: "0 0 1 1 *",
          jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } },
        },
      },
    ],
    [resources.podDisruptionBudgets, { spec: { selector: { matchLabels: labels }, minAvailable: 1 } }],
    [
      resources.horizontalPodAutoscalers,
      {
        spec: {
          maxReplicas: 2,
          scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "minimal" },
        },
      },
    ],
    [resources.roles, { rules: [rule] }],
    [resources.clusterRoles, { rules: [rule] }],
    [
      resources.roleBindings,
      { roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "minimal" }, subjects: [] },
    ],
    [
      resources.clusterRoleBindings,
      {
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "minimal" },
        subjects: [],
      },
    ],
    [resources.leases, { spec: {} }],
    [resources.priorityClasses, { value: 1 }],
    [resources.storageClasses, { provisioner: "example.com/none" }],
    [resources.csiDrivers, { spec: {} }],
    [resources.csiNodes, { spec: { drivers: [] } }],
    [
      resources.volumeAttachments,
      {
        spec: {
          attacher: "example.com",
          nodeName: "minimal",
          source: { persistentVolumeName: "minimal" },
        },
      },
    ],
    [
      resources.persistentVolumes,
      { spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/tmp" } } },
    ],
    [
      resources.persistentVolumeClaims,
      { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
    ],
    [resources.ingressClasses, { spec: { controller: "example.com/none" } }],
    [
      resources.ingresses,
      { spec: { defaultBackend: { service: { name: "minimal", port: { number: 80 } } } } },
    ],
    [resources.networkPolicies, { spec: { podSelector: {} } }],
    [resources.runtimeClasses, { handler: "none" }],
    [resources.deviceClasses, { spec: {} }],
    [
      resources.flowSchemas,
      { spec: { priorityLevelConfiguration: { name: "global-default" }, matchingPrecedence: 9_000 } },
    ],
  ] as const
).map(([resource, rest]) => [
  resource,
  { metadata: resource.namespaced ? metadata : { name: metadata.name }, ...rest },
]);

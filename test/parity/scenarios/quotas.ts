import type { ApiObject } from "../../../pkg/api/object.ts";
import type { Pod, ResourceQuota } from "../../../pkg/api/types/core-v1.gen.ts";
import { inArea, type Scenario, type Step } from "../scenario.ts";
import { fresh } from "./accounts.ts";
import { configMap } from "./garbage.ts";
import { create, pod } from "./objects.ts";

type Amounts = Readonly<Record<string, string>>;
type Spec = NonNullable<ResourceQuota["spec"]>;

const used = (name: string, amounts: Amounts): Step => ({
  do: "until",
  target: `resourceQuotas/${name}`,
  holds: Object.fromEntries(
    Object.entries(amounts).map(([what, amount]) => [`status.used[${what}]`, amount]),
  ),
});

/** And waits until it has been counted. */
function quota(name: string, hard: Amounts, spec: Spec = {}): readonly Step[] {
  const object = { apiVersion: "v1", kind: "ResourceQuota", metadata: { name }, spec: { ...spec, hard } };
  return [
    create(object),
    ...Object.keys(hard).map((what): Step => ({
      do: "until present",
      target: `resourceQuotas/${name}`,
      path: `status.used[${what}]`,
    })),
  ];
}

/** Nothing is mounted, so that its volumes have no names that are left to chance. */
function runner(name: string, requests: Amounts = {}, spec: Partial<NonNullable<Pod["spec"]>> = {}): Step {
  const containers = [{ name: "main", image: "app:v1", resources: { requests } }];
  return create(pod(name, { automountServiceAccountToken: false, containers, ...spec }));
}

function service(name: string, spec: object): Step {
  const object = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name },
    spec: { ports: [{ port: 80 }], ...spec },
  };
  return create(object);
}

const one: Amounts = { cpu: "100m", memory: "64Mi" };

/** Quotas, which the API server counts up and the controller down. */
export const quotas: readonly Scenario[] = inArea("accounts", [
  {
    name: "quota-of-pods",
    steps: [
      ...fresh,
      ...quota("all", { pods: "5", "requests.cpu": "1", "requests.memory": "1Gi" }),
      runner("a", one),
      runner("b", one),
      used("all", { pods: "2", "requests.cpu": "200m", "requests.memory": "128Mi" }),
      { do: "delete pods", pods: {} },
      used("all", { pods: "0", "requests.cpu": "0", "requests.memory": "0" }),
    ],
  },
  {
    name: "quota-counts-what-is-there",
    steps: [
      ...fresh,
      runner("a", one),
      runner("b", { cpu: "1500m" }),
      ...quota("all", { pods: "5", cpu: "4", memory: "1Gi" }),
      used("all", { pods: "2", cpu: "1600m", memory: "64Mi" }),
      { do: "delete pods", pods: { count: 1 } },
      used("all", { pods: "1" }),
    ],
  },
  {
    name: "quota-of-pods-that-end",
    steps: [
      ...fresh,
      ...quota("all", { pods: "5", "count/pods": "5" }),
      runner(
        "a",
        {},
        { restartPolicy: "Never", containers: [{ name: "main", image: "app:v1", command: ["true"] }] },
      ),
      used("all", { pods: "0", "count/pods": "1" }),
    ],
  },
  {
    name: "quota-by-scopes",
    steps: [
      ...fresh,
      ...quota("effortless", { pods: "5" }, { scopes: ["BestEffort"] }),
      ...quota(
        "careful",
        { pods: "5", "requests.cpu": "1" },
        { scopes: ["NotBestEffort", "NotTerminating"] },
      ),
      ...quota("short", { pods: "5" }, { scopes: ["Terminating"] }),
      runner("a"),
      runner("b", one),
      runner("c", one, { activeDeadlineSeconds: 3_600 }),
      used("effortless", { pods: "1" }),
      used("careful", { pods: "1", "requests.cpu": "100m" }),
      used("short", { pods: "1" }),
      { do: "delete pods", pods: {} },
      used("effortless", { pods: "0" }),
      used("careful", { pods: "0", "requests.cpu": "0" }),
      used("short", { pods: "0" }),
    ],
  },
  {
    name: "quota-of-objects",
    steps: [
      ...fresh,
      ...quota("all", {
        configmaps: "10",
        "count/configmaps": "10",
        "count/deployments.apps": "2",
        secrets: "3",
      }),
      create(configMap("a")),
      create(configMap("b")),
      used("all", { configmaps: "3" }),
      { do: "delete", target: "configMaps/a" },
      used("all", { configmaps: "2", "count/configmaps": "2" }),
    ],
  },
  {
    name: "quota-of-services",
    steps: [
      ...fresh,
      service("inside", {}),
      service("outside", { type: "LoadBalancer" }),
      service("node", { type: "NodePort" }),
      ...quota("all", { services: "5", "services.nodeports": "5", "services.loadbalancers": "2" }),
      { do: "delete", target: "services/outside" },
      used("all", { services: "2", "services.nodeports": "1", "services.loadbalancers": "0" }),
    ],
  },
  {
    name: "quota-that-is-raised",
    steps: [
      ...fresh,
      ...quota("all", { configmaps: "2" }),
      {
        do: "patch",
        target: "resourceQuotas/all",
        body: { spec: { hard: { configmaps: "5", secrets: "1" } } },
      },
      used("all", { configmaps: "1", secrets: "0" }),
      { do: "patch", target: "resourceQuotas/all", body: { spec: { hard: { secrets: null } } } },
      { do: "until", target: "resourceQuotas/all", holds: { "status.hard.secrets": undefined } },
    ],
  },
  {
    name: "quota-of-what-nobody-knows",
    steps: [
      ...fresh,
      create({
        apiVersion: "v1",
        kind: "ResourceQuota",
        metadata: { name: "all" },
        spec: { hard: { "count/things.example.com": "1", "requests.example.com/gpu": "2" } },
      } as ApiObject),
      { do: "until present", target: "resourceQuotas/all", path: "status.hard" },
    ],
  },
]);

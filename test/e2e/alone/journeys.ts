import { findCondition } from "../../../pkg/api/conditions.ts";
import type { ApiObject } from "../../../pkg/api/object.ts";
import type { TypedResource } from "../../../pkg/api/resource.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Deployment, StatefulSet } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { HorizontalPodAutoscaler } from "../../../pkg/api/types/autoscaling-v2.gen.ts";
import type { CronJob, Job } from "../../../pkg/api/types/batch-v1.gen.ts";
import type {
  ConfigMap,
  Node,
  PersistentVolumeClaim,
  Pod,
  PodSpec,
  Service,
  ServiceAccount,
} from "../../../pkg/api/types/core-v1.gen.ts";
import type { EndpointSlice } from "../../../pkg/api/types/discovery-v1.gen.ts";
import type { ClientSet } from "../../../pkg/client/client-set.ts";
import { isNotFound } from "../../../pkg/client/errors.ts";
import { NODE_FAILURE_ANNOTATION } from "../../../pkg/cluster/hollow/node-failure.ts";
import { until } from "../../harness/until.ts";
import { type LonelyCluster, NODES } from "./lonely-cluster.ts";
import type { PodMetrics } from "./pod-metrics.ts";

const { configMaps, deployments, jobs, nodes, persistentVolumeClaims, pods, services, statefulSets } =
  resources;
const SYSTEM = "kube-system";
/** What a lost node does to pods is waited for, and not the five minutes that they have by default. */
const IMPATIENT: NonNullable<PodSpec["tolerations"]> = [
  { key: "node.kubernetes.io/unreachable", operator: "Exists", effect: "NoExecute", tolerationSeconds: 1 },
];
const main = { name: "main", image: "main:1", resources: { requests: { cpu: "100m" } } };

async function findIn<T extends ApiObject>(
  client: ClientSet,
  resource: TypedResource<T>,
  ref: { readonly namespace?: string; readonly name: string },
): Promise<T | undefined> {
  try {
    return await client.clientFor(resource).get(ref);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** What takes longest: what waits for the next minute, and what needs volumes. */
export async function beginLife({ client }: LonelyCluster, namespace: string): Promise<void> {
  await client.clientFor(resources.namespaces).create({ metadata: { name: namespace } });
  await until("pods can be made", async () => {
    return (await findIn(client, resources.serviceAccounts, { namespace, name: "default" })) !== undefined;
  });
  await createCronJob(client, namespace);
  await createStatefulSet(client, namespace);
}

/** Ready, with a range of addresses, and without taints. */
export async function untilNodesAreReady(client: ClientSet): Promise<readonly Node[]> {
  let seen: readonly Node[] = [];
  await until("all nodes are ready and pods may come", async () => {
    seen = (await client.clientFor<Node>(nodes).list()).items;
    return seen.length === NODES.length && seen.every(isReady);
  });
  return seen;
}

function isReady({ spec, status }: Node): boolean {
  const ready = findCondition(status?.conditions, "Ready")?.status === "True";
  return ready && spec?.podCIDR !== undefined && (spec.taints ?? []).length === 0;
}

/** As kubeadm publishes what a joining node is told, for the bootstrap signer to sign. */
export async function clusterInfoIsSigned(client: ClientSet): Promise<void> {
  const ref = { namespace: "kube-public", name: "cluster-info" };
  await client.clientFor<ConfigMap>(configMaps).create({ metadata: ref, data: { kubeconfig: "{}" } });
  await until("cluster-info is signed", async () => {
    return (
      (await client.clientFor<ConfigMap>(configMaps).get(ref)).data?.["jws-kubeconfig-abcdef"] !== undefined
    );
  });
}

/** As kubeadm has CoreDNS: a Deployment with an account, and a Service with an address of its own. */
export async function dnsIsUp(client: ClientSet): Promise<readonly string[]> {
  const labels = { "k8s-app": "kube-dns" };
  const metadata = { name: "coredns", namespace: SYSTEM };
  await client.clientFor<ServiceAccount>(resources.serviceAccounts).create({ metadata });
  await client.clientFor<Deployment>(deployments).create({
    metadata,
    spec: {
      replicas: 2,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1 } },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: "coredns",
          priorityClassName: "system-cluster-critical",
          tolerations: [{ key: "CriticalAddonsOnly", operator: "Exists" }, ...IMPATIENT],
          containers: [main],
        },
      },
    },
  });
  await client.clientFor<Service>(services).create({
    metadata: { name: "kube-dns", namespace: SYSTEM },
    spec: { clusterIP: "10.96.0.10", selector: labels, ports: [{ name: "dns", port: 53, protocol: "UDP" }] },
  });
  return untilServed(client, "kube-dns", 2);
}

/** Returns the addresses. */
export async function untilServed(
  client: ClientSet,
  service: string,
  count: number,
): Promise<readonly string[]> {
  let addresses: readonly string[] = [];
  await until(`${service} has ${count} ready addresses`, async () => {
    const labelSelector = `kubernetes.io/service-name=${service}`;
    const slices = client.clientFor<EndpointSlice>(resources.endpointSlices);
    const { items } = await slices.list({ namespace: SYSTEM, labelSelector });
    addresses = items.flatMap(({ endpoints }) =>
      (endpoints ?? []).flatMap((each) => (each.conditions?.ready === true ? each.addresses : [])),
    );
    return addresses.length === count;
  });
  return addresses;
}

async function createStatefulSet(client: ClientSet, namespace: string): Promise<void> {
  const labels = { app: "data" };
  const metadata = { name: "data", namespace };
  await client.clientFor<Service>(services).create({
    metadata,
    spec: { clusterIP: "None", selector: labels, ports: [{ port: 80 }] },
  });
  await client.clientFor<StatefulSet>(statefulSets).create({
    metadata,
    spec: {
      replicas: 3,
      serviceName: "data",
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          // With none, the API server would not wait for the node to say that it is over.
          terminationGracePeriodSeconds: 1,
          tolerations: IMPATIENT,
          containers: [{ ...main, volumeMounts: [{ name: "disk", mountPath: "/data" }] }],
          topologySpreadConstraints: [
            {
              maxSkew: 1,
              topologyKey: "kubernetes.io/hostname",
              whenUnsatisfiable: "ScheduleAnyway",
              labelSelector: { matchLabels: labels },
            },
          ],
        },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: "disk" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        },
      ],
    },
  });
}

export async function untilDataIsReady(client: ClientSet, namespace: string): Promise<readonly Pod[]> {
  const ref = { namespace, name: "data" };
  await until("the StatefulSet is ready", async () => {
    const { status } = await client.clientFor<StatefulSet>(statefulSets).get(ref);
    return status?.readyReplicas === 3;
  });
  const claims = (await client.clientFor<PersistentVolumeClaim>(persistentVolumeClaims).list({ namespace }))
    .items;
  const unbound = claims.filter(({ status }) => status?.phase !== "Bound");
  if (claims.length !== 3 || unbound.length > 0) throw new Error(`not bound: ${JSON.stringify(unbound)}`);
  return (await client.clientFor<Pod>(pods).list({ namespace, labelSelector: "app=data" })).items;
}

/** Grows under a load, and shrinks when that goes. */
export async function loadIsFollowed(
  client: ClientSet,
  namespace: string,
  metrics: PodMetrics,
): Promise<void> {
  const labels = { app: "web" };
  const metadata = { name: "web", namespace };
  await client.clientFor<Deployment>(deployments).create({
    metadata,
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { terminationGracePeriodSeconds: 0, containers: [main] },
      },
    },
  });
  await client.clientFor<HorizontalPodAutoscaler>(resources.horizontalPodAutoscalers).create({
    metadata,
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      minReplicas: 1,
      maxReplicas: 4,
      metrics: [
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
        },
      ],
      behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
    },
  });
  const web = client.clientFor<Deployment>(deployments);
  for (const [milliCpu, replicas] of [
    [180, 4],
    [60, 2],
  ] as const) {
    metrics.milliCpu.set(namespace, milliCpu);
    await until(`there are ${replicas} pods for ${milliCpu}m`, async () => {
      const { spec, status } = await web.get(metadata);
      return spec?.replicas === replicas && status?.readyReplicas === replicas;
    });
  }
}

const jobSpec = (command: readonly string[]): NonNullable<Job["spec"]> => ({
  template: { spec: { restartPolicy: "Never", containers: [{ ...main, command }] } },
});

/** One of each end. */
export async function jobsEnd(client: ClientSet, namespace: string): Promise<void> {
  const create = async (name: string, spec: NonNullable<Job["spec"]>): Promise<unknown> =>
    client.clientFor<Job>(jobs).create({ metadata: { name, namespace }, spec });
  await create("done", { ...jobSpec(["true"]), completions: 3, parallelism: 2 });
  await create("failed", { ...jobSpec(["false"]), backoffLimit: 0 });
  await create("forgotten", { ...jobSpec(["true"]), ttlSecondsAfterFinished: 1 });
  for (const [name, type] of [
    ["done", "Complete"],
    ["failed", "Failed"],
  ] as const)
    await until(`the Job ${name} is ${type}`, async () => {
      const { status } = await client.clientFor<Job>(jobs).get({ namespace, name });
      return findCondition(status?.conditions, type)?.status === "True";
    });
  await until("a Job is deleted some time after it has ended", async () => {
    return (await findIn(client, jobs, { namespace, name: "forgotten" })) === undefined;
  });
}

async function createCronJob(client: ClientSet, namespace: string): Promise<void> {
  await client.clientFor<CronJob>(resources.cronJobs).create({
    metadata: { name: "minutely", namespace },
    spec: { schedule: "* * * * *", jobTemplate: { spec: jobSpec(["true"]) } },
  });
}

/** The next full minute, at the latest. */
export async function minuteHasComeAndGone(client: ClientSet, namespace: string): Promise<void> {
  await until("a Job of the CronJob has succeeded", async () => {
    const { status } = await client
      .clientFor<CronJob>(resources.cronJobs)
      .get({ namespace, name: "minutely" });
    return status?.lastSuccessfulTime !== undefined;
  });
}

/** The node of the pod is lost, and another machine comes under its name. */
export async function nodeIsReplaced(client: ClientSet, namespace: string, lost: Pod): Promise<void> {
  const pod = { namespace, name: lost.metadata.name ?? "" };
  const node = { name: lost.spec?.nodeName ?? "" };
  const nodeClient = client.clientFor<Node>(nodes);
  const { uid } = (await nodeClient.get(node)).metadata;
  const body = { metadata: { annotations: { [NODE_FAILURE_ANNOTATION]: "silent" } } };
  await nodeClient.patch(node, { type: "merge", body });
  await until("its pods are told to go", async () => {
    return (await client.clientFor<Pod>(pods).get(pod)).metadata.deletionTimestamp !== undefined;
  });
  // A Deployment does not wait for a node that is lost.
  await untilServed(client, "kube-dns", 2);
  await nodeClient.delete(node);
  await until("another is there under its name", async () => {
    const found = await findIn(client, nodes, node);
    return found !== undefined && found.metadata.uid !== uid;
  });
  await until("the pod is there again", async () => {
    const found = await findIn(client, pods, pod);
    return found !== undefined && found.metadata.uid !== lost.metadata.uid;
  });
}

export async function namespaceGoes(client: ClientSet, namespace: string): Promise<void> {
  await client.clientFor(resources.namespaces).delete({ name: namespace });
  await until("the namespace is gone", async () => {
    return (await findIn(client, resources.namespaces, { name: namespace })) === undefined;
  });
  await until("its volumes are gone", async () => {
    return (await client.clientFor(resources.persistentVolumes).list()).items.length === 0;
  });
}

import { afterEach, beforeEach, expect, test } from "vitest";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { volumeBinder } from "../../test/harness/volume-binder.ts";
import { resources } from "../api/resources.ts";
import { podCondition } from "../api/pod.ts";
import type { ConfigMap, Event, PersistentVolumeClaim, Pod, Service } from "../api/types/core-v1.gen.ts";
import { isForbidden, isNotFound } from "../client/errors.ts";
import { seededRandom } from "../clock/random.ts";
import type { ControllerDescriptor } from "../controller/env.ts";
import { type ClusterOptions, EmbeddedCluster } from "./cluster.ts";
import { Store } from "../apiserver/storage/store.ts";

let clock: VirtualClock;
let store: Store;
let running: EmbeddedCluster[];

async function finished<T>(work: Promise<T>): Promise<T> {
  let isDone = false;
  const watched = work.finally(() => (isDone = true));
  watched.catch(() => undefined);
  await clock.runUntil(() => isDone, 60_000);
  return watched;
}

async function start(options: Partial<ClusterOptions> = {}): Promise<EmbeddedCluster> {
  const cluster = await finished(
    EmbeddedCluster.start({ clock, random: seededRandom(1), store, ...options }),
  );
  running.push(cluster);
  return cluster;
}

const pod: Pod = {
  metadata: { name: "p", namespace: "default" },
  spec: { containers: [{ name: "c", image: "x" }] },
};

const claim: PersistentVolumeClaim = {
  metadata: { name: "data", namespace: "default" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
};

beforeEach(() => {
  clock = new VirtualClock();
  store = new Store({ clock });
  running = [];
});

afterEach(async () => {
  for (const cluster of running) await finished(cluster.stop());
});

test("a pod gets a node and runs", async () => {
  const cluster = await start({ nodes: 2 });
  const pods = cluster.client("admin").clientFor<Pod>(resources.pods);
  await finished(pods.create(pod));
  await clock.advanceBy(2_000);
  const { spec, status } = await finished(pods.get({ namespace: "default", name: "p" }));
  expect([spec?.nodeName, status?.phase]).toEqual([expect.stringMatching(/^node-[01]$/), "Running"]);
  expect([...cluster.health().keys()]).toEqual([
    "scheduler",
    "hollow-nodes",
    "hollow-provisioner",
    "hollow-resizer",
    "hollow-metrics",
    "service-addresses",
  ]);
});

test("a service gets an address of the cluster's range, which says whose it is", async () => {
  const cluster = await start({ nodes: 1 });
  const admin = cluster.client("admin");
  const services = admin.clientFor<Service>(resources.services);
  const web = { metadata: { name: "web", namespace: "default" }, spec: { ports: [{ port: 80 }] } };
  const { spec } = await finished(services.create(web));
  await clock.advanceBy(1_000);
  const name = spec?.clusterIP ?? "";
  const address = await finished(admin.clientFor(resources.ipAddresses).get({ name }));
  expect(address.spec?.parentRef).toMatchObject({ resource: "services", namespace: "default", name: "web" });
  const range = await finished(admin.clientFor(resources.serviceCIDRs).get({ name: "kubernetes" }));
  expect([range.spec?.cidrs, range.status?.conditions?.[0]?.status]).toEqual([["10.96.0.0/16"], "True"]);
});

test.each([
  ["are ready for pods and have addresses for them", [], true, []],
  ["leave their taint to the node-lifecycle-controller", ["node-lifecycle-controller"], true, ["NoSchedule"]],
  ["leave their addresses to the node-ipam-controller", ["node-ipam-controller"], false, []],
])("new nodes %s", async (_, names, hasCidr, effects) => {
  const idle = (name: string): ControllerDescriptor => ({
    name,
    clientName: name,
    build: () => ({
      run: async (signal) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => resolve(), { once: true });
        }),
    }),
  });
  const cluster = await start({ nodes: 1, controllers: names.map(idle) });
  await clock.advanceBy(15_000);
  const { spec } = await finished(cluster.client("admin").clientFor(resources.nodes).get({ name: "node-0" }));
  expect(spec?.podCIDR !== undefined).toBe(hasCidr);
  expect((spec?.taints ?? []).map(({ effect }) => effect)).toEqual(effects);
});

test("a pod gets no node before its claim is there", async () => {
  const cluster = await start({ nodes: 1, controllers: [volumeBinder()] });
  const { clientFor } = cluster.client("admin");
  const [pods, claims] = [
    clientFor<Pod>(resources.pods),
    clientFor<PersistentVolumeClaim>(resources.persistentVolumeClaims),
  ];
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "data" } }];
  await finished(pods.create({ ...pod, spec: { containers: [], ...pod.spec, volumes } }));
  await clock.advanceBy(1_000);
  const waiting = await finished(pods.get({ namespace: "default", name: "p" }));
  expect([waiting.spec?.nodeName, podCondition(waiting, "PodScheduled")?.message]).toEqual([
    undefined,
    '0/1 nodes are available: persistentvolumeclaim "data" not found. not found',
  ]);
  await finished(claims.create(claim));
  await clock.advanceBy(2_000);
  expect((await finished(pods.get({ namespace: "default", name: "p" }))).spec?.nodeName).toBe("node-0");
  const bound = await finished(claims.get({ namespace: "default", name: "data" }));
  expect(bound).toMatchObject({
    spec: { storageClassName: "standard", volumeName: `pvc-${bound.metadata.uid}` },
    status: { phase: "Bound", capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"] },
  });
});

test("a pod goes to no node that has as many volumes as it can have", async () => {
  const cluster = await start({ nodes: 1, controllers: [volumeBinder()] });
  const { clientFor } = cluster.client("admin");
  const drivers = [{ name: "hollow.kcm.dev", nodeID: "node-0", allocatable: { count: 1 } }];
  await finished(clientFor(resources.csiNodes).create({ metadata: { name: "node-0" }, spec: { drivers } }));
  const pods = clientFor<Pod>(resources.pods);
  for (const name of ["one", "two"]) {
    await finished(
      clientFor(resources.persistentVolumeClaims).create({ ...claim, metadata: { ...claim.metadata, name } }),
    );
    const volumes = [{ name: "data", persistentVolumeClaim: { claimName: name } }];
    await finished(
      pods.create({ metadata: { ...pod.metadata, name }, spec: { containers: [], ...pod.spec, volumes } }),
    );
    await clock.advanceBy(3_000);
  }
  const [one, two] = [
    await finished(pods.get({ namespace: "default", name: "one" })),
    await finished(pods.get({ namespace: "default", name: "two" })),
  ];
  expect([one.spec?.nodeName, two.spec?.nodeName]).toEqual(["node-0", undefined]);
  expect(podCondition(two, "PodScheduled")?.message).toContain("1 node(s) exceed max volume count");
});

test("events tell why a pod does not start, and on which node", async () => {
  const cluster = await start({ nodes: 1 });
  const { clientFor } = cluster.client("admin");
  const containers = [{ name: "c", image: "does-not-exist" }];
  await finished(clientFor<Pod>(resources.pods).create({ ...pod, spec: { containers } }));
  await clock.advanceBy(32_000);
  const { items } = await finished(clientFor<Event>(resources.events).list({ namespace: "default" }));
  const told = items
    .filter(({ source }) => source?.component === "kubelet")
    .map(({ reason, message = "", count, source, involvedObject }) => {
      expect([source?.host, involvedObject.fieldPath]).toEqual(["node-0", "spec.containers{c}"]);
      return `${reason} ${message.slice(0, 20)} x${count}`;
    });
  expect(told.toSorted()).toEqual([
    "BackOff Back-off pulling ima x2",
    "Failed Error: ErrImagePull x3",
    "Failed Error: ImagePullBack x2",
    "Failed Failed to pull image x3",
    'Pulling Pulling image "does- x3',
  ]);
});

test("what pods and nodes use is listed, by labels too", async () => {
  const cluster = await start({ nodes: 1 });
  const { clientFor, dynamic } = cluster.client("admin");
  const pods = clientFor<Pod>(resources.pods);
  const containers = [
    { name: "a", image: "x", resources: { requests: { cpu: "250m", memory: "64Mi" } } },
    { name: "b", image: "x" },
  ];
  const busy = {
    labels: { app: "busy" },
    annotations: { "kcm.dev/cpu.b": "1500m", "kcm.dev/memory.b": "?" },
  };
  await finished(pods.create({ metadata: { ...pod.metadata, ...busy }, spec: { containers } }));
  await finished(pods.create({ ...pod, metadata: { namespace: "default", name: "idle" } }));
  const later = { namespace: "default", name: "later" };
  await finished(
    pods.create({
      metadata: later,
      spec: { ...pod.spec, containers: containers.slice(0, 1), schedulerName: "none" },
    }),
  );
  await clock.advanceBy(2_000);
  const group = { group: "metrics.k8s.io", version: "v1beta1" };
  const podMetrics = dynamic({ ...group, plural: "pods", kind: "PodMetrics", namespaced: true });
  const names = async (labelSelector: string): Promise<unknown> =>
    (await finished(podMetrics.list({ namespace: "default", labelSelector }))).items.map(
      (item) => item.metadata.name,
    );
  expect(await names("")).toEqual(["idle", "p"]);
  expect(await names("app=busy")).toEqual(["p"]);
  expect(await finished(podMetrics.get({ namespace: "default", name: "p" }))).toMatchObject({
    kind: "PodMetrics",
    window: "15s",
    containers: [
      { name: "a", usage: { cpu: "250000000n", memory: "65536Ki" } },
      { name: "b", usage: { cpu: "1500000000n", memory: "16384Ki" } },
    ],
  });
  await expect(finished(podMetrics.get(later))).rejects.toSatisfy(isNotFound);
  const nodeMetrics = dynamic({ ...group, plural: "nodes", kind: "NodeMetrics", namespaced: false });
  // 20m of its own, 250m, 1500m and 1m.
  expect(await finished(nodeMetrics.get({ name: "node-0" }))).toMatchObject({
    usage: { cpu: "1771000000n" },
  });
  const services = await finished(clientFor(resources.apiServices).list());
  expect(services.items.map(({ metadata }) => metadata.name)).toEqual(["v1beta1.metrics.k8s.io"]);
});

test("without nodes there is no scheduler either", async () => {
  const cluster = await start();
  const pods = cluster.client("admin").clientFor<Pod>(resources.pods);
  await finished(pods.create(pod));
  await clock.advanceBy(60_000);
  const { spec, status } = await finished(pods.get({ namespace: "default", name: "p" }));
  expect([spec?.nodeName, status?.phase]).toEqual([undefined, "Pending"]);
});

test("whoever cleans up tokens in another program is told since when uses are noted", async () => {
  const cluster = await start({ listen: { port: 0 } });
  const { configMaps } = resources;
  const tracking = { namespace: "kube-system", name: "kube-apiserver-legacy-service-account-token-tracking" };
  const { data } = await finished(cluster.client("admin").clientFor<ConfigMap>(configMaps).get(tracking));
  expect(data).toEqual({ since: new Date(clock.nowMs()).toISOString().slice(0, 10) });
});

test("controllers may do what their roles allow, and no more", async () => {
  const client = (await start()).client("deployment-controller");
  await finished(client.clientFor(resources.replicaSets).list());
  const secrets = finished(client.clientFor(resources.secrets).list());
  await expect(secrets).rejects.toSatisfy(isForbidden);
});

test("insecure: everybody may do everything", async () => {
  const client = (await start({ insecure: true })).client("deployment-controller");
  expect((await finished(client.clientFor(resources.secrets).list())).items).toEqual([]);
});

test("starts again over what is stored, and leads the Service to its new port", async () => {
  const first = await start();
  const namespaces = first.client("admin").clientFor(resources.namespaces);
  await finished(
    namespaces.patch({ name: "default" }, { type: "merge", body: { metadata: { labels: { a: "b" } } } }),
  );
  await finished(first.stop());
  running = [];
  const second = (await start({ listen: { port: 0 } })).client("admin");
  const { metadata } = await finished(second.clientFor(resources.namespaces).get({ name: "default" }));
  expect(metadata.labels?.["a"]).toBe("b");
  const ref = { namespace: "default", name: "kubernetes" };
  const service = await finished(second.clientFor(resources.services).get(ref));
  expect(service.spec?.ports?.[0]?.targetPort).toBe(running[0]?.http?.port);
});

test("a controller that fails is told of, and ends the others", async () => {
  const broken: ControllerDescriptor = {
    name: "broken",
    clientName: "broken",
    build: () => ({ run: async () => Promise.reject(new Error("no")) }),
  };
  const cluster = await start({ controllers: [broken], nodes: 1 });
  await expect(finished(cluster.ended)).rejects.toThrow("broken failed: no");
});

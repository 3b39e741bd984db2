import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { endpointsController } from "../../../controllers/endpoints/controller.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Endpoints, Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import type { TestSpace } from "../../harness/test-space.ts";
import { createPod, readyAddresses, service, setStatus, untilEndpoints } from "./service-backends.ts";

const OVER_CAPACITY = "endpoints.kubernetes.io/over-capacity";

/** The embedded API server gives addresses to Services only when it is told which. */
const CIDR = "--service-cluster-ip-range=10.0.0.0/16";

// Names of upstream's functions (test/integration/endpoints/endpoints_test.go) stand in front of each case.
describe.each(clusterKinds)("the endpoints controller on the $name API server", ({ start }) => {
  let cluster: ControllerCluster;
  let space: TestSpace;
  beforeAll(async () => {
    cluster = await start([CIDR]);
    cluster.run([endpointsController({ workers: 5, updatesBatchPeriodMs: 0 })]);
  });
  beforeEach(async () => {
    space = await cluster.space();
  });
  afterAll(async () => cluster.stop());

  test("EndpointUpdates: nothing is written when nothing changes", async () => {
    await createPod(space, "pod", ["1.1.1.1", "2001:db8::"]);
    await space.create(resources.services, service("foo1"));
    // The cache of pods may be the later one.
    const hasPod = (endpoints: Endpoints): boolean => readyAddresses(endpoints).length === 1;
    await untilEndpoints(space, "foo1", "have the pod", hasPod);
    await space.untilSteady(async () => space.get(resources.endpoints, "foo1"));
    const before = await space.get<Endpoints>(resources.endpoints, "foo1");
    await space.patch(resources.services, "foo1", { metadata: { annotations: { foo: "bar" } } });
    await space.create(resources.services, service("foo2"));
    await untilEndpoints(space, "foo2", "are there", () => true);
    await space.untilSteady(async () => space.get(resources.endpoints, "foo1"));
    const after = await space.get<Endpoints>(resources.endpoints, "foo1");
    expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  test("EndpointWithMultiplePodUpdates: what a pod came to in the end is what all Services say", async () => {
    const names = Array.from({ length: 10 }, (_, number) => `foo${number}`);
    const pod = await createPod(space, "pod", ["1.1.1.1"]);
    for (const name of names) await space.create(resources.services, service(name));
    for (const name of names) await untilEndpoints(space, name, "are there", () => true);
    const unready = await setStatus(space, pod, ["1.1.1.1"], "False");
    await setStatus(space, unready, ["1.1.1.1"], "True");
    const targetRef = { kind: "Pod", namespace: space.namespace, name: "pod", uid: pod.metadata.uid };
    const expected = [{ ip: "1.1.1.1", nodeName: "fake-node", targetRef }];
    for (const name of names) {
      const { subsets } = await untilEndpoints(
        space,
        name,
        "have the pod",
        (endpoints) => readyAddresses(endpoints).length === 1,
      );
      expect(subsets?.[0]?.addresses).toEqual(expected);
    }
  });

  test("ExternalNameToClusterIPTransition: a name has no endpoints, until it becomes a Service with pods", async () => {
    await createPod(space, "pod", ["1.1.1.1"]);
    await space.create(
      resources.services,
      service("foo1", { type: "ExternalName", externalName: "example.com" }),
    );
    await space.create(resources.services, service("marker"));
    await untilEndpoints(space, "marker", "are there", () => true);
    expect(await space.find(resources.endpoints, "foo1")).toBeUndefined();
    await space.patch(resources.services, "foo1", { spec: { type: "ClusterIP", externalName: null } });
    const { metadata } = await untilEndpoints(space, "foo1", "are there", () => true);
    expect(metadata.labels).toEqual({ "endpoints.kubernetes.io/managed-by": "endpoint-controller" });
  });

  test("EndpointWithTerminatingPod: a pod that is being deleted is out", async () => {
    await createPod(space, "pod", ["10.0.0.1"]);
    await space.create(resources.services, service("web"));
    await untilEndpoints(space, "web", "have the pod", (endpoints) => readyAddresses(endpoints).length === 1);
    await space.delete(resources.pods, "pod", 300);
    await untilEndpoints(space, "web", "are empty", ({ subsets = [] }) => subsets.length === 0);
    expect((await space.get<Pod>(resources.pods, "pod")).metadata.deletionTimestamp).toBeDefined();
  });

  test("EndpointTruncate: no more than 1,000 addresses, and it is said that there are more", async () => {
    const ipOf = (number: number): string => `10.0.${Math.floor(number / 250)}.${1 + (number % 250)}`;
    const names = Array.from({ length: 1_001 }, (_, number) => `pod-${number}`);
    const pods = new Map<string, Pod>();
    for (let at = 0; at < names.length; at += 50) {
      const made = await Promise.all(
        names.slice(at, at + 50).map(async (name, index) => createPod(space, name, [ipOf(at + index)])),
      );
      for (const pod of made) pods.set(pod.metadata.name ?? "", pod);
    }
    await space.create(resources.services, service("web"));
    const full = await untilEndpoints(
      space,
      "web",
      "are full",
      (seen) => readyAddresses(seen).length === 1_000,
    );
    expect(full.metadata.annotations?.[OVER_CAPACITY]).toBe("truncated");
    const within = new Set(readyAddresses(full).map(({ targetRef }) => targetRef?.name));
    let left = pods.get(names.find((name) => !within.has(name)) ?? "");
    if (left === undefined) throw new Error("no pod was left out");
    const [address = ""] = (left.status?.podIPs ?? []).map(({ ip }) => ip);
    for (let round = 0; round < 10; round++) {
      left = await setStatus(space, left, [address], "False");
      left = await setStatus(space, left, [address], "True");
    }
    for (let at = 500; at < names.length; at += 50) {
      await Promise.all(names.slice(at, at + 50).map(async (name) => space.delete(resources.pods, name, 0)));
    }
    const { metadata } = await untilEndpoints(
      space,
      "web",
      "have the pods that are left",
      (seen) => readyAddresses(seen).length === 500,
    );
    expect(metadata.annotations?.[OVER_CAPACITY]).toBeUndefined();
  }, 120_000);

  test("Endpoints go with their Service, also when that went while nobody looked", async () => {
    await space.create(resources.services, service("gone"));
    await untilEndpoints(space, "gone", "are there", () => true);
    await space.delete(resources.services, "gone");
    const find = (name: string) => async (): Promise<Endpoints | undefined> =>
      space.find<Endpoints>(resources.endpoints, name);
    await space.until("they are gone", find("gone"), (seen) => seen === undefined);
    await cluster.stopControllers();
    const lock = { "control-plane.alpha.kubernetes.io/leader": "{}" };
    await space.create(resources.endpoints, { metadata: { name: "left-over" } });
    await space.create(resources.endpoints, { metadata: { name: "lock", annotations: lock } });
    cluster.run([endpointsController({ workers: 5, updatesBatchPeriodMs: 0 })]);
    await space.until("the one left over is gone", find("left-over"), (seen) => seen === undefined);
    expect(await find("lock")()).toBeDefined();
  });
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { disruptionController } from "../../../controllers/disruption/controller.ts";
import type { ApiObject, OwnerReference } from "../../../pkg/api/object.ts";
import { podCondition } from "../../../pkg/api/pod.ts";
import { resources } from "../../../pkg/api/resources.ts";
import { formatTime } from "../../../pkg/api/time.ts";
import type { Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from "../../../pkg/api/types/policy-v1.gen.ts";
import type { Patch } from "../../../pkg/client/resource-client.ts";
import { isMethodNotSupported, isTooManyRequests } from "../../../pkg/client/errors.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import type { TestSpace } from "../../harness/test-space.ts";
import { createDefinition } from "./custom-resources.ts";

const BUDGET = "test-pdb";
const LABELS = { app: "test" };
/** What is announced and not done is taken back two minutes later; here, two minutes have nearly passed. */
const NEARLY_STALE_MS = 118_000;

// Names of upstream's functions (test/integration/disruption and test/integration/evictions) stand in front of each case.
describe.each(clusterKinds)("disruption budgets on the $name API server", ({ start }) => {
  let cluster: ControllerCluster;
  let space: TestSpace;
  beforeAll(async () => {
    cluster = await start();
  });
  beforeEach(async () => {
    space = await cluster.space();
    cluster.run([disruptionController()]);
  });
  afterEach(async () => cluster.stopControllers());
  afterAll(async () => cluster.stop());

  async function createBudget(spec: PodDisruptionBudgetSpec): Promise<PodDisruptionBudget> {
    return space.create(resources.podDisruptionBudgets, {
      metadata: { name: BUDGET },
      spec: { selector: { matchLabels: LABELS }, ...spec },
    });
  }

  async function createPod(
    name: string,
    change: Partial<Pod["metadata"]> = {},
    phase = "Running",
  ): Promise<Pod> {
    await space.create(resources.pods, {
      metadata: { name, labels: LABELS, ...change },
      spec: { containers: [{ name: "main", image: "image" }] },
    });
    return setStatus(name, { phase, conditions: [{ type: "Ready", status: "True" }] });
  }

  async function setStatus(name: string, status: NonNullable<Pod["status"]>): Promise<Pod> {
    const ref = { namespace: space.namespace, name };
    const pods = space.client.clientFor<Pod>(resources.pods);
    return pods.patch(ref, { type: "strategic", body: { status } }, { subresource: "status" });
  }

  async function evict(name: string, deleteOptions: object = {}, more = {}): Promise<unknown> {
    const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name }, deleteOptions, ...more };
    return space.client
      .clientFor(resources.pods)
      .createSubresource<unknown>({ namespace: space.namespace, name }, "eviction", body);
  }

  async function untilHealthy(count: number): Promise<PodDisruptionBudget> {
    return space.until(
      `${count} pods are healthy`,
      async () => space.get(resources.podDisruptionBudgets, BUDGET),
      ({ status }) => (status?.observedGeneration ?? 0) > 0 && status?.currentHealthy === count,
    );
  }

  test("PDBWithScaleSubresource: an owner of any kind that can be scaled says how many pods there should be", async () => {
    const kind = await createDefinition(cluster.client, "Namespaced", undefined, {
      scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
    });
    const fleet = await cluster.client.dynamic(kind).create({
      metadata: { name: "fleet", namespace: space.namespace },
      spec: { replicas: 4 },
    } as ApiObject);
    const owner: OwnerReference = {
      apiVersion: `${kind.group}/${kind.version}`,
      kind: kind.kind,
      name: "fleet",
      uid: fleet.metadata.uid ?? "",
      controller: true,
    };
    for (const name of ["a", "b", "c", "d"]) await createPod(name, { ownerReferences: [owner] });
    await createBudget({ maxUnavailable: 2 });
    const { status } = await untilHealthy(4);
    expect(status).toMatchObject({ expectedPods: 4, desiredHealthy: 2, disruptionsAllowed: 2 });
  });

  test("EmptySelector: an empty selector covers all pods", async () => {
    for (const name of ["a", "b", "c", "d"]) await createPod(name);
    await createBudget({ minAvailable: 2, selector: {} });
    await untilHealthy(4);
  });

  test.each([
    ["an empty selector", {}],
    [
      "one for a label that is not there",
      { matchExpressions: [{ key: "DoesNotExist", operator: "DoesNotExist" }] },
    ],
  ])("SelectorsForPodsWithoutLabels: pods without labels are covered by %s", async (_, selector) => {
    await createBudget({ minAvailable: 1, selector });
    await untilHealthy(0);
    await createPod("pod", { labels: {} });
    await untilHealthy(1);
  });

  const patched = {
    matchLabels: { patchmatch: "true" },
    matchExpressions: [{ key: "patchexpression", operator: "In", values: ["true"] }],
  };
  test.each<[Patch["type"] | "apply", Readonly<Record<string, string>>]>([
    ["strategic", patched.matchLabels],
    ["merge", { basematch: "true", ...patched.matchLabels }],
    ["apply", patched.matchLabels],
  ])("PatchCompatibility: what becomes of a selector by a patch (%s)", async (type, matchLabels) => {
    const matchExpressions = [{ key: "baseexpression", operator: "In", values: ["true"] }];
    await createBudget({
      maxUnavailable: 2,
      selector: { matchLabels: { basematch: "true" }, matchExpressions },
    });
    const budgets = space.client.clientFor<PodDisruptionBudget>(resources.podDisruptionBudgets);
    const ref = { namespace: space.namespace, name: BUDGET };
    const spec = { selector: patched };
    const result =
      type === "apply"
        ? await budgets.apply(
            { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata: ref, spec },
            { fieldManager: "test", force: true },
          )
        : await budgets.patch(
            ref,
            type === "merge" ? { type, body: { spec } } : { type: "strategic", body: { spec } },
          );
    expect(result.spec?.selector).toEqual({ ...patched, matchLabels });
  });

  test.for<[string, string, string | undefined, boolean, string]>([
    ["is taken back", "Running", undefined, false, "False"],
    ["of a pod that is being deleted stays", "Running", undefined, true, "True"],
    ["by a kubelet stays", "Failed", "TerminationByKubelet", false, "True"],
    ["of a pod that has failed stays", "Failed", undefined, false, "True"],
  ])(
    "StalePodDisruption: a disruption that was announced and did not come %s",
    async ([, phase, reason, deleted, expected]) => {
      await space.create(resources.pods, {
        metadata: { name: "pod" },
        // On a node, so that it does not go at once when it is deleted.
        spec: { nodeName: "foo", containers: [{ name: "main", image: "image" }] },
      });
      const lastTransitionTime = formatTime(realClock.nowMs() - NEARLY_STALE_MS);
      const condition = { type: "DisruptionTarget", status: "True", lastTransitionTime };
      await setStatus("pod", {
        phase,
        conditions: [{ ...condition, ...(reason !== undefined && { reason }) }],
      });
      if (deleted) await space.delete(resources.pods, "pod");
      const said = async (): Promise<string | undefined> =>
        podCondition(await space.get(resources.pods, "pod"), "DisruptionTarget")?.status;
      if (expected === "True")
        await space.never("it is taken back", 3_500, async () => (await said()) !== "True");
      else await space.until("it is taken back", said, (status) => status === expected);
    },
  );

  test("ConcurrentEvictionRequests: all that may be evicted are, however many ask at once", async () => {
    const names = Array.from({ length: 10 }, (_, index) => `test-pod-${index}`);
    for (const name of names) await createPod(name);
    await createBudget({ minAvailable: 0 });
    await untilHealthy(10);
    await Promise.all(names.map(async (name) => untilEvicted(name)));
    expect(await space.pods()).toEqual([]);
  });

  /** Asks again where the budget says that it is too early. */
  async function untilEvicted(name: string): Promise<void> {
    await space.until(
      `${name} is evicted`,
      async () => {
        try {
          await evict(name, { gracePeriodSeconds: 30 });
          return true;
        } catch (error) {
          if (isTooManyRequests(error)) return false;
          throw error;
        }
      },
      (done) => done,
    );
  }

  test("TerminalPodEviction: a pod that has ended costs the budget nothing", async () => {
    await createPod("done", {}, "Succeeded");
    await createBudget({ minAvailable: 0 });
    const before = await untilHealthy(1);
    await evict("done", { gracePeriodSeconds: 30 });
    const { status } = await space.get(resources.podDisruptionBudgets, BUDGET);
    expect(status?.observedGeneration).toBe(before.status?.observedGeneration);
    expect(status?.disruptedPods).toBeUndefined();
  });

  test("EvictionVersions: evictions are posted, in versions that there are", async () => {
    await createPod("test");
    const ref = { namespace: space.namespace, name: "test" };
    const pods = space.client.clientFor(resources.pods);
    await expect(pods.getSubresource(ref, "eviction")).rejects.toSatisfy(isMethodNotSupported);
    for (const patch of [
      { type: "json", body: [] },
      { type: "merge", body: {} },
      { type: "strategic", body: {} },
    ] as const)
      await expect(pods.patchSubresource(ref, "eviction", patch)).rejects.toSatisfy(isMethodNotSupported);
    const dryRun = { dryRun: ["All"] };
    for (const version of [{}, { apiVersion: "policy/v1beta1" }, { apiVersion: undefined, kind: undefined }])
      expect(await evict("test", dryRun, version)).toMatchObject({
        apiVersion: "v1",
        kind: "Status",
      });
    await expect(evict("test", {}, { apiVersion: "policy/v2" })).rejects.toThrow("policy/v2");
  });

  test.each([
    ["that has ended", "Succeeded", false, true],
    ["that runs", "Running", false, true],
    ["that runs, for a trial", "Running", true, false],
  ])("EvictionWithFinalizers: a pod %s is told of its eviction", async (_, phase, trial, told) => {
    await createPod("pod", { finalizers: ["test.k8s.io/finalizer"] }, phase);
    await evict("pod", trial ? { dryRun: ["All"] } : {});
    const pod = await space.get(resources.pods, "pod");
    expect(podCondition(pod, "DisruptionTarget")?.status).toBe(told ? "True" : undefined);
    await space.patch(resources.pods, "pod", { metadata: { finalizers: null } });
  });

  test.each([
    [undefined, true],
    ["IfHealthyBudget", true],
    ["AlwaysAllow", true],
    ["AlwaysAllow", false],
  ])(
    "EvictionWithUnhealthyPodEvictionPolicy: with %s a pod goes at the first request, ready: %s",
    async (policy, ready) => {
      await createPod("pod");
      if (!ready)
        await setStatus("pod", { phase: "Running", conditions: [{ type: "Ready", status: "False" }] });
      // One must be healthy: a pod that is not goes all the same, where the policy says so.
      const spec = {
        minAvailable: ready ? 0 : 1,
        ...(policy !== undefined && { unhealthyPodEvictionPolicy: policy }),
      };
      await createBudget(spec);
      await space.until(
        "the pod is counted",
        async () => space.get(resources.podDisruptionBudgets, BUDGET),
        ({ status }) => status?.expectedPods === 1 && status.currentHealthy === (ready ? 1 : 0),
      );
      await evict("pod");
      expect(await space.pods()).toEqual([]);
      await untilHealthy(0);
    },
  );

  test("an unhealthy pod stays where the policy does not let it go", async () => {
    await createPod("pod");
    await setStatus("pod", { phase: "Running", conditions: [{ type: "Ready", status: "False" }] });
    await createBudget({ minAvailable: 1 });
    await untilHealthy(0);
    await expect(evict("pod")).rejects.toSatisfy(isTooManyRequests);
  });

  test.each([
    ["its version", { version: "right" }, false],
    ["its uid", { uid: "right" }, false],
    ["its version and its uid", { version: "right", uid: "right" }, false],
    ["another version", { version: "wrong" }, true],
    ["another uid", { uid: "wrong" }, true],
  ])(
    "EvictionWithPrecondition: a pod is evicted only if it has %s",
    async (_, { version, uid }: { version?: string; uid?: string }, refused) => {
      await space.create(resources.pods, {
        metadata: { name: "pod", labels: LABELS },
        spec: { containers: [{ name: "main", image: "image" }] },
      });
      const first = await space.get(resources.pods, "pod");
      const now = await setStatus("pod", {
        phase: "Running",
        conditions: [{ type: "Ready", status: "True" }],
      });
      const versions: Readonly<Record<string, string | undefined>> = {
        right: now.metadata.resourceVersion,
        wrong: first.metadata.resourceVersion,
      };
      const uids: Readonly<Record<string, string | undefined>> = {
        right: now.metadata.uid,
        wrong: "5ba5a7a5-0000-4000-8000-000000000001",
      };
      const preconditions = {
        ...(version !== undefined && { resourceVersion: versions[version] ?? "" }),
        ...(uid !== undefined && { uid: uids[uid] ?? "" }),
      };
      const eviction = evict("pod", { preconditions });
      if (refused) await expect(eviction).rejects.toThrow();
      else await eviction;
      expect(await space.pods()).toHaveLength(refused ? 1 : 0);
    },
  );
});

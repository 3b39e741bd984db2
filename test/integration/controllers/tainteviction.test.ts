import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { serviceAccountController } from "../../../controllers/serviceaccount/default-account/controller.ts";
import { taintEvictionController } from "../../../controllers/tainteviction/controller.ts";
import { podCondition } from "../../../pkg/api/pod.ts";
import { resources } from "../../../pkg/api/resources.ts";
import { formatTime } from "../../../pkg/api/time.ts";
import type { Pod, ServiceAccount, Taint, Toleration } from "../../../pkg/api/types/core-v1.gen.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import { type AccountCluster, accountClusterKinds } from "../../harness/account-clusters.ts";
import type { TestSpace } from "../../harness/test-space.ts";

const SECOND = 1_000;
const taint: Taint = { key: "example.com/out", value: "yes", effect: "NoExecute" };
const tolerates = (tolerationSeconds?: number): Toleration => ({
  key: taint.key,
  operator: "Exists",
  effect: "NoExecute",
  ...(tolerationSeconds !== undefined && { tolerationSeconds }),
});

// Upstream's functions (test/integration/node/lifecycle_test.go, test/e2e/node/taints.go) stand in front of each case.
describe.each(accountClusterKinds)("taint eviction on the $name API server", ({ start }) => {
  let cluster: AccountCluster;
  let space: TestSpace;
  let node: string;
  let stop: () => Promise<void>;
  beforeAll(async () => {
    cluster = await start(() => [serviceAccountController()]);
    stop = cluster.run([taintEvictionController()]);
  });
  beforeEach(async () => {
    space = await cluster.space();
    await space.until(
      "pods may be made",
      async () => space.find<ServiceAccount>(resources.serviceAccounts, "default"),
      (found) => found !== undefined,
    );
    node = `node-of-${space.namespace}`;
    await nodes().create({ metadata: { name: node } });
    await setTaints();
  });
  afterAll(async () => cluster?.stop());

  const nodes = () => cluster.client.clientFor(resources.nodes);

  async function setTaints(...taints: readonly Taint[]): Promise<void> {
    await nodes().patch({ name: node }, { type: "merge", body: { spec: { taints } } });
  }

  /** Held by a finalizer, so that what was done to it is to be seen. */
  async function addPod(name: string, ...tolerations: readonly Toleration[]): Promise<void> {
    const metadata = { name, finalizers: ["example.com/hold"] };
    const containers = [{ name: "main", image: "main" }];
    await space.create<Pod>(resources.pods, { metadata, spec: { nodeName: node, containers, tolerations } });
  }

  async function untilEvicted(name: string): Promise<void> {
    const pod = await space.until(
      `${name} is deleted`,
      async () => space.get<Pod>(resources.pods, name),
      ({ metadata }) => metadata.deletionTimestamp !== undefined,
    );
    expect(podCondition(pod, "DisruptionTarget")).toMatchObject({
      status: "True",
      reason: "DeletionByTaintManager",
      message: "Taint manager: deleting due to NoExecute taint",
    });
  }

  async function neverEvicted(name: string, durationMs: number): Promise<void> {
    await space.never(`${name} is deleted`, durationMs, async () => {
      const { metadata } = await space.get<Pod>(resources.pods, name);
      return metadata.deletionTimestamp !== undefined;
    });
  }

  test("EvictionForNoExecuteTaintAddedByUser: who does not tolerate goes, who tolerates stays", async () => {
    await addPod("goes");
    await addPod("stays", tolerates());
    await addPod("stays-for-now", tolerates(300));
    await setTaints(taint);
    await untilEvicted("goes");
    await neverEvicted("stays", SECOND);
    await neverEvicted("stays-for-now", SECOND);
  });

  test("NoExecuteTaintManager: evicts a pod when its time is over, and counts on when another takes over", async () => {
    await addPod("first", tolerates(6));
    await addPod("second", tolerates(60));
    const startMs = realClock.monotonicMs();
    await setTaints({ ...taint, timeAdded: formatTime(realClock.nowMs()) });
    await neverEvicted("first", 3 * SECOND);
    await stop();
    stop = cluster.run([taintEvictionController()]);
    await untilEvicted("first");
    // Who began to count anew would take nine seconds and more; and nobody goes before the time.
    const tookMs = realClock.monotonicMs() - startMs;
    expect(tookMs).toBeGreaterThanOrEqual(5.5 * SECOND);
    await neverEvicted("second", SECOND);
  });

  test("NoExecuteTaintManager: removing the taint cancels eviction", async () => {
    await addPod("stays", tolerates(3));
    await setTaints(taint);
    await neverEvicted("stays", SECOND);
    await setTaints();
    await neverEvicted("stays", 4 * SECOND);
  });

  test("a pod that is told meanwhile to stay longer does, and one that may not any more does not", async () => {
    await addPod("longer", tolerates(3));
    await addPod("shorter", tolerates(300));
    await setTaints(taint);
    await space.patch(resources.pods, "longer", { spec: { tolerations: await withSeconds("longer", 300) } });
    await space.patch(resources.pods, "shorter", { spec: { tolerations: await withSeconds("shorter", 1) } });
    await untilEvicted("shorter");
    await neverEvicted("longer", 4 * SECOND);
  });

  async function withSeconds(name: string, tolerationSeconds: number): Promise<readonly Toleration[]> {
    const { spec } = await space.get<Pod>(resources.pods, name);
    return (spec?.tolerations ?? []).map((each) =>
      each.key === taint.key ? { ...each, tolerationSeconds } : each,
    );
  }
});

import { asStored } from "../../harness/stored.ts";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { disruptionController } from "../../../controllers/disruption/controller.ts";
import { findCondition } from "../../../pkg/api/conditions.ts";
import type { OwnerReference } from "../../../pkg/api/object.ts";
import { newControllerRef } from "../../../pkg/api/owner-references.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { PodDisruptionBudgetSpec } from "../../../pkg/api/types/policy-v1.gen.ts";
import { clusterKinds, type ControllerCluster } from "../../harness/controller-clusters.ts";
import { lineOf } from "../../harness/controller-world.ts";
import { Daemon, goProgram, predecessorsOn } from "../../harness/daemon.ts";
import type { TestSpace } from "../../harness/test-space.ts";
import { LABELS, pod, replicaSet } from "./workloads.ts";
import { testWhere } from "../../harness/where.ts";

/** Caches are filled, and every key has been worked on, long before. */
const QUIET_MS = 1_500;
/** What budgets come to rest with, and the reason that they give. */
const cases: readonly (readonly [name: string, spec: PodDisruptionBudgetSpec, reason: string])[] = [
  ["a number", { minAvailable: 2 }, "SufficientPods"],
  ["a share", { maxUnavailable: "50%" }, "SufficientPods"],
  ["nothing", { minAvailable: "100%" }, "InsufficientPods"],
  ["pods of nobody", { maxUnavailable: 1, selector: { matchLabels: { app: "naked" } } }, "InsufficientPods"],
  [
    "an owner that is not known",
    { maxUnavailable: 1, selector: { matchLabels: { app: "lost" } } },
    "SyncFailed",
  ],
];
const nameOf = (what: string): string => what.replaceAll(" ", "-");

describe.each(clusterKinds)("disruption budgets on the $name API server", ({ name, start }) => {
  let cluster: ControllerCluster;
  let go: Daemon | undefined;
  beforeAll(async () => {
    cluster = await start();
  });
  afterEach(async () => {
    await go?.end();
    await cluster.stopControllers();
  });
  afterAll(async () => cluster.stop());

  test.each(predecessorsOn(name))("that %s has settled are not written to", async (predecessor) => {
    const isGo = predecessor !== "this program";
    const space = await cluster.space();
    const end = begin(isGo);
    await settle(space);
    await end();
    const [before, state] = [cluster.writesTo(space).length, await stateOf(space)];
    cluster.run([disruptionController()]);
    await space.never("a write", QUIET_MS, async () =>
      cluster.writesTo(space).slice(before).some(isOfBudgets),
    );
    expect(cluster.writesTo(space).slice(before).filter(isOfBudgets).map(lineOf)).toEqual([]);
    expect(await stateOf(space)).toEqual(state);
  });

  testWhere(predecessorsOn(name).length > 1)("leave the Go program nothing to write", async () => {
    const space = await cluster.space();
    const end = begin(false);
    await settle(space);
    await end();
    const state = await stateOf(space);
    const endGo = begin(true);
    await space.never("a write", 3 * QUIET_MS, async () => String(await stateOf(space)) !== String(state));
    // It is at work.
    await space.patch(resources.podDisruptionBudgets, "a-number", { spec: { minAvailable: 3 } });
    await untilReason(space, "a number", "InsufficientPods");
    await endGo();
  });

  async function settle(space: TestSpace): Promise<void> {
    const owner = await space.create(resources.replicaSets, replicaSet("web", 3));
    const reference = newControllerRef(asStored(owner), resources.replicaSets);
    for (const name of ["a", "b", "c"]) await createPod(space, name, LABELS, [reference]);
    await createPod(space, "naked", { app: "naked" });
    await createPod(space, "lost", { app: "lost" }, [
      { ...reference, kind: "Unknown", name: "lost", uid: "lost" },
    ]);
    for (const [what, spec, reason] of cases) {
      await space.create(resources.podDisruptionBudgets, {
        metadata: { name: nameOf(what) },
        spec: { selector: { matchLabels: LABELS }, ...spec },
      });
      await untilReason(space, what, reason);
    }
    await space.never("nothing", QUIET_MS, async () => false);
  }

  async function createPod(
    space: TestSpace,
    name: string,
    labels: Readonly<Record<string, string>>,
    ownerReferences: readonly OwnerReference[] = [],
  ): Promise<void> {
    const { metadata, ...rest } = pod(name, labels);
    await space.create(resources.pods, { ...rest, metadata: { ...metadata, ownerReferences } });
    await space.markPod(name, "ready");
  }

  async function untilReason(space: TestSpace, what: string, reason: string): Promise<void> {
    await space.until(
      `${what}: ${reason}`,
      async () => space.get(resources.podDisruptionBudgets, nameOf(what)),
      ({ metadata, status }) =>
        (reason === "SyncFailed" || status?.observedGeneration === metadata.generation) &&
        findCondition(status?.conditions, "DisruptionAllowed")?.reason === reason,
    );
  }

  /** The controller, ours or Go's. */
  function begin(isGo: boolean): () => Promise<void> {
    if (!isGo) {
      cluster.run([disruptionController()]);
      return async () => cluster.stopControllers();
    }
    go = new Daemon(goProgram ?? [], [
      `--kubeconfig=${cluster.kubeconfig ?? ""}`,
      "--leader-elect=false",
      "--secure-port=0",
      "--controllers=disruption-controller",
    ]);
    return async () => {
      await go?.end("SIGTERM");
      go = undefined;
    };
  }
});

/** Events are told again by whoever comes anew. */
function isOfBudgets({ resource }: { readonly resource: string }): boolean {
  return resource.startsWith("poddisruptionbudgets");
}

/** Versions of everything that the controller writes. */
async function stateOf(space: TestSpace): Promise<readonly string[]> {
  const lists = await Promise.all([space.list(resources.podDisruptionBudgets), space.list(resources.pods)]);
  return lists.flat().map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`);
}

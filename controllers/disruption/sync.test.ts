import { asStored } from "../../test/harness/stored.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findCondition } from "../../pkg/api/conditions.ts";
import type { ApiObject, OwnerReference } from "../../pkg/api/object.ts";
import { newControllerRef } from "../../pkg/api/owner-references.ts";
import { podCondition } from "../../pkg/api/pod.ts";
import { resources } from "../../pkg/api/resources.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { PodDisruptionBudget, PodDisruptionBudgetSpec } from "../../pkg/api/types/policy-v1.gen.ts";
import { isTooManyRequests } from "../../pkg/client/errors.ts";
import { conflict, internal } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, lineOf, NAMESPACE, newWorld } from "../../test/harness/controller-world.ts";
import { createDefinition } from "../../test/integration/controllers/custom-resources.ts";
import { disruptionController } from "./controller.ts";
import { budget, LABELS } from "./samples.test-data.ts";

const controller = disruptionController();
const MINUTE = 60_000;

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld();
});
afterEach(async () => world.stop());

async function createBudget(spec: PodDisruptionBudgetSpec, name = "foobar"): Promise<PodDisruptionBudget> {
  const { metadata, ...rest } = budget(spec, undefined, name);
  const { uid: _, ...named } = metadata;
  return world.create(resources.podDisruptionBudgets, { ...rest, metadata: named });
}

async function createPod(name: string, owner?: OwnerReference, ready = true): Promise<Pod> {
  const made = await world.create(resources.pods, {
    metadata: { name, labels: LABELS, ...(owner && { ownerReferences: [owner] }) },
    spec: { nodeName: "node", containers: [{ name: "main", image: "image" }] },
  });
  await world.markPod(name, ready ? "ready" : "running");
  return made;
}

async function createReplicaSet(replicas: number): Promise<ReplicaSet> {
  return world.create(resources.replicaSets, {
    metadata: { name: "web" },
    spec: {
      replicas,
      selector: { matchLabels: LABELS },
      template: { metadata: { labels: LABELS }, spec: { containers: [{ name: "main", image: "image" }] } },
    },
  });
}

async function evict(name: string): Promise<void> {
  const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace: NAMESPACE } };
  await world.client
    .clientFor(resources.pods)
    .createSubresource({ namespace: NAMESPACE, name }, "eviction", body);
}

/** "allowed current/desired of expected", and the reason. */
async function said(name = "foobar"): Promise<string> {
  await world.run();
  const { status = {} } = await world.get(resources.podDisruptionBudgets, name);
  const { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods, conditions } = status;
  const reason = findCondition(conditions, "DisruptionAllowed")?.reason;
  return `${disruptionsAllowed} ${currentHealthy}/${desiredHealthy} of ${expectedPods} ${reason}`;
}

describe("the status of a budget", () => {
  // upstream: pkg/controller/disruption/disruption_test.go#TestUnavailable
  test("follows its pods", async () => {
    await world.start(controller);
    await createBudget({ minAvailable: 3 });
    for (const expected of ["0 0/3 of 0", "0 1/3 of 1", "0 2/3 of 2", "0 3/3 of 3"]) {
      expect(await said()).toBe(`${expected} InsufficientPods`);
      await createPod(`pod-${expected[2]}`);
    }
    expect(await said()).toBe("1 4/3 of 4 SufficientPods");
    await world.markPod("pod-0", "running");
    expect(await said()).toBe("0 3/3 of 4 InsufficientPods");
    expect(world.takeWrites().filter(({ status }) => status >= 300)).toEqual([]);
  });

  test("does not count a pod that is no more its own", async () => {
    await createBudget({ minAvailable: 1 });
    for (const name of ["a", "b"]) await createPod(name);
    await world.start(controller);
    expect(await said()).toBe("1 2/1 of 2 SufficientPods");
    await world.update(resources.pods, "a", (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, labels: { other: "yes" } },
    }));
    expect(await said()).toBe("0 1/1 of 1 InsufficientPods");
  });

  test("follows what the owner wants", async () => {
    const owner = newControllerRef(asStored(await createReplicaSet(7)), resources.replicaSets);
    await createBudget({ maxUnavailable: "30%" });
    await createPod("pod", owner);
    await world.start(controller);
    expect(await said()).toBe("0 1/4 of 7 InsufficientPods");
    await world.update(resources.replicaSets, "web", (set) => ({
      ...set,
      ...(set.spec && { spec: { ...set.spec, replicas: 1 } }),
    }));
    await world.markPod("pod", "running");
    await world.markPod("pod", "ready");
    expect(await said()).toBe("1 1/0 of 1 SufficientPods");
  });

  // upstream: pkg/controller/disruption/disruption_test.go#TestNakedPod, #TestIntegerMaxUnavailable,
  // #TestStatusForUnmanagedPod
  test.each([{ minAvailable: "28%" }, { maxUnavailable: 1 }])(
    "of %j allows nothing for pods of nobody",
    async (spec) => {
      await createBudget(spec);
      await world.start(controller);
      expect(await said()).toBe("0 0/0 of 0 InsufficientPods");
      await createPod("naked");
      expect(await said()).toBe("0 1/0 of 0 InsufficientPods");
      expect(await world.events()).toEqual([
        "NoPods No matching pods found",
        expect.stringMatching(
          /^UnmanagedPods Pods selected by .*selector: &LabelSelector{MatchLabels:map\[string\]string{foo: bar,}/,
        ),
      ]);
    },
  );

  // upstream: pkg/controller/disruption/disruption_test.go#TestUnsupportedControllerPod
  test("says that it cannot be known, when the owner is of an unknown kind", async () => {
    const owner = {
      apiVersion: "apps.test.io/v1",
      kind: "TestWorkload",
      name: "fake",
      uid: "u",
      controller: true,
    };
    await createBudget({ minAvailable: "28%" });
    await createPod("pod", owner);
    await world.start(controller);
    expect(await said()).toMatch(/^0 .* SyncFailed$/);
    const why = 'no matches for kind "TestWorkload" in version "apps.test.io/v1"';
    const { status } = await world.get(resources.podDisruptionBudgets, "foobar");
    expect(findCondition(status?.conditions, "DisruptionAllowed")?.message).toBe(why);
    expect(await world.events()).toContain(
      `CalculateExpectedPodCountFailed Failed to calculate the number of expected pods: ${why}`,
    );
    // It is looked for again and again, of which nobody is told.
    const told = await world.list(resources.events);
    world.takeWrites();
    await world.run(10 * MINUTE);
    expect(world.takeWrites()).toEqual([]);
    expect(await world.list(resources.events)).toEqual(told);
  });

  test("is counted when the owner's kind is installed after its pods", async () => {
    await world.start(controller);
    const owner = { apiVersion: "fleets.example.com/v1", kind: "Fleets", name: "fleet", controller: true };
    await createBudget({ maxUnavailable: 1 });
    await createPod("pod", { ...owner, uid: "u" });
    expect(await said()).toMatch(/^0 .* SyncFailed$/);
    const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
    const kind = await createDefinition(world.client, "Namespaced", "fleets", { scale });
    const fleet = { metadata: { name: "fleet", namespace: NAMESPACE }, spec: { replicas: 1 } } as ApiObject;
    const { metadata } = await world.client.dynamic(kind).create(fleet);
    await createPod("other", { ...owner, uid: metadata.uid ?? "" });
    await world.client
      .clientFor(resources.pods)
      .delete({ namespace: NAMESPACE, name: "pod" }, { gracePeriodSeconds: 0 });
    await world.run(1_000);
    expect(await said()).toMatch(/SyncFailed$/);
    await world.run(2 * MINUTE);
    expect(await said()).toBe("1 1/0 of 1 SufficientPods");
  });

  test("says that it cannot be known, when the owner has no scale", async () => {
    const made = await world.create(resources.daemonSets, {
      metadata: { name: "daemon" },
      spec: {
        selector: { matchLabels: LABELS },
        template: { metadata: { labels: LABELS }, spec: { containers: [{ name: "main", image: "image" }] } },
      },
    });
    await createBudget({ maxUnavailable: 1 });
    await createPod("pod", newControllerRef(asStored(made), resources.daemonSets));
    await world.start(controller);
    expect(await said()).toMatch(/SyncFailed$/);
    const { status } = await world.get(resources.podDisruptionBudgets, "foobar");
    expect(status?.conditions?.[0]?.message).toBe("daemonsets.apps does not implement the scale subresource");
  });

  test("is tried again when the owner's scale could not be read", async () => {
    const made = await createReplicaSet(2);
    // A ReplicaSet that a Deployment that is gone managed is asked for its scale.
    const manager = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      name: "gone",
      uid: "gone",
      controller: true,
    };
    await world.update(resources.replicaSets, "web", (set) => ({
      ...set,
      metadata: { ...set.metadata, ownerReferences: [manager] },
    }));
    await createBudget({ maxUnavailable: 1 });
    await createPod("pod", newControllerRef(asStored(made), resources.replicaSets));
    world.server.parts.faults.add({
      target: { verb: "get", resource: "replicasets", subresource: "scale" },
      times: 2,
      action: { kind: "status", when: "before", error: internal("down") },
    });
    await world.start(controller);
    expect(await said()).toBe("0 1/1 of 2 InsufficientPods");
  });
});

describe("evictions", () => {
  test("are allowed as the budget says, and no more", async () => {
    await createBudget({ minAvailable: 2 });
    for (const name of ["a", "b", "c"]) await createPod(name);
    await world.start(controller);
    expect(await said()).toBe("1 3/2 of 3 SufficientPods");
    await evict("a");
    await expect(evict("b")).rejects.toSatisfy(isTooManyRequests);
    expect(await said()).toBe("0 2/2 of 3 InsufficientPods");
    await expect(evict("b")).rejects.toSatisfy(isTooManyRequests);
  });

  // upstream: pkg/controller/disruption/disruption_test.go#TestUpdatePDBStatusRetries
  test("that come between the count and its write are not forgotten", async () => {
    await createBudget({ minAvailable: 1 });
    for (const name of ["moe", "larry", "curly"]) await createPod(name);
    await world.start(controller);
    expect(await said()).toBe("2 3/1 of 3 SufficientPods");
    const allowed: number[] = [];
    const release = world.server.parts.faults.holdWatches({ resource: "poddisruptionbudgets" });
    await world.client
      .clientFor(resources.pods)
      .delete({ namespace: NAMESPACE, name: "moe" }, { gracePeriodSeconds: 0 });
    await evict("larry");
    await evict("curly");
    await world.run();
    allowed.push(
      (await world.get(resources.podDisruptionBudgets, "foobar")).status?.disruptionsAllowed ?? -1,
    );
    release();
    await world.run(5_000);
    allowed.push(
      (await world.get(resources.podDisruptionBudgets, "foobar")).status?.disruptionsAllowed ?? -1,
    );
    expect(allowed).toEqual([0, 0]);
    expect(world.takeWrites().map(({ status }) => status)).toContain(409);
  });

  test("whose conflict with the count is no failure of the count", async () => {
    await createBudget({ minAvailable: 1 });
    for (const name of ["a", "b"]) await createPod(name);
    await world.start(controller);
    world.takeWrites();
    world.server.parts.faults.add({
      target: { verb: "update", resource: "poddisruptionbudgets" },
      times: 1,
      action: {
        kind: "status",
        when: "before",
        error: conflict({ group: "policy", plural: "pdb" }, "foobar"),
      },
    });
    await world.markPod("a", "running");
    expect(await said()).toBe("0 1/1 of 2 InsufficientPods");
    const reasons = world.takeWrites().map(({ body }) => JSON.stringify(body).includes("SyncFailed"));
    expect(reasons).toEqual([false, false]);
  });

  test("are not counted again before the last count shows", async () => {
    await createBudget({ minAvailable: 1 });
    for (const name of ["a", "b", "c"]) await createPod(name);
    await world.start(controller);
    const release = world.server.parts.faults.holdWatches({ resource: "poddisruptionbudgets" });
    world.takeWrites();
    for (const name of ["a", "b"]) {
      await world.markPod(name, "running");
      await world.run(1_000);
    }
    expect(world.takeWrites().map(({ status }) => status)).toEqual([200]);
    release();
    await world.run();
    expect(await said()).toBe("0 1/1 of 3 InsufficientPods");
  });

  test("that lead to no deletion count no more after two minutes", async () => {
    const made = await createBudget({ minAvailable: 1 });
    for (const name of ["a", "b"]) await createPod(name);
    await world.start(controller);
    await world.run();
    const current = await world.get(resources.podDisruptionBudgets, "foobar");
    await world.client.clientFor(resources.podDisruptionBudgets).updateStatus({
      ...current,
      status: {
        ...current.status,
        disruptedPods: { a: formatTime(world.clock.nowMs()), gone: formatTime(0) },
      },
    });
    expect(await said()).toBe("0 1/1 of 2 InsufficientPods");
    expect(
      Object.keys((await world.get(resources.podDisruptionBudgets, "foobar")).status?.disruptedPods ?? {}),
    ).toEqual(["a"]);
    await world.run(2 * MINUTE);
    expect(await said()).toBe("1 2/1 of 2 SufficientPods");
    expect(await world.events()).toContain(
      "NotDeleted Pod was expected by PDB default/foobar to be deleted but it wasn't",
    );
    expect(made.metadata.uid).toBe(current.metadata.uid);
  });
});

test("a pod that more than one budget covers is told of it, and counts for all", async () => {
  await createBudget({ minAvailable: 0 }, "one");
  await createBudget({ minAvailable: 0 }, "two");
  await world.start(controller);
  await createPod("pod");
  expect([await said("one"), await said("two")]).toEqual([
    "1 1/0 of 1 SufficientPods",
    "1 1/0 of 1 SufficientPods",
  ]);
  expect(await world.events()).toContain(
    'MultiplePodDisruptionBudgets Pod "default"/"pod" matches multiple PodDisruptionBudgets.  Chose "one" arbitrarily.',
  );
});

// upstream: pkg/controller/disruption/disruption_test.go#TestStalePodDisruption
test("a pod that was announced to be disrupted, and was not, is told so after two minutes", async () => {
  await world.start(controller);
  await createPod("pod");
  const announce = {
    type: "DisruptionTarget",
    status: "True",
    reason: "Test",
    message: "soon",
    lastTransitionTime: formatTime(world.clock.nowMs()),
  };
  await world.client
    .clientFor<Pod>(resources.pods)
    .patch(
      { namespace: NAMESPACE, name: "pod" },
      { type: "strategic", body: { status: { conditions: [announce] } } },
      { subresource: "status" },
    );
  const startMs = world.clock.nowMs();
  await world.run(2 * MINUTE - 5_000);
  const condition = async () => podCondition(await world.get(resources.pods, "pod"), "DisruptionTarget");
  expect((await condition())?.status).toBe("True");
  await world.run(10_000);
  const { lastTransitionTime, ...rest } = (await condition()) ?? { type: "", status: "" };
  expect(rest).toEqual({
    type: "DisruptionTarget",
    status: "False",
    observedGeneration: 1,
    lastProbeTime: null,
  });
  expect(lastTransitionTime).toBe(formatTime(startMs + 2 * MINUTE));
  expect(world.takeWrites().map(lineOf)).toEqual(["patch pods/status pod"]);
});

// upstream: pkg/controller/disruption/disruption_test.go#TestPDBNotExist
test("a budget that is gone is let go", async () => {
  await createBudget({ minAvailable: 1 });
  await world.start(controller);
  await world.delete(resources.podDisruptionBudgets, "foobar");
  await world.run();
  await createPod("pod");
  await world.run();
  expect(world.takeWrites().map(lineOf)).toEqual(["update poddisruptionbudgets/status foobar"]);
});

test("another manager finds nothing to do", async () => {
  await createBudget({ minAvailable: "50%" });
  const owner = newControllerRef(asStored(await createReplicaSet(2)), resources.replicaSets);
  for (const name of ["a", "b"]) await createPod(name, owner);
  await world.start(controller);
  expect(await said()).toBe("1 2/1 of 2 SufficientPods");
  await world.stop();
  world.takeWrites();
  await world.start(controller);
  await world.run(10 * MINUTE);
  expect(world.takeWrites()).toEqual([]);
});

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { V1alpha2PodGroup } from "../../pkg/api/types/scheduling-v1alpha2.gen.ts";
import { conflict } from "../../pkg/apiserver/server/status-error.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { podGroupProtectionController } from "./controller.ts";

const NAME = "podgroup-protection-controller";
const FINALIZER = "scheduling.k8s.io/podgroup-protection";
/** Keeps what is deleted, so that it can be looked at. */
const OTHER = "example.com/test";
const UPDATE = "update podgroups group";
const FREE = [[UPDATE], [OTHER]];
const HELD = [[], [FINALIZER, OTHER]];

let world: ControllerWorld;
beforeEach(async () => {
  world = await newWorld({
    features: { GenericWorkload: true },
    runtimeConfig: ["scheduling.k8s.io/v1alpha2"],
  });
});
afterEach(async () => world.stop());

interface GroupFacts {
  readonly finalizers?: readonly string[];
  readonly isDeleted?: boolean;
}

async function createGroup({
  finalizers = [FINALIZER, OTHER],
  isDeleted = false,
}: GroupFacts): Promise<void> {
  await world.create<V1alpha2PodGroup>(resources.podGroups, {
    metadata: { name: "group", finalizers },
    spec: { schedulingPolicy: { basic: {} } },
  });
  if (isDeleted) await world.delete(resources.podGroups, "group");
}

interface PodFacts {
  readonly name?: string;
  readonly group?: string | null;
  readonly phase?: string;
  readonly nodeName?: string;
}

async function createPod(facts: PodFacts = {}): Promise<void> {
  const { name = "web", group = "group", phase = "Running", nodeName = "worker" } = facts;
  await world.createWithStatus<Pod>(resources.pods, {
    metadata: { name },
    spec: {
      containers: [{ name: "main", image: "a" }],
      terminationGracePeriodSeconds: 0,
      ...(nodeName !== "" && { nodeName }),
      ...(group !== null && { schedulingGroup: { podGroupName: group } }),
    },
    status: { phase },
  });
}

async function setPhase(phase: string, name = "web"): Promise<void> {
  const pods = world.client.clientFor<Pod>(resources.pods);
  const pod = await pods.get({ namespace: "default", name });
  await pods.updateStatus({ ...pod, status: { ...pod.status, phase } });
}

async function removePod(name = "web"): Promise<void> {
  await world.client
    .clientFor(resources.pods)
    .delete({ namespace: "default", name }, { gracePeriodSeconds: 0 });
}

/** What was written, and the finalizers of the group, undefined when it is gone. */
async function outcome(): Promise<unknown> {
  await world.run(10_000);
  const [group] = await world.list<V1alpha2PodGroup>(resources.podGroups);
  return [world.takeWrites().map(lineOf), group?.metadata.finalizers];
}

const start = async () => world.start(podGroupProtectionController());

// upstream: pkg/controller/scheduling/podgroupprotection/podgroup_protection_controller_test.go#TestPodGroupProtectionController, #TestHasActivePods, #TestActivePodSchedulingGroupIndexer, #TestIsPodTerminated
describe("a group", () => {
  interface Case extends GroupFacts {
    readonly pods?: readonly PodFacts[];
    readonly expected: unknown;
  }
  const bare = [OTHER];
  const ended = ["Succeeded", "Failed"];
  test.each<[string, Case]>([
    ["without the finalizer is not given it", { finalizers: bare, expected: [[], bare] }],
    ["without it, in use, is not given it", { finalizers: bare, pods: [{}], expected: [[], bare] }],
    [
      "without it, in use by a pod without a node, is not given it",
      { finalizers: bare, pods: [{ nodeName: "" }], expected: [[], bare] },
    ],
    ["that nobody deletes keeps it", { expected: HELD }],
    ["that nobody deletes keeps it, whoever else there is", { pods: [{ group: null }], expected: HELD }],
    ["that is deleted loses it", { isDeleted: true, expected: FREE }],
    ["that is deleted stays for a pod", { isDeleted: true, pods: [{}], expected: HELD }],
    [
      "that is deleted stays for one that waits",
      { isDeleted: true, pods: [{ phase: "Pending", nodeName: "" }], expected: HELD },
    ],
    ...ended.map((phase): [string, Case] => [
      `that is deleted goes when its pods have ${phase}`,
      { isDeleted: true, pods: [{ phase }, { name: "second", phase }], expected: FREE },
    ]),
    [
      "that is deleted stays for the last that has not ended",
      { isDeleted: true, pods: [{ name: "done", phase: "Succeeded" }, {}], expected: HELD },
    ],
    [
      "that is deleted goes whatever others are in",
      { isDeleted: true, pods: [{ group: "other" }, { name: "none", group: null }], expected: FREE },
    ],
    [
      "without the finalizer that is deleted is left alone",
      { finalizers: bare, isDeleted: true, expected: [[], bare] },
    ],
    [
      "without it that is deleted and in use is not given it",
      { finalizers: bare, isDeleted: true, pods: [{}], expected: [[], bare] },
    ],
  ])("%s", async (_, { pods = [], expected, ...facts }) => {
    await createGroup(facts);
    for (const pod of pods) await createPod(pod);
    await start();
    expect(await outcome()).toEqual(expected);
  });

  test("that is deleted later is let go", async () => {
    await createGroup({});
    await start();
    expect(await outcome()).toEqual(HELD);
    await world.delete(resources.podGroups, "group");
    expect(await outcome()).toEqual(FREE);
  });

  test("that nobody else holds is gone then", async () => {
    await createGroup({ finalizers: [FINALIZER], isDeleted: true });
    await start();
    expect(await outcome()).toEqual([[UPDATE], undefined]);
  });

  test("that does not exist is no trouble for its pods", async () => {
    await createPod({ phase: "Succeeded" });
    await start();
    expect(await outcome()).toEqual([[], undefined]);
  });

  test("that somebody else has changed meanwhile is let go a moment later", async () => {
    await createGroup({ isDeleted: true });
    world.server.parts.faults.add({
      target: { verb: "update", resource: "podgroups" },
      action: { kind: "status", when: "before", error: conflict(resources.podGroups, "group", "no") },
      times: 2,
    });
    await start();
    expect(await outcome()).toEqual([[UPDATE, UPDATE, UPDATE], [OTHER]]);
  });
});

test("a group that was made anew under its name, before the first could be let go, is left alone", async () => {
  await createGroup({ finalizers: [FINALIZER], isDeleted: true });
  world.server.parts.faults.add({
    target: { verb: "update", resource: "podgroups" },
    action: { kind: "status", when: "before", error: conflict(resources.podGroups, "group", "no") },
    times: 12,
  });
  await start();
  const groups = world.client.clientFor<V1alpha2PodGroup>(resources.podGroups);
  const body = { metadata: { finalizers: null } };
  await groups.patch({ namespace: "default", name: "group" }, { type: "merge", body });
  await createGroup({ finalizers: [OTHER] });
  world.takeWrites();
  await world.run(60_000);
  expect(await outcome()).toEqual([[], [OTHER]]);
});

// upstream: the same file, #TestHandlePodChange, #TestHandlePodGroupUpdate
describe("a group that is being deleted", () => {
  test.each<[string, () => Promise<void>, unknown]>([
    ["goes with its last pod", async () => removePod(), FREE],
    ["goes when its last pod has succeeded", async () => setPhase("Succeeded"), FREE],
    ["goes when its last pod has failed", async () => setPhase("Failed"), FREE],
    ["stays when its pod goes on", async () => setPhase("Pending"), HELD],
    ["stays when pods of others go", async () => removePod("other"), HELD],
    ["stays when pods of nobody go", async () => removePod("nobody"), HELD],
    ["stays when another pod comes", async () => createPod({ name: "late" }), HELD],
  ])("%s", async (_, change, expected) => {
    await createGroup({ isDeleted: true });
    await createPod();
    await createPod({ name: "other", group: "others" });
    await createPod({ name: "nobody", group: null });
    await start();
    expect(await outcome()).toEqual(HELD);
    await change();
    expect(await outcome()).toEqual(expected);
  });

  test.each([
    ["of no group", null, FREE],
    ["of another group, which has ended", "others", FREE],
    ["of the group again", "group", HELD],
  ])("is heard of though its pod was replaced unseen by one %s", async (_, group, expected) => {
    await createGroup({ isDeleted: true });
    await createPod();
    await start();
    expect(await outcome()).toEqual(HELD);
    const show = world.hideEvents("pods");
    await removePod();
    await createPod({ group, ...(group === "others" && { phase: "Failed" }) });
    show();
    expect(await outcome()).toEqual(expected);
  });

  test("is not looked at for what does not matter to it", async () => {
    await createGroup({});
    await createPod();
    const set = await start();
    const syncs = (): number | undefined => set.health().get(NAME)?.pools["podgroupprotection"]?.syncs;
    await createPod({ name: "second" });
    await setPhase("Succeeded");
    await removePod();
    await world.run();
    expect(syncs()).toBe(0);
    await world.delete(resources.podGroups, "group");
    await world.run();
    expect(syncs()).toBe(1);
    await createPod({ name: "third" });
    await setPhase("Pending", "second");
    await world.run();
    expect(syncs()).toBe(1);
  });
});

// upstream: cmd/kube-controller-manager/app/scheduling_test.go#TestPodGroupProtectionController
test("it runs under the name and behind the gate that upstream has for it", () => {
  const { clientName, eventSource, featureGates, name } = podGroupProtectionController();
  expect([name, clientName, eventSource, featureGates]).toEqual([NAME, NAME, undefined, ["GenericWorkload"]]);
});

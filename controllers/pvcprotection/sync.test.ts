import { afterEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { PersistentVolumeClaim, Pod, Volume } from "../../pkg/api/types/core-v1.gen.ts";
import { forbidden } from "../../pkg/apiserver/server/status-error.ts";
import type { Transport } from "../../pkg/client/transport.ts";
import { type ControllerWorld, lineOf, newWorld } from "../../test/harness/controller-world.ts";
import { claimProtectionController } from "./controller.ts";

const FINALIZER = "kubernetes.io/pvc-protection";
/** Keeps what is deleted, so that it can be looked at. */
const OTHER = "example.com/test";
const GATE = "PersistentVolumeClaimUnusedSinceTime";

let world: ControllerWorld;
/** Namespaces whose pods the controller has listed. */
let lists: string[];
afterEach(async () => world.stop());

async function newStage(tellsUnused = false): Promise<void> {
  lists = [];
  const transport = (server: Transport): Transport => ({
    send: async (request, signal) => {
      const [, namespace] = /namespaces\/([^/]+)\/pods(?:\?|$)/.exec(request.path) ?? [];
      const isOurs = request.headers?.["user-agent"]?.endsWith("/pvc-protection-controller");
      if (request.method === "GET" && isOurs && namespace !== undefined) lists.push(namespace);
      return server.send(request, signal);
    },
    close: async () => server.close(),
  });
  world = await newWorld({ transport, features: { [GATE]: tellsUnused } });
  for (const name of ["two", "three"]) await world.create(resources.namespaces, { metadata: { name } });
}

interface ClaimFacts {
  readonly name?: string;
  readonly namespace?: string;
  readonly finalizers?: readonly string[];
  readonly isDeleted?: boolean;
  readonly unused?: "True" | "False";
}

const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
const claims = () => world.client.clientFor<PersistentVolumeClaim>(resources.persistentVolumeClaims);

async function claim(facts: ClaimFacts): Promise<void> {
  const { name = "data", namespace = "default", isDeleted = false, unused } = facts;
  const { finalizers = [FINALIZER, OTHER] } = facts;
  const created = await claims().create({ metadata: { name, namespace, finalizers }, spec });
  if (unused !== undefined) {
    const condition = {
      type: "Unused",
      status: unused,
      reason: "Before",
      lastTransitionTime: "2020-01-01T00:00:00Z",
    };
    await claims().updateStatus({ ...created, status: { ...created.status, conditions: [condition] } });
  }
  if (isDeleted) await claims().delete({ namespace, name });
}

interface PodFacts {
  readonly name?: string;
  readonly namespace?: string;
  readonly claim?: string;
  readonly volumes?: readonly Volume[];
  readonly isPlaced?: boolean;
  readonly phase?: string;
  readonly finalizers?: readonly string[];
}

async function pod(facts: PodFacts = {}): Promise<Pod> {
  const {
    name = "web",
    namespace = "default",
    claim: claimName = "data",
    isPlaced = true,
    phase = "Pending",
  } = facts;
  const { volumes = [{ name: "data", persistentVolumeClaim: { claimName } }], finalizers = [] } = facts;
  return world.createWithStatus<Pod>(resources.pods, {
    metadata: { name, namespace, finalizers },
    spec: { containers: [{ name: "main", image: "a" }], volumes, ...(isPlaced && { nodeName: "node" }) },
    status: { phase },
  });
}

const unrelated: PodFacts = {
  volumes: [
    { name: "other", persistentVolumeClaim: { claimName: "other" } },
    { name: "tmp", emptyDir: {} },
  ],
};

async function stateOf(name = "data", namespace = "default"): Promise<string> {
  const { metadata, status } = await claims().get({ namespace, name });
  const unused = status?.conditions?.find(({ type }) => type === "Unused");
  const isProtected = metadata.finalizers?.includes(FINALIZER) === true;
  return [isProtected ? "protected" : "free", ...(unused ? [`${unused.status} ${unused.reason}`] : [])].join(
    " ",
  );
}

async function writes(): Promise<readonly string[]> {
  await world.run(10_000);
  return world.takeWrites().map(lineOf);
}

const UPDATE = "update persistentvolumeclaims data";
const STATUS = "update persistentvolumeclaims/status data";

// upstream: pkg/controller/volume/pvcprotection/pvc_protection_controller_test.go#TestPVCProtectionController
describe("claims", () => {
  interface Case {
    readonly claims: readonly ClaimFacts[];
    readonly pods?: readonly PodFacts[];
    /** The cache hears of the pods later. */
    readonly isLate?: boolean;
    readonly tellsUnused?: boolean;
    readonly failures?: { readonly verb: string; readonly resource: string; readonly times: number };
    readonly writes: readonly string[];
    readonly lists: readonly string[];
    readonly after?: string;
  }
  const deleted = { isDeleted: true };
  const updateFails = { verb: "update", resource: "persistentvolumeclaims", times: 2 };

  test.each<[string, Case]>([
    [
      "without the finalizer get it",
      {
        claims: [{ finalizers: [OTHER] }, { name: "b", namespace: "two", finalizers: [] }],
        writes: ["update persistentvolumeclaims b", UPDATE],
        lists: [],
        after: "protected",
      },
    ],
    ["that have it are left alone", { claims: [{}, { namespace: "two" }], writes: [], lists: [] }],
    [
      "get it though the server fails",
      {
        claims: [{ finalizers: [] }],
        failures: updateFails,
        writes: [UPDATE, UPDATE, UPDATE],
        lists: [],
        after: "protected",
      },
    ],
    [
      "that are deleted lose it, in every namespace",
      {
        claims: [deleted, { ...deleted, name: "b", namespace: "two" }],
        writes: ["update persistentvolumeclaims b", UPDATE],
        lists: ["default", "two"],
        after: "free",
      },
    ],
    [
      "of one namespace that are deleted at once need one list of pods",
      {
        claims: [deleted, { ...deleted, name: "b" }],
        writes: ["update persistentvolumeclaims b", UPDATE],
        lists: ["default"],
        after: "free",
      },
    ],
    [
      "lose it though the server fails, and pods are listed anew each time",
      {
        claims: [deleted],
        failures: updateFails,
        writes: [UPDATE, UPDATE, UPDATE],
        lists: ["default", "default", "default"],
        after: "free",
      },
    ],
    [
      "keep it while pods cannot be listed",
      {
        claims: [deleted, { ...deleted, name: "b" }],
        failures: { verb: "list", resource: "pods", times: 1 },
        writes: ["update persistentvolumeclaims b", UPDATE],
        lists: ["default", "default"],
        after: "free",
      },
    ],
    ["of a pod keep it", { claims: [deleted], pods: [{}], writes: [], lists: [], after: "protected" }],
    [
      "that no pod names lose it, whatever other pods name",
      { claims: [deleted], pods: [unrelated], writes: [UPDATE], lists: ["default"], after: "free" },
    ],
    [
      "that no pod names lose it, with one list for all of them",
      {
        claims: [deleted, { ...deleted, name: "b" }, { ...deleted, name: "c" }],
        pods: [unrelated],
        writes: ["update persistentvolumeclaims b", "update persistentvolumeclaims c", UPDATE],
        lists: ["default"],
        after: "free",
      },
    ],
    [
      "of a pod that has failed keep it",
      { claims: [deleted], pods: [{ phase: "Failed" }], writes: [], lists: [], after: "protected" },
    ],
    [
      "of a pod without a node lose it",
      { claims: [deleted], pods: [{ isPlaced: false }], writes: [UPDATE], lists: ["default"], after: "free" },
    ],
    [
      "of a pod that the cache does not know keep it",
      { claims: [deleted], pods: [{}], isLate: true, writes: [], lists: ["default"], after: "protected" },
    ],
    [
      "keep it or not, each for itself",
      {
        claims: [deleted, { ...deleted, name: "b" }, { ...deleted, name: "c", namespace: "three" }],
        pods: [{}, { name: "other", namespace: "three", claim: "c" }],
        isLate: true,
        writes: ["update persistentvolumeclaims b"],
        lists: ["default", "default", "three"],
        after: "protected",
      },
    ],
    [
      "that nobody uses say so",
      {
        tellsUnused: true,
        claims: [{}],
        writes: [STATUS],
        lists: ["default"],
        after: "protected True NoPodsUsingPVC",
      },
    ],
    [
      "that say so already are left alone",
      {
        tellsUnused: true,
        claims: [{ unused: "True" }],
        writes: [],
        lists: [],
        after: "protected True Before",
      },
    ],
    [
      "that said so and are used now say that",
      {
        tellsUnused: true,
        claims: [{ unused: "True" }],
        pods: [{ phase: "Running" }],
        writes: [STATUS],
        lists: [],
        after: "protected False PodUsingPVC",
      },
    ],
    [
      "that are used say so before anybody asks",
      {
        tellsUnused: true,
        claims: [{}],
        pods: [{ phase: "Running" }],
        writes: [STATUS],
        lists: [],
        after: "protected False PodUsingPVC",
      },
    ],
    [
      "that are deleted say nothing",
      { tellsUnused: true, claims: [deleted], writes: [UPDATE], lists: ["default"], after: "free" },
    ],
    ["say nothing without the gate", { claims: [{}], writes: [], lists: [], after: "protected" }],
    [
      "of a pod without a node are used",
      {
        tellsUnused: true,
        claims: [{}],
        pods: [{ isPlaced: false }],
        writes: [STATUS],
        lists: [],
        after: "protected False PodUsingPVC",
      },
    ],
    [
      "of a pod that has succeeded are not used",
      {
        tellsUnused: true,
        claims: [{}],
        pods: [{ phase: "Succeeded" }],
        writes: [STATUS],
        lists: ["default"],
        after: "protected True NoPodsUsingPVC",
      },
    ],
    [
      "of a pod that has failed are not used",
      {
        tellsUnused: true,
        claims: [{}],
        pods: [{ phase: "Failed" }],
        writes: [STATUS],
        lists: ["default"],
        after: "protected True NoPodsUsingPVC",
      },
    ],
    [
      "say so though the server fails",
      {
        tellsUnused: true,
        claims: [{}],
        failures: updateFails,
        writes: [STATUS, STATUS, STATUS],
        lists: ["default", "default", "default"],
        after: "protected True NoPodsUsingPVC",
      },
    ],
    [
      "of a pod that the cache does not know are used",
      {
        tellsUnused: true,
        claims: [{}],
        pods: [{}],
        isLate: true,
        writes: [STATUS],
        lists: ["default"],
        after: "protected False PodUsingPVC",
      },
    ],
    [
      "that are deleted go on saying what they said",
      {
        tellsUnused: true,
        claims: [{ ...deleted, unused: "True" }],
        writes: [UPDATE],
        lists: ["default"],
        after: "free True Before",
      },
    ],
    [
      "that are used and lack the finalizer get both, one after the other",
      {
        tellsUnused: true,
        claims: [{ finalizers: [] }],
        pods: [{}],
        writes: [STATUS, UPDATE],
        lists: [],
        after: "protected False PodUsingPVC",
      },
    ],
    [
      "that are deleted and used keep the finalizer, with the gate, too",
      { tellsUnused: true, claims: [deleted], pods: [{}], writes: [], lists: [], after: "protected" },
    ],
  ])("%s", async (_, { claims: given, pods = [], isLate = false, tellsUnused, failures, ...expected }) => {
    await newStage(tellsUnused);
    const hold = async (): Promise<void> => {
      for (const each of pods) await pod(each);
    };
    if (!isLate) await hold();
    else {
      await world.start(claimProtectionController());
      world.server.parts.faults.holdWatches({ resource: "pods" });
      await hold();
    }
    for (const each of given) await claim(each);
    if (failures !== undefined)
      world.server.parts.faults.add({
        target: {
          verb: failures.verb,
          resource: failures.resource,
          ...(failures.verb === "list" && { namespace: "default" }),
        },
        action: { kind: "status", when: "before", error: forbidden(resources.pods, "", "no") },
        times: failures.times,
      });
    if (!isLate) await world.start(claimProtectionController());
    expect([...(await writes())].toSorted()).toEqual([...expected.writes].toSorted());
    expect(lists.toSorted()).toEqual(expected.lists);
    if (expected.after !== undefined) expect(await stateOf()).toBe(expected.after);
  });
});

// upstream: the same function, its events of pods
describe("a claim that is being deleted", () => {
  const deleted = { isDeleted: true };
  const deletePod = async (): Promise<void> =>
    world.client
      .clientFor(resources.pods)
      .delete({ namespace: "default", name: "web" }, { gracePeriodSeconds: 0 })
      .then(() => undefined);

  test.each([
    ["runs", "Running"],
    ["has finished", "Succeeded"],
  ])("stays as its pod %s", async (_, phase) => {
    await newStage();
    await claim(deleted);
    const created = await pod();
    await world.start(claimProtectionController());
    await world.client.clientFor<Pod>(resources.pods).updateStatus({ ...created, status: { phase } });
    expect([await writes(), await stateOf()]).toEqual([[], "protected"]);
  });

  test("goes with its pod", async () => {
    await newStage();
    await pod({ phase: "Running" });
    await claim(deleted);
    await world.start(claimProtectionController());
    expect(await writes()).toEqual([]);
    await deletePod();
    expect([await writes(), await stateOf(), lists]).toEqual([[UPDATE], "free", ["default"]]);
  });

  test.each([
    ["that names another claim lets it go", deleted, "other", "free"],
    ["that names it keeps it", deleted, "data", "protected"],
    ["is nothing to a claim that stays", {}, "other", "protected"],
  ])("a pod that came in place of another under its name %s", async (_, facts, named, then) => {
    await newStage();
    await pod();
    await claim(facts);
    await world.start(claimProtectionController());
    const release = world.hideEvents("pods");
    await deletePod();
    await pod({ claim: named });
    release();
    expect([await writes(), await stateOf()]).toEqual([then === "free" ? [UPDATE] : [], then]);
  });

  test("stays as its pod comes to a node", async () => {
    await newStage();
    await claim({});
    await world.start(claimProtectionController());
    await pod({ isPlaced: false });
    await world.run();
    const hold = world.server.parts.faults.holdWatches({ resource: "pods" });
    await world.client
      .clientFor(resources.pods)
      .createSubresource({ namespace: "default", name: "web" }, "binding", {
        metadata: { name: "web" },
        target: { name: "node" },
      });
    await claims().delete({ namespace: "default", name: "data" });
    expect([await writes(), await stateOf()]).toEqual([[], "protected"]);
    hold();
    expect([await writes(), await stateOf()]).toEqual([[], "protected"]);
  });

  test("goes though the cache never heard of the pod that used it", async () => {
    await newStage();
    await claim(deleted);
    await world.start(claimProtectionController());
    expect(await stateOf()).toBe("free");
    await claim({ name: "b", finalizers: [FINALIZER] });
    const release = world.hideEvents("pods");
    await pod({ claim: "b" });
    await claims().delete({ namespace: "default", name: "b" });
    await world.run();
    await deletePod();
    release();
    await world.run(60_000);
    await expect(claims().get({ namespace: "default", name: "b" })).rejects.toThrow("not found");
  });

  test.each([
    ["of an ephemeral volume, whose pod the kubelet is done with, goes", true, true, "free"],
    ["of a pod that the kubelet is done with, and that it goes with, goes", false, true, "free"],
    ["of a pod that the kubelet is done with, which it outlives, stays", false, false, "protected"],
  ])("%s, though the pod waits for its finalizers", async (_, isEphemeral, isOwned, then) => {
    await newStage();
    const template = { volumeClaimTemplate: { spec } };
    const volume = isEphemeral
      ? { ephemeral: template }
      : { persistentVolumeClaim: { claimName: "web-data" } };
    const { metadata } = await pod({ volumes: [{ name: "data", ...volume }], finalizers: [OTHER] });
    const owner = { apiVersion: "v1", kind: "Pod", name: "web", uid: metadata.uid ?? "", controller: true };
    const ownerReferences = isOwned ? [owner] : [];
    await claims().create({
      metadata: { name: "web-data", namespace: "default", finalizers: [FINALIZER, OTHER], ownerReferences },
      spec,
    });
    await claims().delete({ namespace: "default", name: "web-data" });
    await world.start(claimProtectionController());
    expect([await writes(), await stateOf("web-data")]).toEqual([[], "protected"]);
    await deletePod();
    await writes();
    expect(await stateOf("web-data")).toBe(then);
  });

  test("is not held by a pod that has an ephemeral volume for which somebody else has made it", async () => {
    await newStage();
    await pod({ volumes: [{ name: "data", ephemeral: { volumeClaimTemplate: { spec } } }] });
    await claim({ name: "web-data", isDeleted: true });
    await world.start(claimProtectionController());
    await writes();
    expect(await stateOf("web-data")).toBe("free");
  });
});

describe("the use that claims tell of", () => {
  test("ends with the last of their pods", async () => {
    await newStage(true);
    await claim({});
    for (const name of ["a", "b"]) await pod({ name, phase: "Running" });
    await world.start(claimProtectionController());
    expect([await writes(), await stateOf()]).toEqual([[STATUS], "protected False PodUsingPVC"]);
    await world.delete(resources.pods, "a");
    expect(await writes()).toEqual([]);
    await world.delete(resources.pods, "b");
    expect([await writes(), await stateOf()]).toEqual([[STATUS], "protected True NoPodsUsingPVC"]);
    const { status } = await claims().get({ namespace: "default", name: "data" });
    expect(status?.conditions?.[0]).toMatchObject({
      type: "Unused",
      status: "True",
      reason: "NoPodsUsingPVC",
      message: "No pods are currently referencing this PVC",
      lastTransitionTime: expect.stringMatching(/Z$/) as string,
    });
  });

  test("ends as their pod finishes, and begins with the next", async () => {
    await newStage(true);
    await claim({});
    const created = await pod({ phase: "Running" });
    await world.start(claimProtectionController());
    await writes();
    await world.client
      .clientFor<Pod>(resources.pods)
      .updateStatus({ ...created, status: { phase: "Failed" } });
    expect([await writes(), await stateOf()]).toEqual([[STATUS], "protected True NoPodsUsingPVC"]);
    await pod({ name: "next", isPlaced: false });
    expect([await writes(), await stateOf()]).toEqual([[STATUS], "protected False PodUsingPVC"]);
  });
});

test("pods that come and go wake no claim that nobody deletes", async () => {
  await newStage();
  await claim({});
  const set = await world.start(claimProtectionController());
  for (const name of ["a", "b"]) await pod({ name });
  await world.client
    .clientFor(resources.pods)
    .delete({ namespace: "default", name: "a" }, { gracePeriodSeconds: 0 });
  await world.run();
  expect(await world.list(resources.pods)).toHaveLength(1);
  const { pools } = set.health().get("persistentvolumeclaim-protection-controller") ?? {};
  expect(pools?.["pvcprotection"]?.syncs).toBe(0);
});

test("a thousand claims that are deleted at once need few lists", async () => {
  await newStage();
  for (let each = 0; each < 1_000; each++)
    await claim({ name: `c-${each}`, finalizers: [FINALIZER], isDeleted: true });
  await world.start(claimProtectionController());
  await world.run(60_000);
  expect(await world.list(resources.persistentVolumeClaims)).toEqual([]);
  expect(lists.length).toBeLessThan(60);
});

test("it works under the name that upstream has for it", () => {
  const { clientName, eventSource, featureGates } = claimProtectionController();
  expect([clientName, eventSource, featureGates]).toEqual([
    "pvc-protection-controller",
    undefined,
    undefined,
  ]);
});

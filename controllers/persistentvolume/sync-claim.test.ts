import { describe, expect, test } from "vitest";
import type { StorageClass } from "../../pkg/api/types/storage-v1.gen.ts";
import { type Given, syncOnce } from "./one-sync.test-data.ts";
import { claimOf, essenceOf, volumeOf } from "./sketches.test-data.ts";

const classOf = (name: string, more: Partial<StorageClass> = {}): StorageClass => ({
  metadata: { name },
  provisioner: "kubernetes.io/no-provisioner",
  volumeBindingMode: "Immediate",
  ...more,
});
const wait = classOf("wait", { volumeBindingMode: "WaitForFirstConsumer" });
const isDefault = { annotations: { "storageclass.kubernetes.io/is-default-class": "true" } };

interface Case {
  readonly volumes: readonly string[];
  readonly claim: string;
  /** As they are afterwards; left out: as before. */
  readonly volumesThen?: readonly string[];
  readonly claimThen?: string;
  /** How each begins. */
  readonly events?: readonly string[];
  readonly more?: Given;
}

async function check({ volumes, claim, volumesThen, claimThen, events = [], more }: Case): Promise<unknown> {
  const outcome = await syncOnce("claim", {
    classes: [wait],
    volumes: volumes.map(volumeOf),
    claims: [claimOf(claim)],
    ...more,
  });
  expect(outcome.claims.map(essenceOf)).toEqual([essenceOf(claimOf(claimThen ?? claim))]);
  expect(outcome.volumes.map(essenceOf)).toEqual((volumesThen ?? volumes).map(volumeOf).map(essenceOf));
  expect(outcome.events.map((event, at) => event.slice(0, events[at]?.length))).toEqual(events);
  return outcome.error;
}

// upstream: pkg/controller/volume/persistentvolume/binder_test.go#TestSync, set 1
describe("a claim that names no volume", () => {
  test.each<[string, Case]>([
    [
      "gets one that fits",
      {
        volumes: ["v 1Gi Available"],
        claim: "c 1Gi Pending",
        volumesThen: ["v 1Gi Bound for=c:uid-c ours"],
        claimThen: "c 1Gi Bound vol=v ours done",
      },
    ],
    [
      "waits where none is large enough",
      { volumes: ["v 1Gi Available"], claim: "c 10Gi Pending", events: ["Normal FailedBinding"] },
    ],
    [
      "is pending again where none is large enough",
      {
        volumes: ["v 1Gi Available"],
        claim: "c 10Gi Bound",
        claimThen: "c 10Gi Pending",
        events: ["Normal FailedBinding"],
      },
    ],
    [
      "gets the smallest",
      {
        volumes: ["v1 10Gi Available", "v2 1Gi Available"],
        claim: "c 1Gi Pending",
        volumesThen: ["v1 10Gi Available", "v2 1Gi Bound for=c:uid-c ours"],
        claimThen: "c 1Gi Bound vol=v2 ours done",
      },
    ],
    [
      "gets the one that is kept for its name, though another is smaller",
      {
        volumes: ["v1 10Gi Available for=c", "v2 1Gi Available"],
        claim: "c 1Gi Pending",
        volumesThen: ["v1 10Gi Bound for=c:uid-c", "v2 1Gi Available"],
        claimThen: "c 1Gi Bound vol=v1 has=10Gi ours done",
      },
    ],
    [
      "gets the one that is kept for its uid, though another is smaller",
      {
        volumes: ["v1 10Gi Available for=c:uid-c", "v2 1Gi Available"],
        claim: "c 1Gi Pending",
        volumesThen: ["v1 10Gi Bound for=c:uid-c", "v2 1Gi Available"],
        claimThen: "c 1Gi Bound vol=v1 has=10Gi ours done",
      },
    ],
    // upstream: pkg/controller/volume/persistentvolume/index_test.go#TestFindingPreboundVolumes
    [
      "gets one that fits where what is kept for it is too small",
      {
        volumes: ["v1 1Mi Available for=c", "v2 1Gi Available"],
        claim: "c 1Gi Pending",
        volumesThen: ["v1 1Mi Available for=c", "v2 1Gi Bound for=c:uid-c ours"],
        claimThen: "c 1Gi Bound vol=v2 ours done",
      },
    ],
    [
      "gets one that fits where what is kept for it cannot be used as it asks",
      {
        volumes: ["v1 1Gi Available for=c modes=ReadOnlyMany", "v2 1Gi Available"],
        claim: "c 1Gi Pending",
        volumesThen: ["v1 1Gi Available for=c modes=ReadOnlyMany", "v2 1Gi Bound for=c:uid-c ours"],
        claimThen: "c 1Gi Bound vol=v2 ours done",
      },
    ],
    [
      "does not get what is kept for another claim of its name",
      {
        volumes: ["v 10Gi Available for=c:uid-777"],
        claim: "c 1Gi Pending",
        events: ["Normal FailedBinding"],
      },
    ],
    [
      "gets the rest where only the volume was written",
      {
        volumes: ["v 1Gi Available for=c:uid-c ours"],
        claim: "c 1Gi Pending",
        volumesThen: ["v 1Gi Bound for=c:uid-c ours"],
        claimThen: "c 1Gi Bound vol=v ours done",
      },
    ],
    [
      "gets the rest where the volume and its phase were written",
      {
        volumes: ["v 1Gi Bound for=c:uid-c ours"],
        claim: "c 1Gi Pending",
        claimThen: "c 1Gi Bound vol=v ours done",
      },
    ],
    [
      "gets the rest where only its status is missing",
      {
        volumes: ["v 1Gi Bound for=c:uid-c ours"],
        claim: "c 1Gi Pending vol=v ours done",
        claimThen: "c 1Gi Bound vol=v ours done",
      },
    ],
    [
      "gets one that its selector matches",
      {
        volumes: ["v 1Gi Available labels"],
        claim: "c 1Gi Pending selector",
        volumesThen: ["v 1Gi Bound for=c:uid-c ours labels"],
        claimThen: "c 1Gi Bound vol=v ours done selector",
      },
    ],
    [
      "gets none that its selector does not match",
      { volumes: ["v 1Gi Available"], claim: "c 1Gi Pending selector", events: ["Normal FailedBinding"] },
    ],
    [
      "waits for its pod where the class says so",
      {
        volumes: ["v 1Gi Available class=wait"],
        claim: "c 1Gi Pending class=wait",
        events: ["Normal WaitForFirstConsumer waiting for first consumer to be created before binding"],
      },
    ],
    [
      "gets what is kept for it, though its class waits for a pod",
      {
        volumes: ["v 1Gi Available for=c class=wait"],
        claim: "c 1Gi Pending class=wait",
        volumesThen: ["v 1Gi Bound for=c:uid-c class=wait"],
        claimThen: "c 1Gi Bound vol=v ours done class=wait",
      },
    ],
    [
      "gets none that is not available",
      {
        volumes: ["v1 1Gi Pending", "v2 1Gi Failed", "v3 1Gi Released", "v4 1Gi -"],
        claim: "c 1Gi Pending",
        events: ["Normal FailedBinding"],
      },
    ],
    [
      "gets the volume that was made for it and its node",
      {
        volumes: ["v 1Gi Available for=c:uid-c class=wait"],
        claim: "c 1Gi Pending class=wait node=n1",
        volumesThen: ["v 1Gi Bound for=c:uid-c class=wait"],
        claimThen: "c 1Gi Bound vol=v ours done class=wait node=n1",
      },
    ],
    [
      "does not get one that is being deleted",
      { volumes: ["v 1Gi Available going"], claim: "c 1Gi Pending", events: ["Normal FailedBinding"] },
    ],
    [
      "gets one that is growing with what it had before",
      {
        volumes: ["v 2Gi Available was=1Gi"],
        claim: "c 2Gi Pending has=2Gi",
        volumesThen: ["v 2Gi Bound for=c:uid-c ours was=1Gi"],
        claimThen: "c 2Gi Bound vol=v ours done has=1Gi",
      },
    ],
  ])("%s", async (_, each) => {
    expect(await check(each)).toBeUndefined();
  });

  test.each([
    [["one"], "waiting for pod one to be scheduled"],
    [["one", "two"], "waiting for pods one,two to be scheduled"],
  ])("is told to wait for the pods %j, where these have no node", async (names, message) => {
    const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "c" } }];
    const pods = [...names, "placed", "over"].map((name) => ({
      metadata: { name, namespace: "default" },
      spec: { containers: [], volumes, ...(name === "placed" && { nodeName: "node" }) },
      status: { phase: name === "over" ? "Failed" : "Pending" },
    }));
    const events = [`Normal WaitForPodScheduled ${message}`];
    const each = { volumes: [], claim: "c 1Gi Pending class=wait", events, more: { pods } };
    expect(await check(each)).toBeUndefined();
  });
});

// upstream: binder_test.go#TestSync, sets 2 and 14-5-2 to 14-9
describe("a claim that names its volume", () => {
  test.each<[string, Case]>([
    [
      "gets it, though another is smaller",
      {
        volumes: ["v1 10Gi Available", "v2 1Gi Available"],
        claim: "c 1Gi Pending vol=v1",
        volumesThen: ["v1 10Gi Bound for=c:uid-c ours", "v2 1Gi Available"],
        claimThen: "c 1Gi Bound vol=v1 has=10Gi done",
      },
    ],
    [
      "does not get one of other access modes",
      {
        volumes: ["v 1Gi Available"],
        claim: "c 1Gi Pending vol=v modes=ReadWriteMany",
        events: ['Warning VolumeMismatch Cannot bind to requested volume "v": incompatible accessMode'],
      },
    ],
    ["waits for it to come", { volumes: [], claim: "c 10Gi Pending vol=v" }],
    [
      "is pending again where it is not there",
      { volumes: [], claim: "c 10Gi Bound vol=v", claimThen: "c 10Gi Pending vol=v" },
    ],
    [
      "gets it where nobody has it",
      {
        volumes: ["v 1Gi Available"],
        claim: "c 1Gi Pending vol=v",
        volumesThen: ["v 1Gi Bound for=c:uid-c ours"],
        claimThen: "c 1Gi Bound vol=v done",
      },
    ],
    [
      "gets it where it is kept for its name",
      {
        volumes: ["v 1Gi Available for=c"],
        claim: "c 1Gi Pending vol=v",
        volumesThen: ["v 1Gi Bound for=c:uid-c"],
        claimThen: "c 1Gi Bound vol=v done",
      },
    ],
    [
      "gets it where it is kept for its uid",
      {
        volumes: ["v 1Gi Available for=c:uid-c"],
        claim: "c 1Gi Pending vol=v",
        volumesThen: ["v 1Gi Bound for=c:uid-c"],
        claimThen: "c 1Gi Bound vol=v done",
      },
    ],
    [
      "is pending again where another has it",
      {
        volumes: ["v 1Gi Bound for=other:uid-other"],
        claim: "c 1Gi Bound vol=v",
        claimThen: "c 1Gi Pending vol=v",
        events: ['Warning FailedBinding volume "v" already bound to a different claim.'],
      },
    ],
    [
      "gets it though its selector does not match",
      {
        volumes: ["v 1Gi Available"],
        claim: "c 1Gi Pending vol=v selector",
        volumesThen: ["v 1Gi Bound for=c:uid-c ours"],
        claimThen: "c 1Gi Bound vol=v done selector",
      },
    ],
    [
      "does not get it where it is too small",
      {
        volumes: ["v 1Gi Available"],
        claim: "c 2Gi Bound vol=v",
        claimThen: "c 2Gi Pending vol=v",
        events: ['Warning VolumeMismatch Cannot bind to requested volume "v": requested PV is too small'],
      },
    ],
    [
      "does not get it where it is of another class",
      {
        volumes: ["v 1Gi Available class=gold"],
        claim: "c 1Gi Bound vol=v",
        claimThen: "c 1Gi Pending vol=v",
        events: [
          'Warning VolumeMismatch Cannot bind to requested volume "v": storageClassName does not match',
        ],
      },
    ],
    [
      "does not get it where it has other attributes",
      {
        volumes: ["v 1Gi Available attributes=gold"],
        claim: "c 1Gi Bound vol=v",
        claimThen: "c 1Gi Pending vol=v",
        events: [
          'Warning VolumeMismatch Cannot bind to requested volume "v": volumeAttributesClassName does not match',
        ],
      },
    ],
    [
      "gets it with its attributes",
      {
        volumes: ["v 1Gi Available attributes=gold"],
        claim: "c 1Gi Pending vol=v attributes=gold",
        volumesThen: ["v 1Gi Bound for=c:uid-c ours attributes=gold"],
        claimThen: "c 1Gi Bound vol=v done attributes=gold",
      },
    ],
    [
      "does not get it where both class and mode of use are others",
      {
        volumes: ["v 10Gi Available class=gold"],
        claim: "c 10Gi Pending vol=v class=silver",
        events: [
          'Warning VolumeMismatch Cannot bind to requested volume "v": storageClassName does not match',
        ],
      },
    ],
    [
      "does not get it where it is a device",
      {
        volumes: ["v 10Gi Available mode=Block"],
        claim: "c 10Gi Pending vol=v",
        events: ['Warning VolumeMismatch Cannot bind to requested volume "v": incompatible volumeMode'],
      },
    ],
    [
      "gets a device where it wants one",
      {
        volumes: ["v 10Gi Available mode=Block"],
        claim: "c 10Gi Pending vol=v mode=Block",
        volumesThen: ["v 10Gi Bound for=c:uid-c ours mode=Block"],
        claimThen: "c 10Gi Bound vol=v done mode=Block",
      },
    ],
    [
      "does not get one that is being deleted",
      {
        volumes: ["v 10Gi Available going"],
        claim: "c 10Gi Pending vol=v",
        events: [
          'Warning VolumeMismatch Cannot bind to requested volume "v": the volume is marked for deletion "v"',
        ],
      },
    ],
  ])("%s", async (_, each) => {
    expect(await check(each)).toBeUndefined();
  });

  test("as the controller has written it, and another has it, is an error", async () => {
    const claim = "c 1Gi Bound vol=v ours";
    const events = ['Warning FailedBinding volume "v" already bound to a different claim.'];
    const error = await check({ volumes: ["v 1Gi Bound for=other:uid-other"], claim, events });
    expect(error).toEqual(
      new Error(
        'invalid binding of claim "default/c" to volume "v": volume already claimed by "default/other"',
      ),
    );
  });
});

// upstream: binder_test.go#TestSync, set 3
describe("a claim that was bound", () => {
  const lost = "Warning ClaimLost Bound claim has lost its PersistentVolume. Data on the volume is lost!";
  const misbound =
    "Warning ClaimMisbound Two claims are bound to the same volume, this one is bound incorrectly";
  const unseenVolume = { unseen: [volumeOf("v 10Gi Bound for=c:uid-c ours")] };
  test.each<[string, Case]>([
    [
      "is lost where it names no volume any more",
      {
        volumes: [],
        claim: "c 10Gi Bound ours done",
        claimThen: "c 10Gi Lost ours done",
        events: [
          "Warning ClaimLost Bound claim has lost reference to PersistentVolume. Data on the volume is lost!",
        ],
      },
    ],
    [
      "is lost where the volume is gone",
      {
        volumes: [],
        claim: "c 10Gi Bound vol=v ours done",
        claimThen: "c 10Gi Lost vol=v ours done",
        events: [lost],
      },
    ],
    [
      "gets its volume back where nobody has it",
      {
        volumes: ["v 10Gi Available"],
        claim: "c 10Gi Pending vol=v ours done",
        volumesThen: ["v 10Gi Bound for=c:uid-c ours"],
        claimThen: "c 10Gi Bound vol=v ours done",
      },
    ],
    [
      "is lost where the volume is of another claim of its name",
      {
        volumes: ["v 10Gi Available for=c:uid-x"],
        claim: "c 10Gi Pending vol=v ours done",
        claimThen: "c 10Gi Lost vol=v ours done",
        events: [misbound],
      },
    ],
    [
      "says so, and so does its volume",
      {
        volumes: ["v 10Gi Available for=c:uid-c"],
        claim: "c 10Gi Pending vol=v done",
        volumesThen: ["v 10Gi Bound for=c:uid-c"],
        claimThen: "c 10Gi Bound vol=v done",
      },
    ],
    [
      "is lost where the volume is of another claim",
      {
        volumes: ["v 10Gi Available for=x:uid-x"],
        claim: "c 10Gi Pending vol=v done",
        claimThen: "c 10Gi Lost vol=v done",
        events: [misbound],
      },
    ],
    [
      "gets its volume back though its selector does not match",
      {
        volumes: ["v 10Gi Available"],
        claim: "c 10Gi Pending vol=v ours done selector",
        volumesThen: ["v 10Gi Bound for=c:uid-c ours"],
        claimThen: "c 10Gi Bound vol=v ours done selector",
      },
    ],
    ["and is lost says so no second time", { volumes: [], claim: "c 10Gi Lost vol=v ours done" }],
    [
      "is not lost for a volume that only the cache lacks",
      {
        volumes: [],
        claim: "c 10Gi Bound vol=v ours done",
        volumesThen: ["v 10Gi Bound for=c:uid-c ours"],
        more: unseenVolume,
      },
    ],
    [
      "keeps what its file system has, though the volume is larger",
      { volumes: ["v 10Gi Bound for=c:uid-c ours"], claim: "c 1Gi Bound vol=v has=1Gi ours done" },
    ],
  ])("%s", async (_, each) => {
    expect(await check(each)).toBeUndefined();
  });
});

// upstream: binder_test.go#TestSync, set 13, and #TestSyncBlockVolume
describe("class and mode of use", () => {
  const bound = (
    volumes: readonly string[],
    claim: string,
    volumesThen: readonly string[],
    claimThen: string,
  ): Case => ({
    volumes,
    claim,
    volumesThen,
    claimThen,
  });
  const unknown = ["Warning ProvisioningFailed storageclass.storage.k8s.io"];
  test.each<[string, Case]>([
    [
      "of the claim, though a smaller volume has none",
      bound(
        ["v1 1Gi Available", "v2 10Gi Available class=gold"],
        "c 1Gi Pending class=gold",
        ["v1 1Gi Available", "v2 10Gi Bound for=c:uid-c ours class=gold"],
        "c 1Gi Bound vol=v2 has=10Gi ours done class=gold",
      ),
    ],
    [
      "none, though a smaller volume has one",
      bound(
        ["v1 1Gi Available class=gold", "v2 10Gi Available"],
        "c 1Gi Pending",
        ["v1 1Gi Available class=gold", "v2 10Gi Bound for=c:uid-c ours"],
        "c 1Gi Bound vol=v2 has=10Gi ours done",
      ),
    ],
    [
      "of the claim, though a smaller volume has another",
      bound(
        ["v1 1Gi Available class=silver", "v2 10Gi Available class=gold"],
        "c 1Gi Pending class=gold",
        ["v1 1Gi Available class=silver", "v2 10Gi Bound for=c:uid-c ours class=gold"],
        "c 1Gi Bound vol=v2 has=10Gi ours done class=gold",
      ),
    ],
    [
      "the empty class is none",
      bound(
        ["v 1Gi Available"],
        "c 1Gi Pending class=",
        ["v 1Gi Bound for=c:uid-c ours"],
        "c 1Gi Bound vol=v ours done class=",
      ),
    ],
    [
      "a device for who wants one",
      bound(
        ["v 10Gi Available mode=Block"],
        "c 10Gi Pending mode=Block",
        ["v 10Gi Bound for=c:uid-c ours mode=Block"],
        "c 10Gi Bound vol=v ours done mode=Block",
      ),
    ],
    [
      "no file system for who wants a device",
      { volumes: ["v 10Gi Available"], claim: "c 10Gi Pending mode=Block", events: ["Normal FailedBinding"] },
    ],
    [
      "no device for who wants a file system",
      { volumes: ["v 10Gi Available mode=Block"], claim: "c 10Gi Pending", events: ["Normal FailedBinding"] },
    ],
    [
      "the right class does not help where the mode is another",
      {
        volumes: ["v 10Gi Available class=gold"],
        claim: "c 10Gi Pending mode=Block class=gold",
        events: unknown,
      },
    ],
    [
      "the right mode does not help where the class is another",
      { volumes: ["v 10Gi Available class=gold"], claim: "c 10Gi Pending class=silver", events: unknown },
    ],
    [
      "a device that is kept for who wants one",
      bound(
        ["v 10Gi Available for=c mode=Block"],
        "c 10Gi Pending mode=Block",
        ["v 10Gi Bound for=c:uid-c mode=Block"],
        "c 10Gi Bound vol=v ours done mode=Block",
      ),
    ],
    [
      "a device that is kept is not for who wants a file system",
      {
        volumes: ["v 10Gi Available for=c mode=Block"],
        claim: "c 10Gi Pending",
        events: ["Normal FailedBinding"],
      },
    ],
    [
      "attributes of the claim, and none others",
      {
        volumes: ["v 1Gi Available attributes=gold"],
        claim: "c 1Gi Pending attributes=silver",
        events: ["Normal FailedBinding"],
      },
    ],
  ])("%s", async (_, each) => {
    expect(await check(each)).toBeUndefined();
  });
});

// upstream: pv_controller_test.go#TestRetroactiveStorageClassAssignment
describe("a claim that names no class", () => {
  const gold = classOf("gold");
  const defaults = (...names: readonly string[]): Given => ({
    classes: ["copper", "gold", "silver"].map((name) =>
      classOf(name, { metadata: { name, ...(names.includes(name) && isDefault) } }),
    ),
  });
  test.each<[string, Case]>([
    [
      "keeps it so where there is no default",
      { volumes: [], claim: "c 1Gi Pending", events: ["Normal FailedBinding"], more: { classes: [gold] } },
    ],
    [
      "takes the default",
      { volumes: [], claim: "c 1Gi Pending", claimThen: "c 1Gi Pending class=gold", more: defaults("gold") },
    ],
    [
      "takes the first of two defaults of one age",
      {
        volumes: [],
        claim: "c 1Gi Pending",
        claimThen: "c 1Gi Pending class=gold",
        more: defaults("silver", "gold"),
      },
    ],
    [
      "gets a volume without class before it takes the default",
      {
        volumes: ["v 1Gi Available"],
        claim: "c 1Gi Pending",
        volumesThen: ["v 1Gi Bound for=c:uid-c ours"],
        claimThen: "c 1Gi Bound vol=v ours done",
        more: defaults("gold"),
      },
    ],
    [
      "but one by annotation keeps that",
      {
        volumes: [],
        claim: "c 1Gi Pending betaClass",
        events: ['Warning ProvisioningFailed storageclass.storage.k8s.io "yes" not found'],
        more: defaults("gold"),
      },
    ],
    [
      "but another keeps that",
      {
        volumes: [],
        claim: "c 1Gi Pending class=copper",
        events: ["Warning ProvisioningFailed no volume plugin matched name: kubernetes.io/no-provisioner"],
        more: defaults("gold"),
      },
    ],
    [
      "and is lost does not take the default",
      {
        volumes: [],
        claim: "c 1Gi Bound vol=v class=copper ours done",
        claimThen: "c 1Gi Lost vol=v class=copper ours done",
        events: ["Warning ClaimLost"],
        more: defaults("gold"),
      },
    ],
    [
      "and names its volume does not take the default",
      {
        volumes: [],
        claim: "c 1Gi Bound vol=v class=copper",
        claimThen: "c 1Gi Pending vol=v class=copper",
        more: defaults("gold"),
      },
    ],
    [
      "though it is empty keeps it so",
      {
        volumes: [],
        claim: "c 1Gi Pending class=",
        events: ["Normal FailedBinding"],
        more: defaults("gold"),
      },
    ],
  ])("%s", async (_, each) => {
    expect(await check(each)).toBeUndefined();
  });
});

test("a volume that somebody else is writing is waited for", async () => {
  const given = { volumes: [volumeOf("v 1Gi Available")], claims: [claimOf("c 1Gi Pending")], held: "v" };
  const { requests, woken, result } = await syncOnce("claim", given);
  expect([requests, woken, result]).toEqual([[], ["claim default/c"], {}]);
});

describe("a binding that fails midway", () => {
  test.each([
    ["PUT", "/persistentvolumes/v", 0],
    ["PUT", "/persistentvolumes/v/status", 1],
    ["PUT", "/persistentvolumeclaims/c", 2],
    ["PUT", "/persistentvolumeclaims/c/status", 3],
  ])("at %s %s is an error after %i writes, and nothing goes on", async (method, path, writes) => {
    const outcome = await syncOnce("claim", {
      volumes: [volumeOf("v 1Gi Available")],
      claims: [claimOf("c 1Gi Pending")],
      failing: [{ method, path, status: 500 }],
    });
    expect(outcome.error).toMatchObject({ code: 500 });
    expect(outcome.requests.filter((line) => line.startsWith("PUT"))).toHaveLength(writes + 1);
  });

  test.each([409, 404])("by an answer %i waits for the caches to tell", async (status) => {
    const reason = status === 409 ? "Conflict" : "NotFound";
    const outcome = await syncOnce("claim", {
      volumes: [volumeOf("v 1Gi Available")],
      claims: [claimOf("c 1Gi Pending")],
      failing: [{ method: "PUT", path: "/persistentvolumes/v", status, reason }],
    });
    expect([outcome.error, outcome.result]).toEqual([undefined, { backOff: true }]);
  });
});

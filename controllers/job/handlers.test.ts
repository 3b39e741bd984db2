import type { Stored } from "../../pkg/api/object.ts";
import { asStored } from "../../test/harness/stored.ts";
import { beforeEach, describe, expect, test } from "vitest";
import { newControllerRef } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type { Job } from "../../pkg/api/types/batch-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { DeletionTracking, Expectations } from "../../pkg/controller/expectations.ts";
import { itsOwner } from "../../pkg/controller/wake-rules.ts";
import type { WorkQueue } from "../../pkg/workqueue/queue.ts";
import { createWorkQueue } from "../../pkg/workqueue/work-queue.ts";
import { drain } from "../../test/harness/lister-of.ts";
import { listenerHandler, type RuleHandler, ruleHandler } from "../../test/harness/rule-handler.ts";
import { VirtualClock } from "../../pkg/testing/virtual-clock.ts";
import type { JobContext } from "./context.ts";
import * as rules from "./handlers.ts";
import type { OrphanKey } from "./keys.ts";
import { Recorder } from "./recorder.test-data.ts";
import { job, NOW_MS, pod } from "./samples.test-data.ts";
import type { CachedPod } from "./job-pods.ts";

const BATCH_MS = 1_000;
const complete = { conditions: [{ type: "Complete", status: "True" }] };

let recorder: Recorder;
let context: JobContext;
let clock: VirtualClock;
let queues: { readonly jobs: WorkQueue<string>; readonly orphans: WorkQueue<OrphanKey> };
let expectations: Expectations;
let deletions: DeletionTracking;
beforeEach(() => know(named("job1"), named("job2"), selecting("other", { other: "labels" })));

describe("a pod that nobody manages wakes", () => {
  // upstream: pkg/controller/job/job_controller_test.go#TestJobPodLookup, #TestAddPodOrphan
  test.each<[string, readonly Stored<Job>[], Stored<Pod>, readonly string[]]>([
    ["nobody without labels", [named("basic")], labelled({}), []],
    ["nobody of another namespace", [named("foo")], elsewhere(labelled({ app: "job" })), []],
    ["who selects it", [named("bar")], labelled({ app: "job" }), ["default/bar"]],
    [
      "all that select it",
      [named("a"), named("b"), selecting("c", { other: "labels" })],
      labelled({ app: "job" }),
      ["default/a", "default/b"],
    ],
  ])("%s", async (_, known, added, expected) => {
    know(...known);
    podsOf().onAdd(added, false);
    expect(await woken()).toEqual(expected);
  });

  // upstream: pkg/controller/job/job_controller_test.go#TestDeletePodOrphan
  test("nobody when it is gone", async () => {
    podsOf().onDelete(labelled({ app: "job" }), false);
    expect(await woken()).toEqual([]);
  });
});

// upstream: pkg/controller/job/job_controller_test.go#TestAddPod, #TestUpdatePod, #TestDeletePod, #TestJobBackoff
describe("a pod wakes its Job, and no sooner than all that happens in a second is known", () => {
  test.each<[string, (handler: RuleHandler<Pod>, owned: Stored<Pod>) => void]>([
    ["when it was added", (handler, owned) => handler.onAdd(owned, false)],
    ["when it was changed", (handler, owned) => handler.onUpdate(at("1", owned), at("2", failed(owned)))],
    ["when it is gone", (handler, owned) => handler.onDelete(owned, false)],
  ])("%s", async (_, happen) => {
    for (const name of ["job1", "job2"]) {
      happen(podsOf(), ownedBy(named(name)));
      await clock.advanceBy(BATCH_MS - 1);
      expect(drain(queues.jobs)).toEqual([]);
      await clock.advanceBy(1);
      expect(drain(queues.jobs)).toEqual([`default/${name}`]);
    }
  });
});

describe("a pod that was changed wakes", () => {
  // upstream: pkg/controller/job/job_controller_test.go#TestUpdatePodOrphanWithNewLabels,
  // #TestUpdatePodChangeControllerRef, #TestUpdatePodRelease
  test.each<[string, Stored<Pod>, Stored<Pod>, readonly string[]]>([
    [
      "all that select it when it has other labels",
      labelled({ foo: "bar" }),
      labelled({ app: "job" }),
      ["default/job1", "default/job2"],
    ],
    [
      "both when it was handed over",
      ownedBy(named("job2")),
      ownedBy(named("job1")),
      ["default/job1", "default/job2"],
    ],
    [
      "all that select it when it is let go",
      ownedBy(named("job1")),
      labelled({ app: "job" }),
      ["default/job1", "default/job2"],
    ],
    [
      "its former Job when it was taken away and deleted in one",
      ownedBy(named("job1")),
      leaving(labelled({ app: "job" })),
      ["default/job1"],
    ],
    ["nobody when it is an orphan as before", labelled({ app: "job" }), labelled({ app: "job" }), []],
  ])("%s", async (_, before, after, expected) => {
    podsOf().onUpdate(at("1", before), at("2", after));
    expect((await woken()).toSorted()).toEqual(expected);
  });

  test("nobody when it is told of again", async () => {
    podsOf().onUpdate(at("1", ownedBy(named("job1"))), at("1", ownedBy(named("job1"))));
    expect(await woken()).toEqual([]);
  });
});

describe("expectations", () => {
  test("are met by creations, and not by a pod that is being deleted when it is first seen", () => {
    expectations.expectCreations(named("job1"), 2);
    podsOf().onAdd(ownedBy(named("job1")), false);
    podsOf().onAdd(leaving(ownedBy(named("job1"))), false);
    expect(expectations.get(named("job1"))?.creations).toBe(1);
  });

  test("are met once by a deletion that is seen twice", () => {
    deletions.expectDeletions(named("job1"), ["default/pod", "default/other"]);
    const owned = ownedBy(named("job1"));
    podsOf().onUpdate(at("1", owned), at("2", leaving(owned)));
    podsOf().onDelete(leaving(owned), false);
    expect(expectations.get(named("job1"))?.deletions).toBe(1);
  });

  // upstream: pkg/controller/job/job_controller_test.go#TestFinalizersRemovedExpectations
  test.each<[string, (handler: RuleHandler<Pod>, owned: Stored<Pod>) => void, boolean]>([
    [
      "are met without the finalizer",
      (h, owned) => h.onUpdate(at("1", owned), at("2", released(owned))),
      true,
    ],
    [
      "are met without the finalizer in a pod that is being deleted",
      (h, owned) => h.onUpdate(at("1", owned), at("2", released(leaving(owned)))),
      true,
    ],
    [
      "are not met by a deletion with the finalizer",
      (h, owned) => h.onUpdate(at("1", owned), at("2", leaving(owned))),
      false,
    ],
    ["are met by a pod that is gone", (h, owned) => h.onDelete(owned, false), true],
  ])("of finalizers %s", (_, happen, met) => {
    context.finalizers.expectRemoval(named("job1"), ["pod"]);
    happen(podsOf(), ownedBy(named("job1")));
    expect(context.finalizers.awaited(named("job1")).size).toBe(met ? 0 : 1);
  });
});

// upstream: pkg/controller/job/job_controller_test.go#TestWatchOrphanPods
describe("a pod with the finalizer is left to those who look for orphans", () => {
  test.each<[string, Job | undefined]>([
    ["when its Job is not there", named("nowhere")],
    ["when it has none", undefined],
    ["when its Job has finished", { ...named("done"), status: complete }],
  ])("%s", (_, owner) => {
    know({ ...named("done"), status: complete });
    podsOf().onAdd(leaving(owner === undefined ? labelled({}) : ownedBy(asStored(owner))), false);
    expect(orphans()).toEqual(["default/pod"]);
  });

  test.each<[string, Record<string, string>, string[]]>([
    ["when its Job, which is being deleted, does not select it any more", {}, ["default/pod"]],
    ["but not when its Job, which is being deleted, has yet to count it", { app: "job" }, []],
  ])("%s", (_, labels, left) => {
    const going = named("going");
    know({ ...going, metadata: { ...going.metadata, deletionTimestamp: formatTime(NOW_MS) } });
    const owned = ownedBy(going);
    podsOf().onAdd(leaving({ ...owned, metadata: { ...owned.metadata, labels } }), false);
    expect(orphans()).toEqual(left);
  });

  test("but not while its Job runs", () => {
    podsOf().onAdd(leaving(ownedBy(named("job1"))), false);
    expect(orphans()).toEqual([]);
  });
});

describe("a Job", () => {
  // upstream: pkg/controller/job/job_controller_test.go#TestUpdateJobRequeue
  test("is looked at at once when its spec changes, and with the next batch when its status does", async () => {
    const before = { ...named("job1"), metadata: { ...named("job1").metadata, generation: 1 } };
    const after = { ...before, metadata: { ...before.metadata, generation: 2 } };
    jobsOf().onUpdate(at("1", before), at("2", after));
    expect(drain(queues.jobs)).toEqual(["default/job1"]);
    jobsOf().onUpdate(at("2", after), at("3", { ...after, status: { startTime: formatTime(NOW_MS) } }));
    expect(drain(queues.jobs)).toEqual([]);
    expect(await woken()).toEqual(["default/job1"]);
  });

  test("is looked at at once when its new time is over", () => {
    const before = { ...named("job1"), status: { startTime: formatTime(NOW_MS - 30_000) } };
    const after = { ...before, spec: { ...before.spec, template: {}, activeDeadlineSeconds: 20 } };
    jobsOf().onUpdate(at("1", before), at("2", after));
    expect(drain(queues.jobs)).toEqual(["default/job1"]);
  });

  test.each<[string, (handler: RuleHandler<Job>) => void]>([
    [
      "finished",
      (handler) => handler.onUpdate(at("1", named("job1")), at("2", { ...named("job1"), status: complete })),
    ],
    ["gone", (handler) => handler.onDelete(named("job1"), false)],
  ])("that is %s leaves its pods to those who look for orphans", (_, happen) => {
    happen(jobsOf());
    expect(orphans()).toEqual(["default/(app=job)"]);
  });

  test("that has finished is forgotten, as no sync does it", () => {
    context.finished.set(named("job1"), true);
    context.backoffs.set(named("job1"), { failuresSinceSuccess: 1, lastFailureMs: 0 });
    jobsOf().onUpdate(at("1", named("job1")), at("2", { ...named("job1"), status: complete }));
    expect([context.finished.size, context.backoffs.size]).toEqual([0, 0]);
    expect(drain(queues.jobs)).toEqual([]);
  });

  test("that is gone leaves also those of its pods that it selects no more to those who look for orphans", () => {
    const owner = named("job1");
    const owned = ownedBy(owner);
    const taken = { ...owned, metadata: { ...owned.metadata, name: "taken", labels: {} } };
    context = { ...new Recorder(owner, { looseToo: true }).context([taken], [owner]), clock };
    jobsOf().onDelete(owner, false);
    expect(orphans()).toEqual(["default/(app=job)", "default/taken"]);
  });

  test("that another of its name has replaced leaves its pods to those who look for orphans", async () => {
    const first = named("job1");
    const second = { ...first, metadata: { ...first.metadata, uid: "uid of the second" } };
    jobsOf().onUpdate(at("1", first), at("2", second));
    expect(orphans()).toEqual(["default/(app=job)"]);
    expect(drain(queues.jobs)).toEqual(["default/job1"]);
  });
});

test("a namespace wakes its Jobs when it begins to be deleted, and only then", async () => {
  const namespace = { metadata: { name: "default", resourceVersion: "1" } };
  const going = { metadata: { ...namespace.metadata, deletionTimestamp: formatTime(NOW_MS) } };
  const handler = ruleHandler(rules.namespaceRule(context.jobs.lister), queues.jobs);
  handler.onUpdate(namespace, namespace);
  expect(await woken()).toEqual([]);
  handler.onUpdate(namespace, going);
  expect(await woken()).toEqual(["default/job1", "default/job2", "default/other"]);
  handler.onUpdate(going, going);
  expect(await woken()).toEqual([]);
});

// upstream: pkg/controller/job/tracking_utils_test.go#TestRecordFinishedPodWithTrackingFinalizer
test.each<[string, Pod | undefined, Pod | undefined, string]>([
  ["a pod that has not finished", undefined, pod({ phase: "Pending" }), ""],
  ["a pod that fails", pod(), pod({ phase: "Failed" }), "add"],
  ["a pod that succeeds", pod(), pod({ phase: "Succeeded" }), "add"],
  [
    "one that loses the finalizer",
    pod({ phase: "Succeeded" }),
    pod({ phase: "Succeeded", tracked: false }),
    "delete",
  ],
  ["one that is gone without it", pod({ phase: "Succeeded", tracked: false }), undefined, ""],
])("the metric of finished pods with the finalizer, %s: %s", (_, before, after, expected) => {
  const handler = podsOf();
  if (before === undefined && after !== undefined) handler.onAdd(after, false);
  else if (before !== undefined && after === undefined) handler.onDelete(before, false);
  else if (before !== undefined && after !== undefined) handler.onUpdate(at("1", before), at("2", after));
  expect(recorder.tracked).toEqual(expected === "" ? [] : [expected]);
});

function know(...known: readonly Stored<Job>[]): void {
  recorder = new Recorder(job(), {});
  clock = new VirtualClock(NOW_MS);
  context = { ...recorder.context([], known), clock };
  queues = { jobs: createWorkQueue<string>({ clock }), orphans: createWorkQueue<OrphanKey>({ clock }) };
  expectations = new Expectations(clock);
  deletions = new DeletionTracking(expectations);
}

function podsOf(): RuleHandler<CachedPod> {
  return together(
    listenerHandler(rules.podListener(context)),
    ruleHandler(itsOwner({ owners: context.jobs, observer: deletions, ...rules.itsJob }), queues.jobs),
    ruleHandler(rules.orphanRule(context), queues.orphans),
  );
}

function jobsOf(): RuleHandler<Job> {
  return together(
    listenerHandler(rules.jobListener(context)),
    ruleHandler(rules.jobRule(context), queues.jobs),
    ruleHandler(rules.orphansOfJobs(context), queues.orphans),
  );
}

/** As a cache tells all that hear it. */
function together<T>(...handlers: readonly RuleHandler<T>[]): RuleHandler<T> {
  return {
    onAdd: (...told) => handlers.forEach((handler) => handler.onAdd(...told)),
    onUpdate: (...told) => handlers.forEach((handler) => handler.onUpdate(...told)),
    onDelete: (...told) => handlers.forEach((handler) => handler.onDelete(...told)),
  };
}

/** The keys of the other queue. */
function orphans(): readonly string[] {
  return drain(queues.orphans).map(String);
}

/** The Jobs that are looked at within the time in which changes are gathered. */
async function woken(): Promise<readonly string[]> {
  await clock.advanceBy(BATCH_MS);
  return drain(queues.jobs);
}

function named(name: string): Stored<Job> {
  return selecting(name, { app: "job" });
}

function selecting(name: string, matchLabels: Readonly<Record<string, string>>): Stored<Job> {
  const base = job({ selector: { matchLabels } });
  return { ...base, metadata: { ...base.metadata, name, uid: `uid of ${name}` } };
}

function labelled(labels: Readonly<Record<string, string>>): Stored<Pod> {
  const orphan = pod();
  return { ...orphan, metadata: { ...orphan.metadata, labels } };
}

function ownedBy(owner: Stored<Job>): Stored<Pod> {
  const owned = labelled({ app: "job" });
  return {
    ...owned,
    metadata: { ...owned.metadata, ownerReferences: [newControllerRef(asStored(owner), resources.jobs)] },
  };
}

function leaving(going: Stored<Pod>): Stored<Pod> {
  return { ...going, metadata: { ...going.metadata, deletionTimestamp: formatTime(NOW_MS) } };
}

function released(tracked: Stored<Pod>): Stored<Pod> {
  return { ...tracked, metadata: { ...tracked.metadata, finalizers: [] } };
}

function failed(running: Stored<Pod>): Stored<Pod> {
  return { ...running, status: { phase: "Failed" } };
}

function elsewhere(other: Stored<Pod>): Stored<Pod> {
  return { ...other, metadata: { ...other.metadata, namespace: "elsewhere" } };
}

function at<T extends Job | Pod>(resourceVersion: string, object: T): T {
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
}

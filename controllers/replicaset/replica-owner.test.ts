import { beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { DeletionTracking, Expectations } from "../../pkg/controller/expectations.ts";
import { itsPodOwner } from "../../pkg/controller/pod-rule.ts";
import { itsOwner } from "../../pkg/controller/wake-rules.ts";
import type { WorkQueue } from "../../pkg/workqueue/queue.ts";
import { createWorkQueue } from "../../pkg/workqueue/work-queue.ts";
import { drain, listerOf } from "../../test/harness/lister-of.ts";
import { type RuleHandler, ruleHandler } from "../../test/harness/rule-handler.ts";
import { VirtualClock } from "../../pkg/testing/virtual-clock.ts";
import { OWNER_OF_PODS, type ReplicaOwner } from "./replica-owner.ts";
import { pod, replicaSet } from "./samples.test-data.ts";

let clock: VirtualClock;
let queue: WorkQueue<string>;
let expectations: Expectations;
let deletions: DeletionTracking;
beforeEach(() => {
  clock = new VirtualClock();
  queue = createWorkQueue<string>({ clock });
  expectations = new Expectations(clock);
  deletions = new DeletionTracking(expectations);
});

describe("a pod that nobody manages wakes", () => {
  // upstream: pkg/controller/replicaset/replica_set_test.go#TestPodControllerLookup
  test.each<[string, readonly ReplicaSet[], Pod, readonly string[]]>([
    ["nobody without labels", [replicaSet("basic", 1)], pod("p", undefined, {}), []],
    ["nobody of another namespace", [replicaSet("foo", 1)], elsewhere(pod("p")), []],
    ["who selects it, by key", [replicaSet("bar", 1)], pod("p"), ["default/bar"]],
    ["all that select it", [replicaSet("a", 1), replicaSet("b", 1)], pod("p"), ["default/a", "default/b"]],
    ["nobody with an empty selector", [replicaSet("all", 1, {})], pod("p"), []],
  ])("%s", (_, owners, added, expected) => {
    podsOf(owners).onAdd(added, false);
    expect(drain(queue)).toEqual(expected);
  });
});

describe("a pod that was added", () => {
  // upstream: pkg/controller/replicaset/replica_set_test.go#TestOverlappingRSs
  test("wakes its owner alone, however many select it", () => {
    const owners = Array.from({ length: 9 }, (_, index) => replicaSet(`rs${index + 1}`, 1));
    podsOf(owners).onAdd(pod("p", owners[3]), false);
    expect(drain(queue)).toEqual(["default/rs4"]);
  });

  test("counts as a creation that was expected, unless it is an orphan", () => {
    const owner = replicaSet("rs", 2);
    expectations.expectCreations(owner, 2);
    podsOf([owner]).onAdd(pod("orphan"), false);
    podsOf([owner]).onAdd(pod("p", owner), false);
    expect(expectations.get(owner)?.creations).toBe(1);
  });
});

describe("a pod that was changed wakes", () => {
  const one = replicaSet("foobar", 1, { foo: "bar" });
  const two = replicaSet("barfoo", 1, { bar: "foo" });
  // upstream: pkg/controller/replicaset/replica_set_test.go#TestUpdatePods
  test.each<[string, Pod, Pod, readonly string[]]>([
    ["its owner, whatever its labels", pod("p", one), pod("p", one, { bar: "foo" }), ["default/foobar"]],
    [
      "its former owner, which selects it",
      pod("p", two, { bar: "foo" }),
      pod("p", undefined, { bar: "foo" }),
      ["default/barfoo"],
    ],
    [
      "its former owner and who selects it",
      pod("p", one, { bar: "foo" }),
      pod("p", undefined, { bar: "foo" }),
      ["default/foobar", "default/barfoo"],
    ],
    ["its owner when relabelled", pod("p", two), pod("p", two, { bar: "foo" }), ["default/barfoo"]],
    [
      "both owners when it was handed over",
      pod("p", one),
      pod("p", two),
      ["default/foobar", "default/barfoo"],
    ],
    ["nobody, when an orphan changed in nothing that matters", pod("p"), pod("p"), []],
  ])("%s", (_, before, after, expected) => {
    podsOf([one, two]).onUpdate(at("1", before), at("2", after));
    expect(drain(queue)).toEqual(expected);
  });

  test("nobody when it is told of again", () => {
    podsOf([one]).onUpdate(at("1", pod("p", one)), at("1", pod("p", one)));
    expect(drain(queue)).toEqual([]);
  });

  test("its owner once more when it has been ready for long enough", async () => {
    const patient: ReplicaSet = { ...one, spec: { ...one.spec, minReadySeconds: 7, selector: {} } };
    podsOf([patient]).onUpdate(at("1", pod("p", patient)), at("2", ready(pod("p", patient))));
    expect(drain(queue)).toEqual(["default/foobar"]);
    await clock.advanceBy(6_999);
    expect(drain(queue)).toEqual([]);
    await clock.advanceBy(1);
    expect(drain(queue)).toEqual(["default/foobar"]);
  });
});

// upstream: pkg/controller/replicaset/replica_set_test.go#TestDeletionTimestamp
describe("a pod that is being deleted", () => {
  const owner = replicaSet("rs", 1);
  const going = at("1", leaving(pod("p", owner)));
  const other = pod("other", owner);
  let handler: RuleHandler<Pod>;
  const fulfilled = (): boolean => expectations.satisfied(owner);
  beforeEach(() => {
    handler = podsOf([owner]);
  });

  test("counts as a deletion, not as a creation, when it is seen for the first time", () => {
    deletions.expectDeletions(owner, ["default/p"]);
    handler.onAdd(going, false);
    expect(drain(queue)).toEqual(["default/rs"]);
    expect(fulfilled()).toBe(true);
  });

  test("counts as a deletion when it begins to be", () => {
    deletions.expectDeletions(owner, ["default/p"]);
    handler.onUpdate(at("2", pod("p", owner)), going);
    expect(drain(queue)).toEqual(["default/rs"]);
    expect(fulfilled()).toBe(true);
  });

  test("wakes both owners when it was handed over and relabelled as well", () => {
    const next = replicaSet("next", 1);
    const both = podsOf([owner, next]);
    both.onUpdate(at("2", pod("p", owner)), at("3", leaving(pod("p", next, { bar: "foo" }))));
    expect(drain(queue)).toEqual(["default/next", "default/rs"]);
  });

  test("wakes its former owner when it was taken away and deleted in one", () => {
    handler.onUpdate(at("2", pod("p", owner)), at("3", leaving(pod("p"))));
    expect(drain(queue)).toEqual(["default/rs"]);
  });

  test("does not count for another one", () => {
    deletions.expectDeletions(owner, ["default/other"]);
    handler.onUpdate(at("2", leaving(pod("p", owner))), going);
    expect(fulfilled()).toBe(false);
  });

  test("does not count a second time when it is gone", () => {
    deletions.expectDeletions(owner, ["default/other"]);
    handler.onDelete(going, false);
    expect(fulfilled()).toBe(false);
    handler.onDelete(other, false);
    expect(drain(queue)).toEqual(["default/rs"]);
    expect(fulfilled()).toBe(true);
  });

  // upstream: pkg/controller/replicaset/replica_set_test.go#TestDeleteFinalStateUnknown
  test("wakes its owner although its end itself was missed", () => {
    handler.onDelete(pod("p", owner), true);
    expect(drain(queue)).toEqual(["default/rs"]);
  });

  test("that is nobody's wakes nobody", () => {
    handler.onDelete(pod("p"), false);
    expect(drain(queue)).toEqual([]);
  });
});

function podsOf(owners: readonly ReplicaOwner[]): RuleHandler<Pod> {
  const cache = { lister: listerOf(owners), resource: resources.replicaSets };
  const rule = itsOwner({ owners: cache, observer: deletions, ...itsPodOwner(OWNER_OF_PODS) });
  return ruleHandler(rule, queue);
}

function at(resourceVersion: string, object: Pod): Pod {
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
}

function elsewhere(object: Pod): Pod {
  return { ...object, metadata: { ...object.metadata, namespace: "elsewhere" } };
}

function leaving(object: Pod): Pod {
  return { ...object, metadata: { ...object.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
}

function ready(object: Pod): Pod {
  return { ...object, status: { conditions: [{ type: "Ready", status: "True" }] } };
}

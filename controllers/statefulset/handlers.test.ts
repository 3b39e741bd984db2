import { beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { PersistentVolumeClaim, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { itsPodOwner } from "../../pkg/controller/pod-rule.ts";
import { itsOwner } from "../../pkg/controller/wake-rules.ts";
import type { WorkQueue } from "../../pkg/workqueue/queue.ts";
import { createWorkQueue } from "../../pkg/workqueue/work-queue.ts";
import { drain, listerOf } from "../../test/harness/lister-of.ts";
import { type RuleHandler, ruleHandler } from "../../test/harness/rule-handler.ts";
import { VirtualClock } from "../../pkg/testing/virtual-clock.ts";
import { claimRule } from "./handlers.ts";
import { changed, podOf, statefulSet } from "./samples.test-data.ts";
import { OWNER_OF_PODS } from "./stateful-set.ts";

let clock: VirtualClock;
let queue: WorkQueue<string>;
beforeEach(() => {
  clock = new VirtualClock();
  queue = createWorkQueue<string>({ clock });
});

const foo = statefulSet("foo");
const bar = statefulSet("bar", 3, { selector: { matchLabels: { bar: "baz" } } });
const unfilled = statefulSet("all", 3, { selector: {} });

// upstream: pkg/controller/statefulset/stateful_set_test.go#TestStatefulSetControllerAddPod…, #…AddPodOrphan,
// #…AddPodNoSet, #…GetStatefulSetsForPod
describe("a pod that is new wakes", () => {
  test.each<[string, readonly StatefulSet[], Pod, readonly string[]]>([
    ["its StatefulSet", [foo, bar], podOf(foo, 0), ["default/foo"]],
    ["its other StatefulSet", [foo, bar], podOf(bar, 0), ["default/bar"]],
    ["those that select it when it is an orphan", [foo, twin()], orphan(), ["default/foo", "default/twin"]],
    ["nobody as an orphan of other labels", [foo], orphan({ other: "x" }), []],
    ["nobody as an orphan without labels", [foo], orphan({}), []],
    ["nobody with an empty selector", [unfilled], orphan(), []],
    ["nobody when its StatefulSet is not there", [], podOf(foo, 0), []],
    ["nobody when its StatefulSet is another of that name", [renewed(foo)], podOf(foo, 0), []],
    [
      "its StatefulSet when it is being deleted",
      [foo],
      podOf(foo, 0, { terminating: true }),
      ["default/foo"],
    ],
    ["nobody as an orphan that is being deleted", [foo], leaving(orphan()), []],
  ])("%s", (_name, sets, pod, woken) => {
    podsOf(sets).onAdd(pod, false);
    expect(drain(queue)).toEqual(woken);
  });
});

// upstream: pkg/controller/statefulset/stateful_set_test.go#TestStatefulSetControllerUpdatePod…
describe("a pod that changes wakes", () => {
  const relabelled = orphan({ foo: "bar", new: "label" });
  test.for<[string, readonly StatefulSet[], Pod, Pod, readonly string[]]>([
    ["its StatefulSet", [foo, bar], podOf(foo, 0), podOf(foo, 0), ["default/foo"]],
    ["nobody when its StatefulSet is not there", [], podOf(foo, 0), podOf(foo, 0), []],
    [
      "those that its new labels select",
      [foo, twin()],
      orphan(),
      relabelled,
      ["default/foo", "default/twin"],
    ],
    ["nobody as an orphan of the same labels", [foo], orphan(), orphan(), []],
    ["both when it is handed over", [foo, bar], podOf(bar, 0), podOf(foo, 0), ["default/bar", "default/foo"]],
    [
      "the one that let it go, and who selects it",
      [foo, twin()],
      podOf(foo, 0),
      orphan(),
      ["default/foo", "default/twin"],
    ],
  ])("%s", ([_name, sets, before, after, woken]) => {
    podsOf(sets).onUpdate(at("1", before), at("2", after));
    expect(drain(queue)).toEqual(woken);
  });

  test("nobody when it is told of again", () => {
    podsOf([foo]).onUpdate(at("1", podOf(foo, 0)), at("1", podOf(foo, 0)));
    expect(drain(queue)).toEqual([]);
  });

  test("its StatefulSet once more when it has been ready for long enough", async () => {
    const patient = changed(foo, { minReadySeconds: 7 });
    podsOf([patient]).onUpdate(at("1", podOf(foo, 0, { health: "running" })), at("2", podOf(foo, 0)));
    expect(drain(queue)).toEqual(["default/foo"]);
    await clock.advanceBy(6_999);
    expect(drain(queue)).toEqual([]);
    await clock.advanceBy(1);
    expect(drain(queue)).toEqual(["default/foo"]);
  });
});

// upstream: pkg/controller/statefulset/stateful_set_test.go#TestStatefulSetControllerDeletePod…
describe("a pod that is gone wakes", () => {
  test.each<[string, Pod, boolean, readonly string[]]>([
    ["its StatefulSet", podOf(foo, 0), false, ["default/foo"]],
    ["its StatefulSet although its end was missed", podOf(foo, 0), true, ["default/foo"]],
    ["nobody as an orphan", orphan(), false, []],
  ])("%s", (_name, pod, missed, woken) => {
    podsOf([foo, bar]).onDelete(pod, missed);
    expect(drain(queue)).toEqual(woken);
  });
});

function podsOf(sets: readonly StatefulSet[]): RuleHandler<Pod> {
  const owners = { lister: listerOf(sets), resource: resources.statefulSets };
  return ruleHandler(itsOwner({ owners, ...itsPodOwner(OWNER_OF_PODS) }), queue);
}

function twin(): StatefulSet {
  return statefulSet("twin");
}

function renewed(set: StatefulSet): StatefulSet {
  return { ...set, metadata: { ...set.metadata, uid: "another" } };
}

function orphan(labels: Readonly<Record<string, string>> = { foo: "bar" }): Pod {
  return { metadata: { name: "foo-0", namespace: "default", labels } };
}

function leaving(pod: Pod): Pod {
  return { ...pod, metadata: { ...pod.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
}

function at(resourceVersion: string, pod: Pod): Pod {
  return { ...pod, metadata: { ...pod.metadata, resourceVersion } };
}

describe("a claim", () => {
  const sets = [foo, bar, statefulSet("foo-1")];
  const claim = (name: string, owners: readonly string[] = []): PersistentVolumeClaim => ({
    metadata: {
      namespace: "default",
      name,
      ownerReferences: owners.map((uid) => ({ apiVersion: "v1", kind: "Pod", name: "foo-0", uid })),
    },
  });
  const handler = (): RuleHandler<PersistentVolumeClaim> =>
    ruleHandler(claimRule({ lister: listerOf(sets) }), queue);

  test.each<[string, readonly string[]]>([
    ["datadir-foo-0", ["default/foo"]],
    ["datadir-foo-1-0", ["default/foo-1"]],
    ["datadir-foo-x", []],
    ["datadir-foo-", []],
    ["other-foo-0", []],
  ])("that is gone wakes the StatefulSet whose pod may have waited for that: %s", (name, woken) => {
    handler().onDelete(claim(name), false);
    expect(drain(queue)).toEqual(woken);
  });

  test.each<[string, readonly string[], readonly string[], readonly string[]]>([
    ["loses an owner", ["a", "b"], ["b"], ["default/foo"]],
    ["gets an owner", ["a"], ["a", "b"], []],
    ["changes otherwise", ["a"], ["a"], []],
  ])("that %s", (_name, before, after, woken) => {
    handler().onUpdate(claim("datadir-foo-0", before), claim("datadir-foo-0", after));
    expect(drain(queue)).toEqual(woken);
  });
});

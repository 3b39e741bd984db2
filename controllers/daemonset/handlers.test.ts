import { asStored } from "../../test/harness/stored.ts";
import { beforeEach, describe, expect, test } from "vitest";
import type { ControllerRevision, DaemonSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Node, Pod, Taint } from "../../pkg/api/types/core-v1.gen.ts";
import { newControllerRef } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import { DeletionTracking, Expectations } from "../../pkg/controller/expectations.ts";
import { itsPodOwner } from "../../pkg/controller/pod-rule.ts";
import { itsOwner, type OwningRule } from "../../pkg/controller/wake-rules.ts";
import type { WorkQueue } from "../../pkg/workqueue/queue.ts";
import { createWorkQueue } from "../../pkg/workqueue/work-queue.ts";
import { drain, listerOf } from "../../test/harness/lister-of.ts";
import { type RuleHandler, ruleHandler } from "../../test/harness/rule-handler.ts";
import { VirtualClock } from "../../pkg/testing/virtual-clock.ts";
import { OWNER_OF_PODS } from "./daemon-set.ts";
import { lostNodeRule, nodeRule, revisionRule } from "./handlers.ts";
import { NodeChanges } from "./node-changes.ts";
import { rememberedNodeFit } from "./node-fit.ts";
import { daemonSet, LABELS, NODE_LABELS, node, OTHER_LABELS, pod } from "./samples.test-data.ts";
import { DAEMON_NODE_INDEX, daemonNodeIndex } from "./node-pods.ts";
import { daemonSetsOfChangedNode } from "./sync-node.ts";
import type { Stored } from "../../pkg/api/object.ts";

let clock: VirtualClock;
let queue: WorkQueue<string>;
let nodeQueue: WorkQueue<string>;
let expectations: Expectations;
let deletions: DeletionTracking;
let nodeChanges: NodeChanges;
beforeEach(() => {
  nodeChanges = new NodeChanges();
  clock = new VirtualClock();
  queue = createWorkQueue<string>({ clock });
  nodeQueue = createWorkQueue<string>({ clock });
  expectations = new Expectations(clock);
  deletions = new DeletionTracking(expectations);
});

function listening(daemonSets: readonly DaemonSet[], pods: readonly Pod[] = [], nodes: readonly Node[] = []) {
  return {
    daemonSets: { lister: listerOf(daemonSets), resource: resources.daemonSets },
    pods: { lister: listerOf(pods, { [DAEMON_NODE_INDEX]: daemonNodeIndex }) },
    nodes: { lister: listerOf(nodes) },
    fitOf: rememberedNodeFit({}),
    nodeChanges,
  };
}

type Revisions = OwningRule<DaemonSet, ControllerRevision>;
type Listening = ReturnType<typeof listening>;

function podHandler(context: Listening): RuleHandler<Pod> {
  const owners = context.daemonSets;
  return ruleHandler(itsOwner({ owners, observer: deletions, ...itsPodOwner(OWNER_OF_PODS) }), queue);
}

function revisionHandler(context: Listening): RuleHandler<ControllerRevision> {
  const history = { rule: (how: Revisions) => itsOwner({ owners: context.daemonSets, ...how }) };
  return ruleHandler(revisionRule(history), queue);
}

/** What goes to nodes is in their queue, what goes to DaemonSets in theirs. */
function nodeHandler(context: Listening): RuleHandler<Node> {
  const [nodes, owners] = [
    ruleHandler(nodeRule(context.nodeChanges), nodeQueue),
    ruleHandler(lostNodeRule(context), queue),
  ];
  return {
    onAdd: (added, listed) => {
      nodes.onAdd(added, listed);
      owners.onAdd(added, listed);
    },
    onUpdate: (before, after) => {
      nodes.onUpdate(before, after);
      owners.onUpdate(before, after);
    },
    onDelete: (gone, missed) => {
      nodes.onDelete(gone, missed);
      owners.onDelete(gone, missed);
    },
  };
}

const one = daemonSet({ name: "foo1" });
const two = daemonSet({ name: "foo2" });
const different: DaemonSet = {
  ...daemonSet({ name: "foo3" }),
  spec: { selector: { matchLabels: OTHER_LABELS }, template: {} },
};
const everything: DaemonSet = { ...daemonSet({ name: "all" }), spec: { selector: {}, template: {} } };
const all = [one, two, different, everything];

function at<T extends Pod | ControllerRevision>(resourceVersion: string, object: T): T {
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
}

describe("a pod that was added", () => {
  // upstream: pkg/controller/daemon/daemon_controller_test.go#TestAddPod, #TestAddPodOrphan
  test.each<[string, Pod, readonly string[]]>([
    ["wakes its DaemonSet", pod("p", { owner: one }), ["default/foo1"]],
    ["wakes its DaemonSet alone", pod("p", { owner: two }), ["default/foo2"]],
    ["wakes, as an orphan, those that select it", pod("p"), ["default/foo1", "default/foo2"]],
    ["wakes, as an orphan without labels, none", pod("p", { labels: {} }), []],
    ["wakes no DaemonSet that has only the name of its owner", pod("p", { owner: renamed(one) }), []],
  ])("%s", (_, added, expected) => {
    podHandler(listening(all)).onAdd(added, false);
    expect(drain(queue)).toEqual(expected);
  });

  test("counts as a creation that was expected, unless it is an orphan or is going away", () => {
    expectations.expectCreations(one, 3);
    const handler = podHandler(listening(all));
    handler.onAdd(pod("orphan"), false);
    handler.onAdd(pod("leaving", { owner: one, deleting: true }), true);
    handler.onAdd(pod("p", { owner: one }), false);
    expect(expectations.get(one)?.creations).toBe(2);
  });
});

describe("a pod that was changed", () => {
  // upstream: pkg/controller/daemon/daemon_controller_test.go#TestUpdatePod, #TestUpdatePodOrphanSameLabels,
  // #TestUpdatePodOrphanWithNewLabels, #TestUpdatePodChangeControllerRef, #TestUpdatePodControllerRefRemoved
  test.each<[string, Pod, Pod, readonly string[]]>([
    ["wakes its DaemonSet", pod("p", { owner: one }), pod("p", { owner: one }), ["default/foo1"]],
    ["wakes its DaemonSet alone", pod("p", { owner: two }), pod("p", { owner: two }), ["default/foo2"]],
    ["wakes, as an orphan, none when its labels are the same", pod("p"), pod("p"), []],
    [
      "wakes, as an orphan with other labels, those that select it",
      pod("p"),
      pod("p", { labels: { ...LABELS, more: "yes" } }),
      ["default/foo1", "default/foo2"],
    ],
    [
      "wakes both DaemonSets when it was handed over",
      pod("p", { owner: two }),
      pod("p", { owner: one }),
      ["default/foo2", "default/foo1"],
    ],
    [
      "wakes all that select it when it was let go",
      pod("p", { owner: one }),
      pod("p"),
      ["default/foo1", "default/foo2"],
    ],
  ])("%s", (_, before, after, expected) => {
    podHandler(listening(all)).onUpdate(at("1", before), at("2", after));
    expect(drain(queue)).toEqual(expected);
  });

  test("wakes nobody when it is told of again", () => {
    podHandler(listening(all)).onUpdate(at("1", pod("p", { owner: one })), at("1", pod("p", { owner: one })));
    expect(drain(queue)).toEqual([]);
  });

  test("wakes its DaemonSet once more a second after it has been ready for long enough", async () => {
    const patient = daemonSet({ name: "foo1", minReadySeconds: 7 });
    const before = at("1", pod("p", { owner: patient, ready: false }));
    podHandler(listening([patient])).onUpdate(before, at("2", pod("p", { owner: patient, ready: true })));
    expect(drain(queue)).toEqual(["default/foo1"]);
    await clock.advanceBy(7_999);
    expect(drain(queue)).toEqual([]);
    await clock.advanceBy(1);
    expect(drain(queue)).toEqual(["default/foo1"]);
  });

  test("counts as deleted, once, when it is going away", () => {
    const handler = podHandler(listening(all));
    deletions.expectDeletions(one, ["default/p", "default/q"]);
    const leaving = at("2", pod("p", { owner: one, deleting: true }));
    handler.onUpdate(at("1", pod("p", { owner: one })), leaving);
    handler.onDelete(leaving, false);
    expect(expectations.get(one)?.deletions).toBe(1);
  });
});

// upstream: pkg/controller/daemon/daemon_controller_test.go#TestDeletePod, #TestDeletePodOrphan, #TestDeleteNoDaemonPod:
// that others have more room now makes no difference to anybody.
test.each<[string, Pod, readonly string[]]>([
  ["wakes its DaemonSet", pod("p", { owner: one }), ["default/foo1"]],
  ["wakes its DaemonSet alone", pod("p", { owner: two }), ["default/foo2"]],
  ["wakes nobody when it was an orphan", pod("p"), []],
  ["wakes nobody when it was on a node of theirs, but nobody's", pod("p", { on: "node1", labels: {} }), []],
  ["wakes nobody when it was of another controller", ofReplicaSet(pod("p", { on: "node1" })), []],
])("a pod that is gone %s", (_, gone, expected) => {
  podHandler(listening(all)).onDelete(gone, false);
  expect(drain(queue)).toEqual(expected);
});

const dedicated: Taint = { key: "dedicated", value: "user1", effect: "NoSchedule" };
const plain = node("node1");

describe("a node", () => {
  // upstream: pkg/controller/daemon/daemon_controller_test.go#TestShouldIgnoreNodeUpdate
  test.each<[string, Node, Node, readonly string[]]>([
    ["in which nothing changed is left alone", plain, node("node1"), []],
    ["with other labels is looked at", plain, node("node1", NODE_LABELS), ["node1"]],
    ["with other taints is looked at", node("node1", {}, [dedicated]), plain, ["node1"]],
    [
      "with a taint as of another time is looked at",
      node("node1", {}, [dedicated]),
      node("node1", {}, [since(dedicated)]),
      ["node1"],
    ],
    [
      "with another capacity is left alone",
      plain,
      { ...plain, status: { allocatable: { cpu: "200m" } } },
      [],
    ],
  ])("%s", (_, before, after, expected) => {
    nodeHandler(listening(all)).onUpdate(before, after);
    expect(drain(nodeQueue)).toEqual(expected);
  });

  // upstream: pkg/controller/daemon/daemon_controller_test.go#TestAddNode
  test("that is new is looked at; those that were there when all began are not", () => {
    const handler = nodeHandler(listening(all));
    handler.onAdd(node("node1"), true);
    handler.onAdd(node("node2", NODE_LABELS), false);
    expect(drain(nodeQueue)).toEqual(["node2"]);
  });

  test("that is gone wakes those who counted it", () => {
    const selective = daemonSet({ name: "selective", spec: { nodeSelector: NODE_LABELS } });
    const misplaced = daemonSet({ name: "misplaced", spec: { nodeSelector: NODE_LABELS } });
    const handler = nodeHandler(
      listening([one, selective, misplaced], [pod("p", { on: "node1", owner: misplaced })]),
    );
    handler.onDelete(plain, false);
    expect(drain(queue)).toEqual(["default/foo1", "default/misplaced"]);
  });
});

// upstream: pkg/controller/daemon/daemon_controller_test.go#TestUpdateNode
describe("a new node makes a difference", () => {
  const selective = daemonSet({ spec: { nodeSelector: NODE_LABELS } });
  const fast = node("node1", NODE_LABELS);
  const evicting = node("node1", NODE_LABELS, [{ key: "a", effect: "NoExecute" }]);
  const closed = node("node1", NODE_LABELS, [dedicated]);
  const here = (owner: Stored<DaemonSet>): Pod => pod("p", { on: "node1", owner });
  test.for<[string, Stored<DaemonSet>, Node, readonly Pod[], boolean]>([
    ["to none that it is not for", selective, plain, [], false],
    ["to one that it is for", selective, fast, [], true],
    ["to one of which an earlier one's pod is there", selective, fast, [here(selective)], true],
    ["to one whose pod may stay, though none would come", selective, closed, [here(selective)], true],
    ["to one whose pod must go", selective, evicting, [here(selective)], true],
    [
      "to one whose pod must go that waits for the scheduler",
      selective,
      evicting,
      [pod("p", { meantFor: "node1", owner: selective })],
      true,
    ],
    ["to none when it is gone", daemonSet(), node("other"), [], false],
  ])("%s", ([, ds, added, pods, expected]) => {
    const context = listening([ds], pods, [added]);
    nodeHandler(context).onAdd(node("node1"), false);
    expect(daemonSetsOfChangedNode("node1", context)).toEqual(expected ? ["default/foo"] : []);
  });
});

// upstream: pkg/controller/daemon/daemon_controller_test.go#TestUpdateNode
describe("a changed node makes a difference", () => {
  const selective = daemonSet({ spec: { nodeSelector: NODE_LABELS } });
  const fast = node("node1", NODE_LABELS);
  const evicting = node("node1", NODE_LABELS, [{ key: "a", effect: "NoExecute" }]);
  const closed = node("node1", NODE_LABELS, [dedicated]);

  const changing = (...versions: readonly Node[]) => {
    const context = listening([selective], [pod("p", { on: "node1", owner: selective })], versions.slice(-1));
    const handler = nodeHandler(context);
    versions.forEach((version, index) => {
      const before = versions[index - 1];
      if (before !== undefined) handler.onUpdate(before, version);
    });
    return { context, handler };
  };

  test.each<[string, readonly Node[], boolean]>([
    ["when it was not for them and is now", [plain, fast], true],
    ["when it is not for them any more", [fast, plain], true],
    ["when it lets no more pods come", [fast, closed], true],
    ["and when it does again", [closed, fast], true],
    ["when it lets none stay", [closed, evicting], true],
    ["none when it fits as before", [fast, node("node1", { ...NODE_LABELS, other: "yes" })], false],
    [
      "none when its taint is as of another time",
      [closed, node("node1", NODE_LABELS, [since(dedicated)])],
      false,
    ],
    ["none when it fits as little as before", [plain, node("node1", { other: "yes" })], false],
    ["when it was another at first", [closed, fast, node("node1", { ...NODE_LABELS, other: "yes" })], true],
    ["when it was another in between, by which they may have been synced", [fast, closed, fast], true],
  ])("%s", (_, versions, expected) => {
    const { context } = changing(...versions);
    expect(daemonSetsOfChangedNode("node1", context)).toEqual(expected ? ["default/foo"] : []);
    // It is looked at once.
    expect(daemonSetsOfChangedNode("node1", context)).toEqual([]);
  });

  test("to those that count it, when it was new just before or changes all the time", () => {
    const other = node("node1", { ...NODE_LABELS, other: "yes" });
    const restless = changing(...Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? other : fast)));
    expect(daemonSetsOfChangedNode("node1", restless.context)).toEqual(["default/foo"]);
    const { context, handler } = changing(other);
    handler.onAdd(fast, false);
    handler.onUpdate(fast, other);
    expect(daemonSetsOfChangedNode("node1", context)).toEqual(["default/foo"]);
  });

  test("of one that is gone nothing is remembered", () => {
    const { context, handler } = changing(plain, fast);
    handler.onDelete(fast, false);
    expect(context.nodeChanges.take("node1")).toEqual([]);
  });
});

describe("a revision", () => {
  const revision = (owner?: DaemonSet, labels = LABELS): ControllerRevision => ({
    metadata: {
      name: "r",
      namespace: "default",
      labels,
      ...(owner && { ownerReferences: [newControllerRef(asStored(owner), resources.daemonSets)] }),
    },
    revision: 1,
  });
  test("that is new wakes those that could adopt it, and not its owner", () => {
    const handler = revisionHandler(listening(all));
    handler.onAdd(revision(one), false);
    expect(drain(queue)).toEqual([]);
    handler.onAdd(revision(), false);
    expect(drain(queue)).toEqual(["default/foo1", "default/foo2"]);
  });

  test("that was changed or deleted wakes its owner", () => {
    const handler = revisionHandler(listening(all));
    handler.onUpdate(at("1", revision(two)), at("2", revision(two)));
    expect(drain(queue)).toEqual(["default/foo2"]);
    handler.onDelete(revision(one), false);
    expect(drain(queue)).toEqual(["default/foo1"]);
  });

  test("that was taken from its owner wakes it, and those that could adopt it", () => {
    revisionHandler(listening(all)).onUpdate(at("1", revision(one)), at("2", revision()));
    expect(drain(queue)).toEqual(["default/foo1", "default/foo2"]);
  });
});

/** Another object of that name. */
function renamed(ds: Stored<DaemonSet>): Stored<DaemonSet> {
  return { ...ds, metadata: { ...ds.metadata, uid: "other" } };
}

function since(taint: Taint): Taint {
  return { ...taint, timeAdded: "2026-01-01T00:00:00Z" };
}

function ofReplicaSet(of: Pod): Pod {
  const owner = { metadata: { name: "foo1", uid: "rs-uid" } };
  return {
    ...of,
    metadata: { ...of.metadata, ownerReferences: [newControllerRef(asStored(owner), resources.replicaSets)] },
  };
}

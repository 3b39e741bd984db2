import type { Stored } from "../../pkg/api/object.ts";
import { asStored } from "../../test/harness/stored.ts";
import { beforeEach, describe, expect, test } from "vitest";
import { isControlledBy, newControllerRef } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Deployment, ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { CONTROLLER_INDEX, controllerIndex } from "../../pkg/controller/controller-index.ts";
import { itself, itsOwner } from "../../pkg/controller/wake-rules.ts";
import type { WorkQueue } from "../../pkg/workqueue/queue.ts";
import { createWorkQueue } from "../../pkg/workqueue/work-queue.ts";
import { drain, listerOf } from "../../test/harness/lister-of.ts";
import { type RuleHandler, ruleHandler } from "../../test/harness/rule-handler.ts";
import { VirtualClock } from "../../pkg/testing/virtual-clock.ts";
import { itsDeployment, podRule } from "./handlers.ts";
import { deployment, replicaSet } from "./samples.test-data.ts";

let queue: WorkQueue<string>;
beforeEach(() => {
  queue = createWorkQueue<string>({ clock: new VirtualClock() });
});

const d1 = deployment({ name: "d1" });
const d2 = deployment({ name: "d2" });
const stranger = deployment({ name: "d3", selector: { foo: "notbar" } });
const rs1 = replicaSet("rs1", 1, { owner: d1 });
const rs2 = replicaSet("rs2", 1, { owner: d2 });
const orphan = replicaSet("rs1", 1);

describe("a ReplicaSet", () => {
  const both = [d1, d2, stranger];

  // upstream: pkg/controller/deployment/deployment_controller_test.go#TestAddReplicaSet, #TestAddReplicaSetOrphan
  test.each<[string, Stored<ReplicaSet>, readonly string[]]>([
    ["that is the first one's wakes the first", rs1, ["default/d1"]],
    ["that is the second one's wakes the second", rs2, ["default/d2"]],
    ["that is nobody's wakes all that select it", orphan, ["default/d1", "default/d2"]],
    ["that is nobody's and has no labels wakes nobody", replicaSet("rs", 1, { labels: {} }), []],
    ["that is nobody's and going wakes nobody", replicaSet("rs", 1, { deleting: true }), []],
    ["that is going wakes its owner", replicaSet("rs", 1, { owner: d1, deleting: true }), ["default/d1"]],
    ["of an owner that was replaced wakes nobody", replicaSet("rs", 1, { owner: renamed(d1) }), []],
  ])("added, %s", (_, added, expected) => {
    handlerOf(both).onAdd(added, false);
    expect(drain(queue)).toEqual(expected);
  });

  // upstream: pkg/controller/deployment/deployment_controller_test.go#TestUpdateReplicaSet,
  // #TestUpdateReplicaSetOrphanWithNewLabels, #TestUpdateReplicaSetChangeControllerRef, #TestUpdateReplicaSetRelease
  test.each<[string, Stored<ReplicaSet>, Stored<ReplicaSet>, readonly string[]]>([
    ["wakes its owner", rs1, rs1, ["default/d1"]],
    ["wakes the second one's owner", rs2, rs2, ["default/d2"]],
    [
      "relabelled, wakes all that select it now",
      replicaSet("rs1", 1, { labels: { foo: "notbar" } }),
      orphan,
      ["default/d1", "default/d2"],
    ],
    [
      "handed over, wakes both owners",
      replicaSet("rs1", 1, { owner: d2 }),
      rs1,
      ["default/d2", "default/d1"],
    ],
    ["released, wakes all that select it", rs1, orphan, ["default/d1", "default/d2"]],
    ["that is nobody's, changed in nothing that matters, wakes nobody", orphan, orphan, []],
  ])("changed, %s", (_, before, after, expected) => {
    handlerOf(both).onUpdate(at("1", before), at("2", after));
    expect(drain(queue)).toEqual(expected);
  });

  test("told of again wakes nobody", () => {
    handlerOf(both).onUpdate(at("1", rs1), at("1", rs1));
    expect(drain(queue)).toEqual([]);
  });

  // upstream: pkg/controller/deployment/deployment_controller_test.go#TestDeleteReplicaSet, #TestDeleteReplicaSetOrphan
  test.each<[string, Stored<ReplicaSet>, readonly string[]]>([
    ["wakes its owner", rs1, ["default/d1"]],
    ["wakes the second one's owner", rs2, ["default/d2"]],
    ["that was nobody's wakes nobody", orphan, []],
  ])("deleted, %s", (_, deleted, expected) => {
    handlerOf(both).onDelete(deleted, false);
    expect(drain(queue)).toEqual(expected);
  });

  // upstream: pkg/controller/deployment/util/deployment_util_test.go#TestGetDeploymentsForReplicaSet
  test.each([0, 1, 2, 3, 4])("labelled for the Deployment %i wakes that one, if there is one", (index) => {
    const three = [0, 1, 2].map((each) =>
      deployment({ name: `deployment-${each}`, selector: { app: `test-${each}` } }),
    );
    const labels = { app: `test-${index}`, label: `label-${index}` };
    handlerOf(three).onAdd(replicaSet("rs", 1, { labels }), false);
    expect(drain(queue)).toEqual(index < 3 ? [`default/deployment-${index}`] : []);
  });

  function handlerOf(deployments: readonly Stored<Deployment>[]): RuleHandler<ReplicaSet> {
    const owners = { lister: listerOf(deployments), resource: resources.deployments };
    return ruleHandler(itsOwner({ owners, ...itsDeployment }), queue);
  }
});

describe("a deleted pod", () => {
  const foo = deployment({ name: "foo", strategy: "Recreate" });
  const own1 = replicaSet("foo-1", 1, { owner: foo });
  const own2 = replicaSet("foo-2", 1, { owner: foo });
  const unowned = replicaSet("foo-2", 2);
  const rolling = deployment({ name: "foo" });

  // upstream: pkg/controller/deployment/deployment_controller_test.go#TestPodDeletion{EnqueuesRecreateDeployment,
  // DoesntEnqueueRecreateDeployment, PartialReplicaSetOwnershipEnqueueRecreateDeployment,
  // PartialReplicaSetOwnershipDoesntEnqueueRecreateDeployment}
  test.for<[string, Stored<Deployment>, readonly Stored<ReplicaSet>[], readonly Pod[], boolean]>([
    ["the last one wakes a Deployment that recreates", foo, [own1], [], true],
    ["does not, while others are there", foo, [own1, own2], [pod("other", own2)], false],
    [
      "wakes it, whatever pods ReplicaSets have that are not its own",
      foo,
      [own1, unowned],
      [pod("x", unowned)],
      true,
    ],
    [
      "does not, while others of its own ReplicaSet are there",
      foo,
      [own1, unowned],
      [pod("other", own1)],
      false,
    ],
    ["does not wake a Deployment that rolls", rolling, [own1], [], false],
  ])("%s", ([, owner, sets, pods, expected]) => {
    ruleHandler(podRule(caches([owner], sets, pods)), queue).onDelete(pod("gone", own1), false);
    expect(drain(queue)).toEqual(expected ? ["default/foo"] : []);
  });
});

test("a Deployment wakes itself, whatever becomes of it", () => {
  const handler = ruleHandler<Deployment>(itself, queue);
  handler.onAdd(d1, true);
  handler.onUpdate(d2, d2);
  handler.onDelete(stranger, true);
  expect(drain(queue).toSorted()).toEqual(["default/d1", "default/d2", "default/d3"]);
});

function caches(
  deployments: readonly Stored<Deployment>[],
  replicaSets: readonly Stored<ReplicaSet>[],
  pods: readonly Pod[],
): Parameters<typeof podRule>[0] {
  return {
    deployments: { lister: listerOf(deployments) },
    replicaSets: { lister: listerOf(replicaSets) },
    owned: { ownedBy: (owner) => replicaSets.filter((replicaSet) => isControlledBy(replicaSet, owner)) },
    pods: { lister: listerOf(pods, { [CONTROLLER_INDEX]: controllerIndex }) },
  };
}

function pod(name: string, owner: Stored<ReplicaSet>): Pod {
  return {
    metadata: {
      name,
      namespace: "default",
      ownerReferences: [newControllerRef(asStored(owner), resources.replicaSets)],
    },
  };
}

function at(resourceVersion: string, set: Stored<ReplicaSet>): Stored<ReplicaSet> {
  return { ...set, metadata: { ...set.metadata, resourceVersion } };
}

/** Another Deployment of the same name. */
function renamed(owner: Stored<Deployment>): Stored<Deployment> {
  return { ...owner, metadata: { ...owner.metadata, uid: "another-uid" } };
}

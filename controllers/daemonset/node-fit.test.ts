import { describe, expect, test } from "vitest";
import type { Affinity, Node, PodSpec, Taint } from "../../pkg/api/types/core-v1.gen.ts";
import { type NodeFit, nodeFit, rememberedNodeFit } from "./node-fit.ts";
import { daemonSet, LABELS, node, OTHER_LABELS } from "./samples.test-data.ts";

const RUN: NodeFit = { shouldRun: true, shouldContinueRunning: true };
const STAY: NodeFit = { shouldRun: false, shouldContinueRunning: true };
const NOT: NodeFit = { shouldRun: false, shouldContinueRunning: false };

function fit(spec: Partial<PodSpec>, on: Node = node("test-node", LABELS)): NodeFit {
  return nodeFit(daemonSet({ spec }), {})(on);
}

function typeIn(...values: string[]): Affinity {
  const matchExpressions = [{ key: "type", operator: "In", values }];
  return {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] },
    },
  };
}

const asking = (cpu: string, memory: string): Partial<PodSpec> => ({
  containers: [
    { name: "main", resources: { requests: { cpu, memory } }, ports: [{ containerPort: 1, hostPort: 666 }] },
  ],
});

// upstream: pkg/controller/daemon/daemon_controller_test.go#TestNodeShouldRunDaemonPod: what is on the node already, and
// what it has room for, is not even asked.
describe("a node is for a DaemonSet", () => {
  test.each<[string, Partial<PodSpec>, NodeFit]>([
    ["that asks for nothing", {}, RUN],
    ["that asks for less than it has", asking("0.5", "50M"), RUN],
    ["that asks for more than it has", asking("0.5", "200M"), RUN],
    ["of another node's name", { nodeName: "other-node" }, NOT],
    ["of its own name", { nodeName: "test-node" }, RUN],
    ["whose selector it does not match", { nodeSelector: OTHER_LABELS }, NOT],
    ["whose selector it matches", { nodeSelector: LABELS }, RUN],
    ["whose affinity it does not match", { affinity: typeIn("test") }, NOT],
    ["whose affinity it matches", { affinity: typeIn("production") }, RUN],
    ["whose affinity makes no sense", { affinity: typeIn() }, NOT],
  ])("%s: %j", (_, spec, expected) => {
    expect(fit(spec)).toEqual(expected);
  });

  test("although nothing else may be scheduled there", () => {
    const cordoned: Node = {
      ...node("test-node", LABELS),
      spec: {
        unschedulable: true,
        taints: [{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }],
      },
    };
    expect(fit({}, cordoned)).toEqual(RUN);
  });
});

const noSchedule: Taint = { key: "dedicated", value: "user1", effect: "NoSchedule" };
const noExecute: Taint = { key: "dedicated", value: "user1", effect: "NoExecute" };
const ofNode = (name: string, effect: string): Taint => ({ key: `node.kubernetes.io/${name}`, effect });

// upstream: pkg/controller/daemon/daemon_controller_test.go#TestNoScheduleTaintedDoesntEvicitRunningIntolerantPod,
// #TestNoExecuteTaintedDoesEvicitRunningIntolerantPod, #TestTaintedNodeDaemonDoesNotLaunchIntolerantPod,
// #TestTaintedNodeDaemonLaunchesToleratePod, #TestNotReadyNodeDaemonLaunchesPod, #TestUnreachableNodeDaemonLaunchesPod,
// #TestNodeDaemonLaunchesToleratePod, #TestTaintPressureNodeDaemonLaunchesPod, #TestNotReadyNodeDaemonDoesLaunchPod,
// #TestNetworkUnavailableNodeDaemonLaunchesPod
describe("a taint", () => {
  const tolerations = [{ key: "dedicated", value: "user1", effect: "NoSchedule" }];
  test.each<[string, readonly Taint[], Partial<PodSpec>, NodeFit]>([
    ["that forbids scheduling leaves pods that are there", [noSchedule], {}, STAY],
    ["that forbids running ends them", [noExecute], {}, NOT],
    ["that is tolerated means nothing", [noSchedule], { tolerations }, RUN],
    ["that is tolerated need not be there", [], { tolerations }, RUN],
    ["that would rather not have pods means nothing", [{ key: "a", effect: "PreferNoSchedule" }], {}, RUN],
    ["of a node that is not ready means nothing", [ofNode("not-ready", "NoExecute")], {}, RUN],
    ["of a node that is not ready forbids scheduling no more", [ofNode("not-ready", "NoSchedule")], {}, STAY],
    ["of a node that is not reached means nothing", [ofNode("unreachable", "NoExecute")], {}, RUN],
    [
      "of a node under pressure means nothing",
      ["disk-pressure", "memory-pressure", "pid-pressure"].map((name) => ofNode(name, "NoSchedule")),
      {},
      RUN,
    ],
    ["of a node without network counts", [ofNode("network-unavailable", "NoSchedule")], {}, STAY],
    [
      "of a node without network means nothing to who needs none",
      [ofNode("network-unavailable", "NoSchedule")],
      { hostNetwork: true },
      RUN,
    ],
  ])("%s", (_, taints, spec, expected) => {
    expect(fit(spec, node("test-node", LABELS, taints))).toEqual(expected);
  });

  test.each([true, false])("may be compared with, where that is on: %s", (comparisonOperators) => {
    const spec = { tolerations: [{ key: "level", operator: "Gt", value: "3", effect: "NoSchedule" }] };
    const tainted = node("n", {}, [{ key: "level", value: "5", effect: "NoSchedule" }]);
    expect(nodeFit(daemonSet({ spec }), { comparisonOperators })(tainted)).toEqual(
      comparisonOperators ? RUN : STAY,
    );
  });
});

test("what is remembered is forgotten with the version of the DaemonSet", () => {
  const fitOf = rememberedNodeFit({});
  const before = daemonSet();
  expect(fitOf(before)).toBe(fitOf(before));
  expect(fitOf(before)(node("n")).shouldRun).toBe(true);
  expect(fitOf(daemonSet({ spec: { nodeSelector: OTHER_LABELS } }))(node("n")).shouldRun).toBe(false);
});

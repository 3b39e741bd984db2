import { describe, expect, test } from "vitest";
import type { Node, Pod, PodSpec } from "../../api/types/core-v1.gen.ts";
import { chooseNode } from "./choose-node.ts";
import { ClusterUsage } from "./cluster-usage.ts";
import { podRequests } from "./requests.ts";

const zones = ["a", "b", "b"];
const nodes = zones.map((zone, index) => node(`node-${index}`, { zone }));

const are = "nodes are available:";
const no = "no new claims to deallocate, preemption:";
const useless = "Preemption is not helpful for scheduling";
const nobody = "No preemption victims found for incoming pod";

describe("the choice of a node", () => {
  const choose = (
    spec: Partial<PodSpec>,
    among: readonly Node[] = nodes,
    placed: readonly Pod[] = [],
  ): string => {
    const usage = new ClusterUsage();
    for (const other of placed) usage.update(other);
    const choice = chooseNode(pod(spec), among, usage);
    return choice.node ?? choice.message;
  };
  const needs = (cpu: string): Partial<PodSpec> => ({
    containers: [{ name: "c", resources: { requests: { cpu } } }],
  });
  const on = (nodeName: string, spec: Partial<PodSpec> = {}, name = nodeName): Pod =>
    pod({ ...spec, nodeName }, name);

  test("takes the first of equal nodes", () => expect(choose({})).toBe("node-0"));

  test("takes the one with the most room", () => {
    expect(choose(needs("1"), nodes, [on("node-0", needs("2")), on("node-1", needs("1"))])).toBe("node-2");
  });

  test("of nodes with equal room, the one with fewer pods", () => {
    expect(choose({}, nodes, [on("node-0"), on("node-1")])).toBe("node-2");
  });

  test.for<[string, Partial<PodSpec>, readonly Node[], readonly Pod[], string]>([
    ["no nodes", {}, [], [], "no nodes available to schedule pods"],
    [
      "too little of a resource",
      needs("5"),
      nodes,
      [],
      `0/3 ${are} 3 Insufficient cpu. ${no} 0/3 ${are} 3 ${useless}.`,
    ],
    [
      "what others have taken counts",
      needs("3"),
      nodes.slice(0, 1),
      [on("node-0", needs("2"))],
      `0/1 ${are} 1 Insufficient cpu. ${no} 0/1 ${are} 1 ${nobody}.`,
    ],
    [
      "too many pods",
      {},
      [node("small", {}, { pods: "1" })],
      [on("small")],
      `0/1 ${are} 1 Too many pods. ${no} 0/1 ${are} 1 ${nobody}.`,
    ],
    [
      "labels that no node has",
      { nodeSelector: { disk: "ssd" } },
      nodes,
      [],
      `0/3 ${are} 3 node(s) didn't match Pod's node affinity/selector. ${no} 0/3 ${are} 3 ${useless}.`,
    ],
    [
      "a cordoned node and a tainted one",
      {},
      [
        { ...node("cordoned"), spec: { unschedulable: true } },
        { ...node("tainted"), spec: { taints: [{ key: "k", value: "v", effect: "NoSchedule" }] } },
      ],
      [],
      `0/2 ${are} 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable. ${no} 0/2 ${are} 2 ${useless}.`,
    ],
    [
      "several resources at once, here for good and there not",
      { containers: [{ name: "c", resources: { requests: { cpu: "3", memory: "6Gi" } } }] },
      [node("node-0"), node("node-1", {}, { cpu: "1" })],
      [on("node-0", { containers: [{ name: "c", resources: { requests: { cpu: "2", memory: "4Gi" } } }] })],
      `0/2 ${are} 1 Insufficient memory, 2 Insufficient cpu. ${no} 0/2 ${are} 1 ${nobody}, 1 ${useless}.`,
    ],
    [
      "one that may not push others out",
      { ...needs("3"), preemptionPolicy: "Never" },
      nodes.slice(0, 1),
      [on("node-0", needs("2"))],
      `0/1 ${are} 1 Insufficient cpu. ${no} not eligible due to preemptionPolicy=Never.`,
    ],
  ])("none for %s", ([, spec, among, placed, message]) => {
    expect(choose(spec, among, placed)).toBe(message);
  });

  const preferNot = { key: "k", value: "v", effect: "PreferNoSchedule" };
  test("a node that would rather not have it comes last, and is taken if need be", () => {
    const unwelcome = { ...node("node-0"), spec: { taints: [preferNot] } };
    const full = on("node-1", needs("4"));
    expect(choose(needs("1"), [unwelcome, node("node-1")], [on("node-1", needs("2"))])).toBe("node-1");
    expect(choose(needs("1"), [unwelcome, node("node-1")], [full])).toBe("node-0");
    const tolerations = [{ key: "k", operator: "Exists" }];
    expect(choose({ ...needs("1"), tolerations }, [unwelcome, node("node-1")], [full])).toBe("node-0");
  });

  test("a node that it prefers comes first, whatever room others have", () => {
    const preference = { matchExpressions: [{ key: "zone", operator: "In", values: ["a"] }] };
    const preferred = [{ weight: 1, preference }];
    const affinity = { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } };
    expect(choose({ affinity, ...needs("1") }, nodes, [on("node-0", needs("2"))])).toBe("node-0");
  });

  test("a toleration lets it in", () => {
    const tainted = {
      ...node("tainted"),
      spec: { taints: [{ key: "k", value: "v", effect: "NoSchedule" }] },
    };
    expect(choose({ tolerations: [{ key: "k", operator: "Exists" }] }, [tainted])).toBe("tainted");
  });

  test("node affinity by the node's own name, as DaemonSets have it", () => {
    const matchFields = [{ key: "metadata.name", operator: "In", values: ["node-2"] }];
    const required = { nodeSelectorTerms: [{ matchFields }] };
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
    expect(choose({ affinity })).toBe("node-2");
  });

  test("topology spread evens out zones", () => {
    const spread: Partial<PodSpec> = {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: "zone",
          whenUnsatisfiable: "DoNotSchedule",
          labelSelector: { matchLabels: { app: "web" } },
        },
      ],
    };
    expect(
      choose(spread, nodes, [on("node-1", {}, "p1"), on("node-0", needs("0"), "p0"), on("node-0", {}, "p2")]),
    ).toBe("node-2");
    expect(choose(spread, nodes.slice(0, 1), [])).toBe("node-0");
  });

  test("pods that have ended take no room", () => {
    const ended: Pod = { ...on("node-0", needs("4")), status: { phase: "Succeeded" } };
    expect(choose(needs("4"), nodes.slice(0, 1), [ended])).toBe("node-0");
  });
});

test("a pod needs as much as its hungriest moment", () => {
  const container = (name: string, cpu: string, sidecar = false) => ({
    name,
    resources: { requests: { cpu } },
    ...(sidecar && { restartPolicy: "Always" }),
  });
  const spec: PodSpec = {
    initContainers: [container("s", "100m", true), container("i", "2")],
    containers: [container("a", "500m"), container("b", "1")],
    overhead: { cpu: "50m" },
  };
  // While "i" runs: 2 + 0.1; afterwards 0.5 + 1 + 0.1. The overhead comes on top.
  expect(podRequests(pod(spec)).get("cpu")).toBe(2_150);
});

function node(name: string, labels: Record<string, string> = {}, room: Record<string, string> = {}): Node {
  return {
    metadata: { name, labels },
    status: { allocatable: { cpu: "4", memory: "8Gi", pods: "110", ...room } },
  };
}

function pod(spec: Partial<PodSpec>, name = "p"): Pod {
  return {
    metadata: { name, namespace: "default", uid: name, labels: { app: "web" } },
    spec: { containers: [{ name: "c" }], ...spec },
  };
}

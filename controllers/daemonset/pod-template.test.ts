import { describe, expect, test } from "vitest";
import type { Affinity, NodeSelectorTerm, Toleration } from "../../pkg/api/types/core-v1.gen.ts";
import {
  affinityToNode,
  daemonPodTemplate,
  daemonTolerations,
  pinnedToNode,
  targetNode,
} from "./pod-template.ts";

describe("the template of daemon pods", () => {
  // upstream: pkg/controller/daemon/util/daemonset_util_test.go#TestCreatePodTemplate
  test.each([
    ["1", "", { "pod-template-generation": "1" }],
    ["2", "3242341807", { "pod-template-generation": "2", "controller-revision-hash": "3242341807" }],
    [undefined, "x", { "controller-revision-hash": "x" }],
  ])("of generation %j and hash %j has the labels of both", (generation, hash, labels) => {
    expect(daemonPodTemplate({}, generation, hash).metadata?.labels).toEqual(labels);
  });

  test("keeps what the template says", () => {
    const template = {
      metadata: { labels: { a: "b" }, annotations: { c: "d" } },
      spec: { containers: [{ name: "main" }], priority: 3 },
    };
    const made = daemonPodTemplate(template, undefined, "x");
    expect(made.metadata).toEqual({
      labels: { a: "b", "controller-revision-hash": "x" },
      annotations: { c: "d" },
    });
    expect(made.spec).toMatchObject(template.spec);
  });
});

describe("a daemon pod tolerates", () => {
  const added = [
    "not-ready",
    "unreachable",
    "disk-pressure",
    "memory-pressure",
    "pid-pressure",
    "unschedulable",
  ];
  const keys = (tolerations: readonly Toleration[]): readonly string[] =>
    tolerations.map(({ key = "" }) => key.replace("node.kubernetes.io/", ""));

  test("what nodes suffer from", () => {
    expect(keys(daemonTolerations({}))).toEqual(added);
  });

  test("no network as well when it uses the node's own", () => {
    expect(keys(daemonTolerations({ hostNetwork: true }))).toEqual([...added, "network-unavailable"]);
  });

  test("what its template tolerates, first", () => {
    expect(keys(daemonTolerations({ tolerations: [{ key: "mine" }] }))).toEqual(["mine", ...added]);
  });

  test("for ever what its template tolerates for a time", () => {
    const impatient: Toleration = {
      key: "node.kubernetes.io/unreachable",
      operator: "Exists",
      effect: "NoExecute",
      tolerationSeconds: 5,
    };
    const { tolerationSeconds: _, ...patient } = impatient;
    const tolerations = daemonTolerations({ tolerations: [impatient] });
    expect(tolerations[0]).toEqual(patient);
    expect(tolerations).toHaveLength(6);
  });
});

const byName = (operator: string, ...values: string[]): NodeSelectorTerm => ({
  matchFields: [{ key: "metadata.name", operator, values }],
});
const byLabel = (key: string, ...values: string[]): NodeSelectorTerm => ({
  matchExpressions: [{ key, operator: "In", values }],
});
const required = (...nodeSelectorTerms: NodeSelectorTerm[]): Affinity => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
});
const pinned = required(byName("In", "host_1"));

// upstream: pkg/controller/daemon/util/daemonset_util_test.go#TestReplaceDaemonSetPodNodeNameNodeAffinity
describe("the affinity to one node takes the place of", () => {
  test.each<[string, Affinity | undefined]>([
    ["none", undefined],
    ["one to a label", required(byLabel("kubernetes.io/hostname", "host_1"))],
    ["one to several names", required(byName("In", "host_1", "host_2"))],
    ["several terms", required(byLabel("hostname", "host_1"), byName("In", "host_2"))],
    ["one to all names but one", required(byName("NotIn", "host_2"))],
    [
      "one to another field",
      required({ matchFields: [{ key: "metadata.foo", operator: "In", values: ["bar"] }] }),
    ],
  ])("%s", (_, affinity) => {
    expect(affinityToNode(affinity, "host_1")).toEqual(pinned);
  });

  test("nothing that is only preferred", () => {
    const preferred = [{ weight: 1, preference: byLabel("kubernetes.io/hostname", "host_1") }];
    const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: preferred };
    expect(affinityToNode({ nodeAffinity }, "host_1")).toEqual({
      nodeAffinity: { ...nodeAffinity, ...pinned.nodeAffinity },
    });
  });

  test("nothing that has to do with other pods", () => {
    const podAntiAffinity = { requiredDuringSchedulingIgnoredDuringExecution: [] };
    const made = pinnedToNode({ spec: { containers: [], affinity: { podAntiAffinity } } }, "host_1");
    expect(made.spec?.affinity).toEqual({ podAntiAffinity, ...pinned });
  });
});

// upstream: pkg/controller/daemon/util/daemonset_util_test.go#TestGetTargetNodeName
describe("a pod is for", () => {
  test.each([
    ["the node that it is on", { nodeName: "node-1" }, "node-1"],
    ["the node that its affinity names", { affinity: required(byName("In", "node-1")) }, "node-1"],
    [
      "none that is known when there are two",
      { affinity: required(byName("In", "node-1", "node-2")) },
      undefined,
    ],
    ["none that is known when it does not say", {}, undefined],
  ])("%s", (_, spec, expected) => {
    expect(targetNode({ containers: [], ...spec })).toBe(expected);
  });
});

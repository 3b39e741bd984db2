import { describe, expect, test } from "vitest";
import { preferredNodeAffinity, requiredNodeAffinity } from "./affinity.ts";
import { compileNodeSelector } from "./node-selector.ts";
import type { NodeSelectorRequirement, NodeSelectorTerm } from "./types/core-v1.gen.ts";

const is = (key: string, operator: string, ...values: string[]): NodeSelectorRequirement => ({
  key,
  operator,
  values,
});
const byLabel = (...matchExpressions: NodeSelectorRequirement[]): NodeSelectorTerm => ({ matchExpressions });
const byName = (...names: string[]): NodeSelectorTerm => ({
  matchFields: [is("metadata.name", "In", ...names)],
});
const node = (name: string, labels: Record<string, string> = {}) => ({ metadata: { name, labels } });
const label1 = is("label_1", "In", "label_1_val");

describe("compileNodeSelector", () => {
  test.each<[string, NodeSelectorTerm[], ReturnType<typeof node>, boolean]>([
    [
      "the name fits, the labels do not",
      [{ ...byLabel(label1), ...byName("host_1") }],
      node("host_1"),
      false,
    ],
    [
      "both fit",
      [{ ...byLabel(label1), ...byName("host_1") }],
      node("host_1", { label_1: "label_1_val" }),
      true,
    ],
    ["the second term fits", [byLabel(label1), byName("host_1")], node("host_1"), true],
    ["no terms", [], node("host_1"), false],
    ["an empty term", [{}, byLabel()], node("host_1"), false],
    ["another name", [{ matchFields: [is("metadata.name", "NotIn", "host_1")] }], node("host_2"), true],
    ["not this name", [{ matchFields: [is("metadata.name", "NotIn", "host_1")] }], node("host_1"), false],
    ["a node without a name", [byName("host_1")], node(""), true],
    ["in", [byLabel(is("foo", "In", "bar", "value2"))], node("n", { foo: "bar" }), true],
    ["greater", [byLabel(is("kernel", "Gt", "0204"))], node("n", { kernel: "0206" }), true],
    ["less", [byLabel(is("kernel", "Lt", "7"))], node("n", { kernel: "8" }), false],
    ["not in", [byLabel(is("mem", "NotIn", "DDR", "DDR2"))], node("n", { mem: "DDR3" }), true],
    ["exists", [byLabel(is("GPU", "Exists"))], node("n", { GPU: "NVIDIA-GRID-K1" }), true],
    ["does not exist", [byLabel(is("GPU", "DoesNotExist"))], node("n", { GPU: "x" }), false],
    [
      "one of two conditions",
      [byLabel(is("GPU", "Exists"), is("GPU", "In", "AMD"))],
      node("n", { GPU: "x" }),
      false,
    ],
    [
      "one of two terms",
      [byLabel(is("foo", "In", "bar")), byLabel(is("d", "In", "w"))],
      node("n", { foo: "bar" }),
      true,
    ],
    [
      "neither term",
      [byName("node_1"), byLabel(is("foo", "In", "no"))],
      node("node_2", { foo: "bar" }),
      false,
    ],
    ["a term with an error and one that fits", [byLabel(is("!", "In", "x")), byName("n")], node("n"), true],
    ["a term with an error", [byLabel(is("foo", "NotIn", "bad value"))], node("n", { foo: "bar" }), false],
  ])("%s", (_, nodeSelectorTerms, against, expected) => {
    expect(compileNodeSelector({ nodeSelectorTerms }).matches(against)).toBe(expected);
  });

  test("reports every error with its place", () => {
    const { errors } = compileNodeSelector({
      nodeSelectorTerms: [
        byName("host_1", "host_2"),
        { ...byLabel(label1), ...byName("host_1") },
        byLabel(is("invalid key", "In", "label_value")),
        byLabel(is("foo", "Exists", "bar"), is("baz", "invalid", "5")),
        { matchFields: [is("metadata.name", "Exists")] },
      ],
    });
    expect(errors).toEqual([
      'nodeSelectorTerms[0].matchFields[0].values: Invalid value: ["host_1","host_2"]: must have one element',
      expect.stringMatching(
        /^nodeSelectorTerms\[2\]\.matchExpressions\[0\]\.key: Invalid value: "invalid key": name part must consist/,
      ),
      'nodeSelectorTerms[3].matchExpressions[0].values: Invalid value: ["bar"]: values set must be empty for exists and does not exist',
      'nodeSelectorTerms[3].matchExpressions[1].operator: Unsupported value: "invalid": supported values: "DoesNotExist", "Exists", "Gt", "In", "Lt", "NotIn"',
      'nodeSelectorTerms[4].matchFields[0].operator: Unsupported value: "Exists": supported values: "In", "NotIn"',
    ]);
  });
});

describe("requiredNodeAffinity", () => {
  const required = (...nodeSelectorTerms: NodeSelectorTerm[]) => ({
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
  });
  test.each<[string, Parameters<typeof requiredNodeAffinity>[0], Record<string, string>, boolean]>([
    ["nothing asked for", {}, {}, true],
    ["missing labels", { nodeSelector: { foo: "bar" } }, {}, false],
    ["same labels", { nodeSelector: { foo: "bar" } }, { foo: "bar" }, true],
    ["more labels", { nodeSelector: { foo: "bar" } }, { foo: "bar", baz: "blah" }, true],
    ["fewer labels", { nodeSelector: { foo: "bar", baz: "blah" } }, { foo: "bar" }, false],
    ["affinity without requirements", { affinity: { nodeAffinity: {} } }, { foo: "bar" }, true],
    ["no terms", { affinity: required() }, { foo: "bar" }, false],
    [
      "both fulfilled",
      { nodeSelector: { foo: "bar" }, affinity: required(byLabel(is("foo", "Exists"))) },
      { foo: "bar" },
      true,
    ],
    [
      "selector not fulfilled",
      { nodeSelector: { foo: "bar" }, affinity: required(byLabel(is("foo", "Exists"))) },
      { foo: "barrrrrr" },
      false,
    ],
    [
      "affinity not fulfilled",
      { affinity: required(byLabel(is("foo", "In", "value1"))) },
      { foo: "bar" },
      false,
    ],
  ])("%s", (_, spec, labels, expected) => {
    expect(requiredNodeAffinity(spec).matches(node("n", labels))).toBe(expected);
  });

  test("passes errors on", () => {
    expect(requiredNodeAffinity({ affinity: required(byName("a", "b")) }).errors).toHaveLength(1);
  });
});

describe("preferredNodeAffinity", () => {
  const host = node("host_1", { label_1: "label_1_val" });
  test("adds up the weights of the terms that fit", () => {
    const preference = preferredNodeAffinity([
      { weight: 5, preference: byName("host_1") },
      { weight: 7, preference: byLabel(is("unknown_label", "In", "unknown_label_val")) },
      { weight: 11, preference: byLabel(label1) },
      { weight: 13, preference: {} },
    ]);
    expect(preference.errors).toEqual([]);
    expect(preference.score(host)).toBe(16);
  });

  test("reports errors, but not of terms without weight", () => {
    const preference = preferredNodeAffinity([
      { weight: 0, preference: byName("host_1", "host_2") },
      { weight: 1, preference: byName("host_1", "host_2") },
    ]);
    expect(preference.errors).toEqual([
      '[1].matchFields[0].values: Invalid value: ["host_1","host_2"]: must have one element',
    ]);
    expect(preference.score(host)).toBe(0);
  });
});

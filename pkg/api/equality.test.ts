import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { semanticEqual } from "./equality.ts";

describe("without a definition", () => {
  test.each<[unknown, unknown, boolean]>([
    [1, 1, true],
    [1, 2, false],
    [0.5, 0.5, true],
    ["foo", "foo", true],
    ["hello", "hey", false],
    [null, undefined, true],
    [[], undefined, true],
    [[], {}, true],
    [{}, null, true],
    ["", undefined, false],
    [0, undefined, false],
    [false, undefined, false],
    [["a"], ["a"], true],
    [["a", "b"], ["b", "a"], false],
    [["a"], ["a", "b"], false],
    [{ a: 1, b: 2 }, { b: 2, a: 1 }, true],
    [{ a: 1 }, { a: 1, b: [] }, true],
    [{ a: 1 }, { a: 1, b: { c: [] } }, false],
    [{ a: 1, b: 2 }, { a: 1 }, false],
    [{ a: { b: [{ c: null }] } }, { a: { b: [{}] } }, true],
    [["a"], { 0: "a" }, false],
    ["1000m", "1", false],
  ])("%j and %j: %j", (a, b, expected) => {
    expect(semanticEqual(a, b)).toBe(expected);
    expect(semanticEqual(b, a)).toBe(expected);
  });

  test("any JSON equals its copy", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(semanticEqual(value, JSON.parse(JSON.stringify(value)))).toBe(true);
      }),
    );
  });
});

describe("with a definition", () => {
  const limits = (cpu: string) => ({ containers: [{ name: "c", resources: { limits: { cpu } } }] });
  test.each<[string, unknown, unknown, boolean]>([
    ["core.v1.PodSpec", limits("1000m"), limits("1"), true],
    ["core.v1.PodSpec", { ofLater: 1, ...limits("1") }, limits("1"), true],
    ["core.v1.PodSpec", { containers: [{ name: "c", ofLater: {} }] }, { containers: [{ name: "c" }] }, true],
    ["core.v1.PodSpec", limits("1000m"), limits("2"), false],
    [
      "core.v1.PodSpec",
      { containers: [{ name: "c" }] },
      { containers: [{ name: "c", resources: {} }] },
      true,
    ],
    ["core.v1.ResourceRequirements", { limits: { cpu: "0" } }, {}, false],
    ["core.v1.ResourceRequirements", { limits: {} }, {}, true],
    ["core.v1.Volume", { name: "v", emptyDir: {} }, { name: "v" }, false],
    ["apps.v1.DeploymentSpec", { selector: {} }, {}, false],
    ["apps.v1.DeploymentSpec", { replicas: 0 }, {}, false],
    ["core.v1.PodSpec", { tolerations: [] }, { tolerations: null }, true],
    ["meta.v1.ObjectMeta", { creationTimestamp: null }, {}, true],
    [
      "meta.v1.ObjectMeta",
      { creationTimestamp: "2024-01-01T02:00:00+02:00" },
      { creationTimestamp: "2024-01-01T00:00:00Z" },
      true,
    ],
    [
      "meta.v1.ObjectMeta",
      { creationTimestamp: "2024-01-01T00:00:01Z" },
      { creationTimestamp: "2024-01-01T00:00:00Z" },
      false,
    ],
    [
      "coordination.v1.LeaseSpec",
      { renewTime: "2024-01-01T00:00:00.100000Z" },
      { renewTime: "2024-01-01T00:00:00.1Z" },
      true,
    ],
    [
      "coordination.v1.LeaseSpec",
      { renewTime: "2024-01-01T00:00:00.100001Z" },
      { renewTime: "2024-01-01T00:00:00.100002Z" },
      false,
    ],
    ["meta.v1.ObjectMeta", { labels: { a: "" } }, { labels: {} }, false],
    ["meta.v1.ObjectMeta", { labels: {} }, {}, true],
    ["apps.v1.Deployment", { ours: { x: [] } }, { ours: { x: null } }, true],
    ["apps.v1.Deployment", { spec: {} }, undefined, false],
    ["apps.v1.Deployment", null, undefined, true],
  ])("%s: %j and %j: %j", (definition, a, b, expected) => {
    expect(semanticEqual(a, b, definition)).toBe(expected);
    expect(semanticEqual(b, a, definition)).toBe(expected);
  });
});

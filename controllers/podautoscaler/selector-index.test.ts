import { beforeEach, describe, expect, test } from "vitest";
import { inOneGo } from "../../pkg/api/steps.ts";
import { parseLabelSelector } from "../../pkg/api/labels-parse.ts";
import type { Labels } from "../../pkg/api/labels.ts";
import type { PartialObject } from "../../pkg/api/object.ts";
import { SelectorIndex } from "./selector-index.ts";

let index: SelectorIndex;
beforeEach(() => (index = new SelectorIndex()));

function autoscaler(name: string, uid = name, namespace = "team"): PartialObject {
  return { metadata: { name, namespace, uid } };
}

function put(name: string, selector: string, uid?: string): void {
  index.put(autoscaler(name, uid), parseLabelSelector(selector));
}

function selecting(...labels: readonly Labels[]): readonly string[] {
  return inOneGo(
    index.selecting(
      "team",
      labels.map((each) => ({ metadata: { labels: each } })),
    ),
  );
}

describe("autoscalers of the same pods are found", () => {
  test.each([
    ["app=web", { app: "web" }, true],
    ["app=web", { app: "web", tier: "front" }, true],
    ["app=web", { app: "other" }, false],
    ["app=web,tier=front", { app: "web" }, false],
    ["app in (web)", { app: "web" }, true],
    ["app in (web, api)", { app: "api" }, true],
    ["app notin (web)", { app: "api" }, true],
    ["app notin (web)", { app: "web" }, false],
    ["app", { app: "anything" }, true],
    ["", {}, true],
  ])("%s and %j: %s", (selector, labels, isFound) => {
    put("a", selector);
    expect(selecting(labels)).toEqual(isFound ? ["team/a"] : []);
  });

  test("whatever pod it is that they share, in order of their names", () => {
    put("b", "tier=front");
    put("a", "app=web");
    put("c", "app=other");
    expect(selecting({ app: "web" }, { tier: "front" })).toEqual(["team/a", "team/b"]);
  });

  test("and the selector of one is known by its text, as long as it is that very one", () => {
    const selector = parseLabelSelector("app=web");
    index.put(autoscaler("a"), selector);
    expect(index.known(autoscaler("a"), "app=web")).toBe(selector);
    expect(index.known(autoscaler("a"), "app=api")).toBeUndefined();
    expect(index.known(autoscaler("a", "another"), "app=web")).toBeUndefined();
    expect(index.known(autoscaler("b"), "app=web")).toBeUndefined();
  });

  test("in their namespace", () => {
    index.put(autoscaler("a", "a", "elsewhere"), parseLabelSelector("app=web"));
    expect(selecting({ app: "web" })).toEqual([]);
  });

  test("by their newest selector", () => {
    put("a", "app=web");
    put("a", "app=api");
    expect(selecting({ app: "web" })).toEqual([]);
    expect(selecting({ app: "api" })).toEqual(["team/a"]);
  });

  test("under another pair, when one is already much used", () => {
    put("a", "team=x,app=a");
    put("b", "team=x,app=b");
    expect(selecting({ team: "x", app: "a" })).toEqual(["team/a"]);
    expect(selecting({ team: "x", app: "b" })).toEqual(["team/b"]);
  });
});

describe("one that is gone is not found", () => {
  test("by its object", () => {
    put("a", "app=web");
    index.delete(autoscaler("a"));
    expect(selecting({ app: "web" })).toEqual([]);
  });

  test("by its name", () => {
    put("a", "app=web");
    index.deleteName("team/a");
    expect(selecting({ app: "web" })).toEqual([]);
  });

  test("unless another one has its name by then", () => {
    put("a", "app=web", "second");
    index.delete(autoscaler("a", "first"));
    expect(selecting({ app: "web" })).toEqual(["team/a"]);
  });
});

import { describe, expect, test } from "vitest";
import {
  newRevision,
  nextRevision,
  revisionJson,
  revisionName,
  revisionsWithData,
  sameData,
  sortRevisions,
  surplusRevisions,
  templateData,
} from "./controller-revision.ts";
import { stored } from "../../test/harness/stored.ts";
import type { Int64 } from "./int64.ts";
import { resources } from "./resources.ts";
import type { ControllerRevision } from "./types/apps-v1.gen.ts";

function revision(
  name: string,
  number: Int64,
  more: { readonly created?: string; readonly data?: unknown } = {},
): ControllerRevision {
  const { created = "2026-01-01T00:00:00Z", data = {} } = more;
  return { metadata: { name, creationTimestamp: created }, revision: number, data };
}

const namesOf = (revisions: readonly ControllerRevision[]): string =>
  revisions.map(({ metadata }) => metadata.name).join(" ");

// upstream: pkg/controller/history/controller_history_test.go#TestSortControllerRevisions
describe("revisions in order", () => {
  const [first, second, third] = [revision("a", 1), revision("b", 2), revision("c", 3)];
  const old = revision("z", 2, { created: "2025-12-31T00:00:00Z" });
  const twin = revision("bb", 2);
  test.each([
    { name: "out of order", given: [second, first, third], want: "a b c" },
    { name: "in order already", given: [first, second, third], want: "a b c" },
    { name: "reversed", given: [third, second, first], want: "a b c" },
    {
      name: "of one number: the older first, then by name",
      given: [third, twin, second, old],
      want: "z b bb c",
    },
    {
      name: "of numbers that doubles do not tell apart",
      given: [revision("a", 9007199254740993n), revision("b", 9007199254740992n)],
      want: "b a",
    },
    { name: "none", given: [], want: "" },
  ])("$name", ({ given, want }) => {
    expect(namesOf(sortRevisions(given))).toBe(want);
  });
});

test.each([
  { given: [], next: 1 },
  { given: [revision("a", 4)], next: 5 },
  { given: [revision("a", 9007199254740991)], next: 9007199254740992n },
  { given: [revision("b", 9007199254740993n), revision("a", 1)], next: 9007199254740994n },
  // The server takes no revision below 0.
  { given: [revision("a", 9223372036854775807n)], next: -9223372036854775808n },
  { given: [revision("a", 7), revision("b", 3)], next: 8 },
])("the number after the highest is $next", ({ given, next }) => {
  expect(nextRevision(given)).toBe(next);
});

// upstream: pkg/controller/history/controller_history_test.go#TestFindEqualRevisions
describe("revisions with the data", () => {
  test("hold nothing of a template that this version does not know", () => {
    const template = { metadata: { labels: { foo: "bar" } }, spec: { containers: [] } };
    const newer = { ...template, ofLater: 1, spec: { ...template.spec, ofLater: {} } };
    expect(templateData(newer)).toEqual(templateData(template));
  });

  const data = templateData({ metadata: { labels: { foo: "bar" } } });
  const other = templateData({ metadata: { labels: { foo: "not-bar" } } });
  const [same, again, different] = [
    revision("same", 1, { data }),
    revision("again", 3, { data: structuredClone(data) }),
    revision("different", 2, { data: other }),
  ];
  test.each([
    { name: "all that hold it", given: [same, different, again], want: "same again" },
    { name: "none of none", given: [], want: "" },
    { name: "none that hold other data", given: [different], want: "" },
  ])("$name", ({ given, want }) => {
    expect(namesOf(revisionsWithData(given, data))).toBe(want);
  });
});

describe("the same data", () => {
  test.each<[string, unknown, unknown, boolean]>([
    ["whatever the order of keys", { a: 1, b: [1, { c: "x" }] }, { b: [1, { c: "x" }], a: 1 }, true],
    ["not a list in another order", [1, 2], [2, 1], false],
    ["not with a key more", { a: 1 }, { a: 1, b: 2 }, false],
    ["not with null for nothing", { a: null }, {}, false],
    ["not with empty for nothing", { a: {} }, {}, false],
    ["not a list for an object", { a: [] }, { a: {} }, false],
    ["but nothing is undefined", { a: undefined }, {}, true],
    ["numbers and text differ", { a: 1 }, { a: "1" }, false],
  ])("%s", (_name, a, b, same) => {
    expect(sameData(a, b)).toBe(same);
    expect(sameData(b, a)).toBe(same);
  });
});

describe("surplus revisions", () => {
  const sorted = ["a", "b", "c", "d", "e"].map((name, index) => revision(name, index + 1));
  test.each([
    { name: "the oldest above the limit", limit: 2, used: "", want: "a b c" },
    { name: "but never one in use, which does not count either", limit: 2, used: "a e", want: "b" },
    { name: "none below the limit", limit: 10, used: "", want: "" },
    { name: "all that are unused, without a limit left", limit: 0, used: "c", want: "a b d e" },
    { name: "none with a limit below zero", limit: -1, used: "", want: "" },
  ])("$name", ({ limit, used, want }) => {
    const inUse = ({ metadata }: ControllerRevision): boolean => used.includes(metadata.name ?? "?");
    expect(namesOf(surplusRevisions(sorted, inUse, limit))).toBe(want);
  });
});

test("a new revision is named after its owner and the hash of its data, which a label repeats", () => {
  const data = templateData({ metadata: { labels: { app: "web" } }, spec: { containers: [] } });
  const owner = stored({ metadata: { name: "web", namespace: "default", uid: "u" } });
  const draft = { owner, ownerResource: resources.statefulSets, data, revision: 3, collisionCount: 0 };
  const made = newRevision({ ...draft, labels: { app: "web" }, annotations: { note: "x" } });
  const hash = made.metadata.labels?.["controller.kubernetes.io/hash"];
  expect(made).toMatchObject({
    metadata: {
      name: `web-${hash}`,
      namespace: "default",
      labels: { app: "web" },
      annotations: { note: "x" },
      ownerReferences: [
        { apiVersion: "apps/v1", kind: "StatefulSet", name: "web", uid: "u", controller: true },
      ],
    },
    revision: 3,
    data: { spec: { template: { $patch: "replace", metadata: { labels: { app: "web" } } } } },
  });
  const collided = newRevision({ ...draft, labels: {}, annotations: {}, collisionCount: 1 });
  expect(collided.metadata.name).not.toBe(made.metadata.name);
  expect(collided.metadata).not.toHaveProperty("annotations");
});

test("a long name is cut so that the hash has room", () => {
  expect(revisionName("n".repeat(300), "hash")).toBe(`${"n".repeat(223)}-hash`);
});

test("data is written with its keys in order and without letters that HTML knows", () => {
  const command = ["sh", "-c", "a && b > c"];
  const data = templateData({ spec: { containers: [{ name: "a", command }] }, metadata: {} });
  expect(revisionJson(data)).toBe(
    '{"spec":{"template":{"$patch":"replace","metadata":{},"spec":{"containers":[{"command":' +
      String.raw`["sh","-c","a \u0026\u0026 b \u003e c"],"name":"a"}]}}}}`,
  );
});

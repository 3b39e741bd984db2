import { expect, test } from "vitest";
import { changedPaths } from "./changed-paths.ts";
import type { ApiObject } from "./object.ts";

const object = (fields: object): ApiObject => ({ metadata: { name: "a", resourceVersion: "1" }, ...fields });

test.each<[string, object, object, readonly string[]]>([
  ["nothing but the version", { spec: { a: 1 } }, { spec: { a: 1 } }, []],
  [
    "a field of the status",
    { status: { phase: "Pending" } },
    { status: { phase: "Running" } },
    ["status.phase"],
  ],
  ["something deeper", { spec: { a: { b: 1 } } }, { spec: { a: { b: 2 } } }, ["spec.a"]],
  ["an item of a list", { spec: { a: [1, 2] } }, { spec: { a: [1, 3] } }, ["spec.a"]],
  ["a field that came and one that went", { spec: { a: 1 } }, { spec: { b: 1 } }, ["spec.a", "spec.b"]],
  ["a part that came", {}, { status: { phase: "Running" } }, ["status"]],
  ["a part that went", { data: { a: "1" } }, {}, ["data"]],
  ["nothing where nothing and empty are one", { spec: { a: [] } }, { spec: {} }, []],
  ["a plain field", { type: "Opaque" }, { type: "other" }, ["type"]],
])("tells of %s", (_, before, after, expected) => {
  const later = object(after);
  expect(
    changedPaths(object(before), { ...later, metadata: { ...later.metadata, resourceVersion: "2" } }),
  ).toEqual(expected);
});

test("what was asked before is not what is asked now", () => {
  const [one, two, three] = [object({ a: 1 }), object({ b: 1 }), object({ c: 1 })];
  expect(changedPaths(one, two)).toEqual(["a", "b"]);
  expect(changedPaths(one, three)).toEqual(["a", "c"]);
  expect(changedPaths(two, three)).toEqual(["b", "c"]);
});

test("labels and annotations are told of, managed fields are not", () => {
  const before = { metadata: { labels: { a: "1" }, managedFields: [] } };
  const after = { metadata: { labels: { a: "2" }, annotations: { b: "" }, managedFields: [{}] } };
  expect(changedPaths(before, after)).toEqual(["metadata.labels", "metadata.annotations"]);
});

test("of many paths the first are told", () => {
  const data = (value: string): object =>
    Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`k${index}`, value]));
  const paths = changedPaths(object({ data: data("1") }), object({ data: data("2") }));
  expect([paths.length, paths[0], paths.at(-1)]).toEqual([9, "data.k0", "…"]);
});

test("paths are told by whatever names users give", () => {
  for (let index = 0; index < 1_100; index++) {
    const data = (value: string): ApiObject => object({ data: { [`k${index}`]: value } });
    expect(changedPaths(data("1"), data("2"))).toEqual([`data.k${index}`]);
    expect(changedPaths(data("2"), data("1"))).toEqual([`data.k${index}`]);
  }
});

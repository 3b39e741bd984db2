import { expect, test } from "vitest";
import { stored } from "../../test/harness/stored.ts";
import { isOlder, ObjectsLeft, versionProblem } from "./objects-left.ts";

const object = (name: string, resourceVersion: string) =>
  stored({ metadata: { namespace: "ns", name, uid: `uid-${name}`, resourceVersion } });

// upstream: pkg/controller/storageversionmigrator/storageversionmigrator_test.go#TestSync, "Successful migration"
test("those are left that were written before, or in that very version", () => {
  const left = new ObjectsLeft("100");
  for (const [name, version] of [
    ["a", "90"],
    ["b", "100"],
    ["c", "101"],
    ["d", "1000"],
    ["e", "99"],
  ] as const)
    left.add(object(name, version));
  const names: string[] = [];
  for (let next = left.first(); next !== undefined; next = left.first()) {
    expect(left.length).toBe(3 - names.length);
    names.push(next.name);
    left.shift();
  }
  expect(names).toEqual(["a", "b", "e"]);
  expect([left.length, left.malformed]).toEqual([0, undefined]);
});

test("what identifies an object is kept of it, and no more", () => {
  const left = new ObjectsLeft("100");
  left.add(object("a", "90"));
  expect(left.first()).toEqual({ namespace: "ns", name: "a", uid: "uid-a", resourceVersion: "90" });
});

test("a version that cannot be compared is told of, until the list begins anew", () => {
  const left = new ObjectsLeft("100");
  left.add(object("a", "90"));
  left.add(object("b", "abc"));
  left.add(object("c", "xyz"));
  expect(left.malformed).toBe("abc");
  left.clear();
  expect([left.malformed, left.length]).toEqual([undefined, 0]);
});

test.each([
  ["7", undefined],
  ["123456789012345678901", undefined],
  ["", "resource version is not well formed: "],
  ["0", "resource version is not well formed: 0"],
  ["07", "resource version is not well formed: 07"],
  ["abc", "resource version is not well formed: abc"],
])("what is wrong with the version %j", (version, expected) => {
  expect(versionProblem(version)).toBe(expected);
});

test("a list of that very version is not too old", () => {
  expect([isOlder("99", "100"), isOlder("100", "100"), isOlder("101", "100")]).toEqual([true, false, false]);
});

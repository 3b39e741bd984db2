import type { Stored } from "../../pkg/api/object.ts";
import { asStored } from "../../test/harness/stored.ts";
import { describe, expect, test } from "vitest";
import { templateData } from "../../pkg/api/controller-revision.ts";
import { computeHash } from "../../pkg/api/hash.ts";
import type { Int64 } from "../../pkg/api/int64.ts";
import type { ControllerRevision } from "../../pkg/api/types/apps-v1.gen.ts";
import { newRevision, splitRevisions, surplusHistory, withHash } from "./revisions.ts";
import { daemonSet, LABELS, pod } from "./samples.test-data.ts";

const ds = daemonSet({ annotations: { "kubernetes.io/change-cause": "why not" } });
const current = templateData(ds.spec?.template ?? {});

function revision(
  number: number,
  data: unknown = { spec: { number } },
  name = `foo-${number}`,
): Stored<ControllerRevision> {
  const labels = { "controller-revision-hash": `hash-${number}` };
  return asStored<ControllerRevision>({ metadata: { name, labels }, data, revision: number });
}

function numbers(revisions: readonly Stored<ControllerRevision>[]): readonly Int64[] {
  return revisions.map((each) => each.revision);
}

describe("of the revisions of a DaemonSet", () => {
  test("the one that holds its template is current, and the others old, oldest first", () => {
    const split = splitRevisions(ds, [revision(4), revision(3, current), revision(1)]);
    expect(split.current?.revision).toBe(3);
    expect(numbers(split.old)).toEqual([1, 4]);
    expect(split.duplicates).toEqual([]);
    // It was rolled back: what was the third is now the newest.
    expect(split.number).toBe(5);
  });

  test("the latest of several that hold it is current", () => {
    const split = splitRevisions(ds, [revision(2, current), revision(3, current), revision(1)]);
    expect(split.current?.revision).toBe(3);
    expect(numbers(split.duplicates)).toEqual([2]);
    expect(split.number).toBe(2);
  });

  test("none may hold it", () => {
    expect(splitRevisions(ds, [])).toEqual({ current: undefined, duplicates: [], old: [], number: 1 });
  });
});

describe("a new revision", () => {
  const made = newRevision(ds, 7);
  test("is named for the hash of the template, and carries it", () => {
    const hash = computeHash(ds.spec?.template ?? {});
    expect(made.metadata.name).toBe(`foo-${hash}`);
    expect(made.metadata.labels).toEqual({ ...LABELS, "controller-revision-hash": hash });
  });

  test("holds the template and the DaemonSet's annotations, and is the DaemonSet's", () => {
    expect(made).toMatchObject({ revision: 7, data: current });
    expect(made.metadata.annotations).toEqual(ds.metadata.annotations);
    expect(made.metadata.ownerReferences).toMatchObject([
      { kind: "DaemonSet", name: "foo", controller: true },
    ]);
  });

  test("has another name after a collision", () => {
    const collided = daemonSet({ status: { collisionCount: 1 } });
    expect(newRevision(collided, 1).metadata.name).not.toBe(made.metadata.name);
  });
});

test("a revision without a hash gets its name as one, and a hash is kept", () => {
  const bare: ControllerRevision = { metadata: { name: "foo-x", labels: { a: "b" } }, revision: 1 };
  expect(withHash(asStored(bare)).metadata.labels).toEqual({ a: "b", "controller-revision-hash": "foo-x" });
  expect(withHash(asStored(revision(1)))).toEqual(revision(1));
});

describe("old revisions that are too many", () => {
  const old = [1, 2, 3, 4].map((number) => revision(number));
  test.each([
    ["none where there is room", 4, [], []],
    ["the oldest", 2, [], [1, 2]],
    ["all of them", 0, [], [1, 2, 3, 4]],
    ["not those that pods are of, which count all the same", 2, [1], [2, 3]],
    ["no more than those that no pod is of", 0, [1, 2, 4], [3]],
  ])("%s", (_, historyLimit, live, expected) => {
    const pods = live.map((number) => pod(`p${number}`, { hash: `hash-${number}` }));
    expect(numbers(surplusHistory(daemonSet({ historyLimit }), old, pods))).toEqual(expected);
  });
});

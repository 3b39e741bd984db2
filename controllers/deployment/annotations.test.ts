import type { Stored } from "../../pkg/api/object.ts";
import { describe, expect, test } from "vitest";
import type { ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import {
  countAnnotation,
  currentAnnotations,
  DESIRED_REPLICAS,
  hasSizeAnnotations,
  lastRevision,
  MAX_REPLICAS,
  nextRevision,
  REVISION,
  REVISION_HISTORY,
  rolledBackAnnotations,
  sizeAnnotations,
} from "./annotations.ts";
import { deployment, replicaSet } from "./samples.test-data.ts";

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

describe("a count in an annotation", () => {
  // upstream: pkg/controller/deployment/util/deployment_util_test.go#TestGetNonNegativeInt32FromAnnotation
  test.each<[string, string | undefined, number | undefined]>([
    ["is missing", undefined, undefined],
    ["is no number", "invalid", undefined],
    ["is negative", "-1", undefined],
    ["is 0", "0", 0],
    ["is a number", "13", 13],
    ["is the largest", String(2 ** 31 - 1), 2 ** 31 - 1],
    ["is too large", String(2 ** 31), undefined],
    ["is far too large", String(2 ** 32), undefined],
    ["is empty", "", undefined],
  ])("%s", (_, text, expected) => {
    const annotations = { foo: "2", ...(text !== undefined && { test: text }) };
    expect(countAnnotation(replicaSet("rs", 1, { annotations }), "test")).toBe(expected);
  });
});

describe("the annotations of the current ReplicaSet", () => {
  // upstream: pkg/controller/deployment/util/deployment_util_test.go#TestAnnotationUtils (first), whose limit of 5
  // characters holds two revisions; 2,000 characters hold many.
  test("tell its revision, and the revisions that it had, as many as there is room for", () => {
    const owner = deployment({ annotations: { [REVISION]: "1" } });
    let annotations: Readonly<Record<string, string>> | undefined = { [REVISION]: "1000" };
    for (let revision = 1_001n; revision <= 1_600n; revision++) {
      annotations = currentAnnotations(owner, annotations, revision);
      expect(annotations?.[REVISION]).toBe(String(revision));
    }
    const history = annotations?.[REVISION_HISTORY] ?? "";
    // 400 revisions of 4 digits with 399 commas; one more would be 2,004 characters.
    expect(history.length).toBe(1_999);
    expect(history.startsWith("1200,1201,")).toBe(true);
    expect(history.endsWith(",1599")).toBe(true);
  });

  test.for<
    [string, Record<string, string>, Record<string, string> | undefined, bigint, Record<string, string>]
  >([
    [
      "take over the Deployment's",
      { a: "1" },
      { b: "2", [REVISION]: "3" },
      1n,
      { a: "1", b: "2", [REVISION]: "3" },
    ],
    [
      "leave out what is the Deployment's own",
      { [LAST_APPLIED]: "{}", [REVISION]: "9" },
      undefined,
      2n,
      { [REVISION]: "2" },
    ],
    ["keep a higher revision", {}, { [REVISION]: "5" }, 4n, { [REVISION]: "5" }],
    [
      "leave a revision alone that is no number",
      { a: "1" },
      { [REVISION]: "x" },
      4n,
      { a: "1", [REVISION]: "x" },
    ],
    [
      "leave a revision alone that is too large for a number",
      {},
      { [REVISION]: "9223372036854775808" },
      4n,
      { [REVISION]: "9223372036854775808" },
    ],
    [
      "count on beyond what a double can tell apart",
      {},
      { [REVISION]: "9007199254740992" },
      9007199254740993n,
      { [REVISION]: "9007199254740993", [REVISION_HISTORY]: "9007199254740992" },
    ],
    ["get no revision after the highest number that there is", {}, {}, -(2n ** 63n), {}],
    ["begin no history with nothing", {}, { [REVISION]: "" }, 1n, { [REVISION]: "1" }],
    ["begin a history", {}, { [REVISION]: "1" }, 3n, { [REVISION]: "3", [REVISION_HISTORY]: "1" }],
  ])("%s", ([, own, before, revision, expected]) => {
    expect(currentAnnotations(deployment({ annotations: own }), before, revision)).toEqual(expected);
  });

  test("are the same object when nothing changes", () => {
    const before = { a: "1", [REVISION]: "3" };
    expect(currentAnnotations(deployment({ annotations: { a: "1" } }), before, 2n)).toBe(before);
  });
});

describe("annotations that tell the whole", () => {
  // upstream: pkg/controller/deployment/util/deployment_util_test.go#TestAnnotationUtils (second)
  test("are the desired size, with and without surge", () => {
    expect(sizeAnnotations(deployment({ replicas: 10, surge: 1 }))).toEqual({
      [DESIRED_REPLICAS]: "10",
      [MAX_REPLICAS]: "11",
    });
  });

  // upstream: pkg/controller/deployment/util/deployment_util_test.go#TestReplicasAnnotationsNeedUpdate
  test.each<[string, Record<string, string> | undefined, boolean]>([
    ["are missing", undefined, false],
    ["tell another size", { [DESIRED_REPLICAS]: "8", [MAX_REPLICAS]: "20" }, false],
    ["tell another size with surge", { [DESIRED_REPLICAS]: "10", [MAX_REPLICAS]: "16" }, false],
    ["are up to date", { [DESIRED_REPLICAS]: "10", [MAX_REPLICAS]: "20" }, true],
  ])("%s", (_, annotations, expected) => {
    const set = replicaSet("rs", 1, annotations === undefined ? {} : { annotations });
    expect(hasSizeAnnotations(deployment({ replicas: 10, surge: 10 }), set)).toBe(expected);
  });
});

describe("of revisions", () => {
  const withRevisions = (...revisions: readonly string[]): readonly Stored<ReplicaSet>[] =>
    revisions.map((revision, index) =>
      replicaSet(`rs-${index}`, 0, { annotations: { [REVISION]: revision } }),
    );

  test.each<[string, readonly string[], bigint, bigint]>([
    ["there are none", [], 1n, 0n],
    ["there is one", ["3"], 4n, 0n],
    ["one is no number", ["3", "x", "7"], 8n, 3n],
    ["two are equal", ["3", "7", "7", "1"], 8n, 7n],
    ["one is below zero", ["5", "-3"], 6n, 0n],
    ["one is too large for a number", ["2", "9223372036854775808", "1"], 3n, 1n],
    ["one has a sign and zeros", ["+0008", "2"], 9n, 2n],
    // upstream: test/e2e/apps/deployment.go#testRollingUpdateDeployment
    ["one is beyond what a double can hold", ["3546343826724305832", "1"], 3546343826724305833n, 1n],
    [
      "two differ by less than doubles do",
      ["9007199254740993", "9007199254740992"],
      9007199254740994n,
      9007199254740992n,
    ],
    ["one is the highest of all", ["9223372036854775807"], -9223372036854775808n, 0n],
  ])("%s", (_, revisions, next, last) => {
    expect(nextRevision(withRevisions(...revisions))).toBe(next);
    expect(lastRevision(withRevisions(...revisions))).toBe(last);
  });
});

test("going back takes the ReplicaSet's annotations, and keeps what is the Deployment's own", () => {
  const owner = deployment({ annotations: { [REVISION]: "2", [LAST_APPLIED]: "{}", cause: "edit" } });
  const set = replicaSet("rs", 0, { annotations: { [REVISION]: "1", cause: "create", [MAX_REPLICAS]: "3" } });
  expect(rolledBackAnnotations(owner, set)).toEqual({
    [REVISION]: "2",
    [LAST_APPLIED]: "{}",
    cause: "create",
  });
});

import type { Stored } from "../../pkg/api/object.ts";
import { describe, expect, test } from "vitest";
import type { ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { PodTemplateSpec } from "../../pkg/api/types/core-v1.gen.ts";
import { sameTemplate, splitRevisions } from "./replica-sets.ts";
import { deployment, replicaSet, template } from "./samples.test-data.ts";

describe("templates are the same", () => {
  const hash = (value: string): Record<string, string> => ({ "pod-template-hash": value });
  const other = { something: "else" };
  const made = (
    name: string,
    labels: Record<string, string>,
    annotations?: Record<string, string>,
    node = "foo-node",
  ): PodTemplateSpec => ({
    metadata: { labels, ...(annotations && { annotations }) },
    spec: { containers: [{ name, image: "image" }], nodeName: node },
  });
  // upstream: pkg/controller/deployment/util/deployment_util_test.go#TestEqualIgnoreHash
  test.each<[string, PodTemplateSpec, PodTemplateSpec, boolean]>([
    [
      "with the same labels",
      made("foo", { ...hash("1"), ...other }),
      made("foo", { ...hash("1"), ...other }),
      true,
    ],
    [
      "with another hash",
      made("foo", { ...hash("1"), ...other }),
      made("foo", { ...hash("2"), ...other }),
      true,
    ],
    ["without a hash in one", made("foo", other), made("foo", { ...hash("2"), ...other }), true],
    ["not with a hash instead of a label", made("foo", other), made("foo", hash("2")), false],
    ["not with a label instead of a hash", made("foo", hash("1")), made("foo", other), false],
    ["not with a label more", made("foo", hash("1")), made("foo", { ...hash("1"), ...other }), false],
    [
      "not with other annotations",
      made("foo", hash("1"), { former: "value" }),
      made("foo", hash("1"), { latter: "value" }),
      false,
    ],
    [
      "not with another container, whatever the hash",
      made("foo-1", { ...hash("1"), ...other }),
      made("foo-2", { ...hash("2"), ...other }),
      false,
    ],
    [
      "not with other containers and no hash",
      made("foo-1", other, {}, "n1"),
      made("foo-2", { ...hash("2"), ...other }, {}, "n2"),
      false,
    ],
    [
      "also where a newer API server has a field that this version does not know",
      made("foo", other, {}, "n1"),
      { ...made("foo", other, {}, "n1"), ofLater: true } as PodTemplateSpec,
      true,
    ],
    [
      "not with other labels and another node",
      made("foo", other, {}, "n1"),
      made("foo", { nothing: "else" }, {}, "n2"),
      false,
    ],
  ])("%s", (_, one, another, expected) => {
    expect(sameTemplate(one, another)).toBe(expected);
    expect(sameTemplate(another, one)).toBe(expected);
  });
});

describe("which ReplicaSet is the current one", () => {
  const owner = deployment();
  const labelled = (hash: string): PodTemplateSpec =>
    template("image", { foo: "bar", "pod-template-hash": hash });
  const later = replicaSet("later", 1, { created: 120, template: labelled("hash") });
  const now = replicaSet("now", 1, { created: 60, template: labelled("different-hash") });
  const old = replicaSet("old", 0, { created: 0, template: template("old") });
  // upstream: pkg/controller/deployment/util/deployment_util_test.go#TestFindNewReplicaSet and #TestFindOldReplicaSets
  test.each<[string, readonly Stored<ReplicaSet>[], string | undefined, string]>([
    ["the one of the template, whatever its hash", [later, old], "later", "old"],
    ["the oldest of several", [later, old, now], "now", "old later"],
    ["none", [old], undefined, "old"],
    ["the only one", [later], "later", ""],
  ])("%s", (_, owned, current, others) => {
    const revisions = splitRevisions(owner, owned);
    expect(revisions.current?.metadata.name).toBe(current);
    expect(revisions.old.map(({ metadata }) => metadata.name).join(" ")).toBe(others);
  });
});

import { describe, expect, test } from "vitest";
import { dnsSubdomainProblems } from "../../pkg/api/names.ts";
import { newReplicaSet, replicaSetName } from "./new-replica-set.ts";
import { deployment, replicaSet, template } from "./samples.test-data.ts";

describe("the name of a new ReplicaSet", () => {
  // upstream: pkg/controller/deployment/sync_test.go#TestGenerateReplicaSetName
  test.each<[string, string, string, string]>([
    ["is the Deployment's and the hash", "my-deployment", "abcde12345", "my-deployment-abcde12345"],
    ["may be as long as names may be", "a".repeat(242), "abcde12345", `${"a".repeat(242)}-abcde12345`],
    ["is cut before the hash", "b".repeat(250), "abcde12345", `${"b".repeat(242)}-abcde12345`],
    [
      "is not cut when nothing would be left",
      "d".repeat(252),
      "h".repeat(252),
      `${"d".repeat(252)}-${"h".repeat(252)}`,
    ],
  ])("%s", (_, name, hash, expected) => {
    expect(replicaSetName(name, hash)).toBe(expected);
  });

  // upstream: pkg/controller/deployment/sync_test.go#TestDeploymentController_generateReplicaSetName
  test.each<[number, number]>([
    [13, 13],
    [250, 242],
    [242, 242],
  ])("is valid for a Deployment's name of %i characters", (length, kept) => {
    const name = newReplicaSet(deployment({ name: "a".repeat(length) }), []).metadata.name ?? "";
    expect(dnsSubdomainProblems(name)).toEqual([]);
    const [prefix = "", hash = ""] = name.split("-");
    // The hash of this template has ten characters.
    expect([prefix.length, hash.length]).toEqual([kept, 10]);
  });

  // upstream: pkg/controller/deployment/util/hash_test.go#TestPodTemplateSpecHash
  test("differs for 1000 templates that differ in one place", () => {
    const names = Array.from({ length: 1_000 }, (_, version) =>
      newReplicaSet(deployment({ template: template(`image:${version}`) }), []),
    );
    expect(new Set(names.map(({ metadata }) => metadata.name)).size).toBe(1_000);
  });

  test("is another one after a collision", () => {
    const name = (collisionCount?: number): string | undefined =>
      newReplicaSet(deployment({ ...(collisionCount && { status: { collisionCount } }) }), []).metadata.name;
    expect(new Set([name(), name(1), name(2)]).size).toBe(3);
  });
});

describe("a new ReplicaSet", () => {
  const owner = deployment({
    replicas: 10,
    surge: 3,
    annotations: { "deployment.kubernetes.io/revision": "4", note: "kept" },
  });
  const old = [replicaSet("old", 8, { annotations: { "deployment.kubernetes.io/revision": "7" } })];
  const made = newReplicaSet({ ...owner, spec: { ...specOf(owner), minReadySeconds: 5 } }, old);
  const hash = made.metadata.labels?.["pod-template-hash"];

  test("begins with what surge allows", () => expect(made.spec?.replicas).toBe(5));

  test("selects its own pods only", () => {
    expect(hash).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]+$/);
    expect(made.spec?.selector).toEqual({ matchLabels: { foo: "bar", "pod-template-hash": hash } });
    expect(made.spec?.template?.metadata?.labels).toEqual({ foo: "bar", "pod-template-hash": hash });
  });

  test("is the Deployment's, with the next revision and the Deployment's annotations", () => {
    expect(made.metadata.ownerReferences).toMatchObject([{ uid: "foo-uid", controller: true }]);
    expect(made.metadata.annotations).toEqual({
      note: "kept",
      "deployment.kubernetes.io/revision": "8",
      "deployment.kubernetes.io/desired-replicas": "10",
      "deployment.kubernetes.io/max-replicas": "13",
    });
    expect(made.spec?.minReadySeconds).toBe(5);
  });
});

function specOf(owner: ReturnType<typeof deployment>): NonNullable<typeof owner.spec> {
  if (owner.spec === undefined) throw new Error("the Deployment has no spec");
  return owner.spec;
}

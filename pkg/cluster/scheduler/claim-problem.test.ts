import { expect, test } from "vitest";
import type { PersistentVolumeClaim, Pod } from "../../api/types/core-v1.gen.ts";
import { claimProblem } from "./claim-problem.ts";

const leaving: PersistentVolumeClaim = {
  metadata: { namespace: "default", name: "leaving", deletionTimestamp: "2026-01-01T00:00:00Z" },
};
const claims: readonly PersistentVolumeClaim[] = [
  { metadata: { namespace: "default", name: "there" } },
  { metadata: { namespace: "other", name: "elsewhere" } },
  { metadata: { namespace: "default", name: "db-0-scratch" } },
  leaving,
];
const lister = {
  get: (namespace: string | undefined, name: string) =>
    claims.find(({ metadata }) => metadata.namespace === namespace && metadata.name === name),
};

const named = (claimName: string) => ({ name: "data", persistentVolumeClaim: { claimName } });

test.each<[string, NonNullable<NonNullable<Pod["spec"]>["volumes"]>, string | undefined]>([
  ["no volumes", [], undefined],
  ["a volume that is no claim", [{ name: "data", emptyDir: {} }], undefined],
  ["a claim that is there", [named("there")], undefined],
  ["one of another namespace", [named("elsewhere")], 'persistentvolumeclaim "elsewhere" not found'],
  ["one that is being deleted", [named("leaving")], 'persistentvolumeclaim "leaving" is being deleted'],
  ["a second one that is missing", [named("there"), named("gone")], 'persistentvolumeclaim "gone" not found'],
  ["an ephemeral one that is there", [{ name: "scratch", ephemeral: {} }], undefined],
  [
    "an ephemeral one that is still to be made",
    [{ name: "cache", ephemeral: {} }],
    'waiting for ephemeral volume controller to create the persistentvolumeclaim "db-0-cache"',
  ],
])("a pod with %s", (_name, volumes, problem) => {
  const pod: Pod = { metadata: { namespace: "default", name: "db-0" }, spec: { containers: [], volumes } };
  expect(claimProblem(pod, lister)).toBe(problem);
});

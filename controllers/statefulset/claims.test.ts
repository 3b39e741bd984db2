import type { Stored, ApiObject } from "../../pkg/api/object.ts";
import { asStored } from "../../test/harness/stored.ts";
import { describe, expect, test } from "vitest";
import { newControllerRef } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { PersistentVolumeClaim, Pod } from "../../pkg/api/types/core-v1.gen.ts";
import {
  claimFor,
  decideClaims,
  decideOwners,
  hasStaleClaim,
  storageMatches,
  withStorage,
} from "./claims.ts";
import { changed, claimOf, claimTemplate, type LABELS, podOf, statefulSet } from "./samples.test-data.ts";

const set = statefulSet("foo");
const pod = podOf(set, 1);
const none = (): undefined => undefined;
const lookup =
  (...claims: readonly Stored<PersistentVolumeClaim>[]) =>
  (name: string): Stored<PersistentVolumeClaim> | undefined =>
    claims.find(({ metadata }) => metadata.name === name);
const namesOf = (claims: readonly ApiObject[]): readonly (string | undefined)[] =>
  claims.map(({ metadata }) => metadata.name);

// upstream: pkg/controller/statefulset/stateful_set_utils_test.go#TestGetPersistentVolumeClaims
describe("the labels of a claim", () => {
  test.each<[string, StatefulSet["spec"] & object, Readonly<Record<string, string>>]>([
    ["are none where there are none", specWith(undefined, undefined), {}],
    ["are those of the selector", specWith({ test: "test" }, undefined), { test: "test" }],
    ["are both together", specWith({ name: "foo" }, { test: "test" }), { test: "test", name: "foo" }],
    ["are the selector's where both have one", specWith({ test: "foo" }, { test: "test" }), { test: "foo" }],
  ])("%s", (_name, spec, labels) => {
    const { metadata } = claimFor({ ...set, spec }, pod, spec.volumeClaimTemplates?.[0] ?? { metadata: {} });
    expect(metadata).toMatchObject({ name: "datadir-foo-1", namespace: "default" });
    expect(metadata.labels).toEqual(labels);
  });
});

// upstream: pkg/controller/statefulset/stateful_set_utils_test.go#TestStorageMatches, #TestUpdateStorage
describe("storage", () => {
  test("is what a new pod has", () => expect(storageMatches(set, pod)).toBe(true));

  test.each<[string, NonNullable<Pod["spec"]>["volumes"]]>([
    ["without volumes", []],
    ["with a volume of that name that is no claim", [{ name: "datadir", emptyDir: {} }]],
    [
      "with another pod's claim",
      [{ name: "datadir", persistentVolumeClaim: { claimName: "datadir-foo-2" } }],
    ],
  ])("is not right %s, and is put right", (_name, volumes = []) => {
    const wrong = { ...pod, spec: { containers: [], volumes: [...volumes, { name: "own", emptyDir: {} }] } };
    expect(storageMatches(set, wrong)).toBe(false);
    const right = withStorage(set, wrong);
    expect(storageMatches(set, right)).toBe(true);
    expect(right.spec?.volumes?.map(({ name }) => name)).toEqual(["datadir", "own"]);
  });

  test("is right wherever the claim is among the volumes", () => {
    const mounted = pod.spec?.volumes ?? [];
    const volumes = [{ name: "token", emptyDir: {} }, ...mounted];
    expect(storageMatches(set, { ...pod, spec: { containers: [], volumes } })).toBe(true);
  });

  test("of a set without claims is nothing", () => {
    const bare = statefulSet("foo", 1, { volumeClaimTemplates: [] });
    expect(podOf(bare, 0).spec).not.toHaveProperty("volumes");
  });
});

describe("claims of a pod", () => {
  const two = changed(set, { volumeClaimTemplates: [claimTemplate("datadir"), claimTemplate("logs")] });

  test("are made where they are missing", () => {
    const plan = decideClaims(two, pod, lookup(claimOf(set, 1)));
    expect(namesOf(plan.create)).toEqual(["logs"]);
    expect(plan).toMatchObject({ reown: [], leaving: [], conflicting: [] });
    expect(namesOf(decideClaims(two, pod, none).create)).toEqual(["datadir", "logs"]);
  });

  test("are made with the owner that the policy gives them", () => {
    const going = changed(set, {
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Delete" },
    });
    const claim = claimFor(going, pod, claimTemplate("datadir"));
    expect(claim.metadata.ownerReferences).toEqual([newControllerRef(asStored(set), resources.statefulSets)]);
    expect(claimFor(set, pod, claimTemplate("datadir")).metadata).not.toHaveProperty("ownerReferences");
  });

  test("that are being deleted are named", () => {
    const claim = claimOf(set, 1);
    const leaving = { metadata: { ...claim.metadata, deletionTimestamp: "2026-01-01T00:00:00Z" } };
    expect(decideClaims(set, pod, lookup(leaving)).leaving).toEqual(["datadir-foo-1"]);
  });

  test("that a stranger controls are named, and left to it", () => {
    const going = changed(set, {
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled: "Retain" },
    });
    const stranger = { apiVersion: "v1", kind: "Custom", name: "x", uid: "x", controller: true };
    const claim = { metadata: { ...claimOf(set, 1).metadata, ownerReferences: [stranger] } };
    const plan = decideOwners(going, pod, lookup(claim));
    expect(plan).toMatchObject({ create: [], reown: [], conflicting: ["datadir-foo-1"] });
  });
});

// upstream: pkg/controller/statefulset/stateful_pod_control_test.go#TestPodClaimIsStale
describe("a claim of an earlier pod of the name", () => {
  type State = "missing" | "there" | "stale" | "its own";
  test.each<[string, readonly State[], string | undefined, boolean]>([
    ["is none of those that are missing", ["missing", "missing"], "123", false],
    ["is none where there are none", [], "123", false],
    ["is none without owner", ["missing", "there"], "123", false],
    ["is none of this pod", ["its own", "its own"], "123", false],
    ["is one beside others", ["stale", "there"], "123", true],
    ["is one beside missing ones", ["stale", "missing"], "123", true],
    ["is one beside this pod's", ["its own", "stale"], "123", true],
    ["is any with a pod while this pod is not there", ["its own"], undefined, true],
  ])("%s", (_name, states, uid, stale) => {
    const owner = statefulSet("set", 1, {
      volumeClaimTemplates: states.map((_state, index) => claimTemplate(`claim-${index}`)),
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Delete" },
    });
    const of: Pod = { metadata: { name: "set-3", ...(uid && { uid }) } };
    const claims = states.flatMap((state, index) => claimIn(state, `claim-${index}-set-3`) ?? []);
    expect(hasStaleClaim(owner, of, lookup(...claims))).toBe(stale);
  });

  function claimIn(state: State, name: string): Stored<PersistentVolumeClaim> | undefined {
    if (state === "missing") return undefined;
    const owner = { apiVersion: "v1", kind: "Pod", name: "set-3", uid: state === "stale" ? "stale" : "123" };
    return asStored<PersistentVolumeClaim>({
      metadata: { name, ...(state !== "there" && { ownerReferences: [owner] }) },
    });
  }
});

function specWith(
  matchLabels: typeof LABELS | undefined,
  labels: typeof LABELS | undefined,
): Stored<StatefulSet>["spec"] & object {
  const template = claimTemplate("datadir", labels);
  return {
    template: {},
    ...set.spec,
    selector: matchLabels === undefined ? {} : { matchLabels },
    volumeClaimTemplates: [template],
  };
}

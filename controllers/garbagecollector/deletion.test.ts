import { expect, test } from "vitest";
import type { ApiObject, ObjectMeta } from "../../pkg/api/object.ts";
import { patchSchemaOf } from "../../pkg/api/patch/patch-schema.ts";
import { applyStrategicMergePatch } from "../../pkg/api/patch/strategic-merge-patch.ts";
import { absentOwners } from "./context.ts";
import { type CheckedOwner, decideDeletion } from "./deletion.ts";
import {
  disownMergePatch,
  disownPatch,
  unblockMergePatch,
  unblockPatch,
  withoutFinalizerPatch,
} from "./patches.ts";

const DELETED = "2026-01-01T00:00:00Z";
const solid = owner("solid", {});
const gone: CheckedOwner = { ...owner("gone", {}), owner: undefined };
const waiting = owner("waiting", { deletionTimestamp: DELETED, finalizers: ["foregroundDeletion"] });
const leaving = owner("leaving", { deletionTimestamp: DELETED, finalizers: ["other"] });
const blockingWaiting = { ...waiting, reference: { ...waiting.reference, blockOwnerDeletion: true } };

test.for<[string, readonly CheckedOwner[], readonly boolean[], readonly string[], unknown]>([
  ["no owners", [], [], [], { action: "keep" }],
  ["an owner", [solid], [], [], { action: "keep" }],
  ["an owner that is being deleted in another way", [leaving], [], [], { action: "keep" }],
  ["an owner, and one that is gone", [solid, gone], [], [], { action: "disown", uids: ["gone"] }],
  [
    "an owner, and one that waits",
    [waiting, solid, gone],
    [],
    [],
    { action: "disown", uids: ["gone", "waiting"] },
  ],
  ["no owner left", [gone], [true], [], { action: "delete", policy: "Background" }],
  [
    "no owner left, to be deleted in the foreground",
    [gone],
    [],
    ["foregroundDeletion"],
    { action: "delete", policy: "Foreground" },
  ],
  [
    "no owner left, its dependents to be orphaned",
    [gone],
    [],
    ["orphan", "foregroundDeletion"],
    { action: "delete", policy: "Orphan" },
  ],
  ["an owner that waits", [waiting, gone], [], [], { action: "delete", policy: "Background" }],
  ["an owner that waits, and dependents", [waiting], [false], [], { action: "delete", policy: "Foreground" }],
  [
    "an owner that waits, and a dependent that does too",
    [blockingWaiting],
    [false, true],
    [],
    { action: "unblock" },
  ],
  [
    "the same when it does not block",
    [waiting],
    [false, true],
    [],
    { action: "delete", policy: "Foreground" },
  ],
])("an object with %s", ([, owners, dependents, finalizers, expected]) => {
  const nodes = new Set(dependents.map((deletingDependents) => ({ deletingDependents })));
  expect(decideDeletion({ metadata: { finalizers } }, owners, nodes)).toEqual(expected);
});

const pod = {
  metadata: {
    uid: "100",
    resourceVersion: "7",
    ownerReferences: [ref("1", true), ref("2", false), ref("3")],
  },
};

// upstream: pkg/controller/garbagecollector/garbagecollector_test.go#TestDeleteOwnerRefPatch
test("owners are struck off by a patch that names them, or by the list without them", () => {
  const patched = applied(disownPatch("100", ["2", "3"]));
  expect(patched).toEqual({ metadata: { ...pod.metadata, ownerReferences: [ref("1", true)] } });
  expect(disownMergePatch(pod.metadata, ["2", "3"])).toEqual({
    metadata: { resourceVersion: "7", ownerReferences: [ref("1", true)] },
  });
  expect(disownMergePatch(pod.metadata, ["1", "2", "3"]).metadata["ownerReferences"]).toBeNull();
});

// upstream: pkg/controller/garbagecollector/garbagecollector_test.go#TestUnblockOwnerReference
test("owners are unblocked, and stay", () => {
  const patch = unblockPatch("100", pod.metadata.ownerReferences);
  expect(applied(patch)).toEqual({
    metadata: { ...pod.metadata, ownerReferences: [ref("1", false), ref("2", false), ref("3")] },
  });
  expect(unblockMergePatch(pod.metadata)).toEqual({
    metadata: { resourceVersion: "7", ownerReferences: [ref("1", false), ref("2", false), ref("3", false)] },
  });
});

test("a finalizer goes, others stay, for the version that was read", () => {
  const metadata = { resourceVersion: "7", finalizers: ["a", "orphan"] };
  expect(withoutFinalizerPatch(metadata, "orphan")).toEqual({
    metadata: { resourceVersion: "7", finalizers: ["a"] },
  });
  expect(
    withoutFinalizerPatch({ ...metadata, finalizers: ["orphan"] }, "orphan").metadata["finalizers"],
  ).toBeNull();
});

// upstream: pkg/controller/garbagecollector/garbagecollector_test.go#TestAbsentOwnerCache
test("of the absent owners the one that was not asked for longest is forgotten", () => {
  const absent = absentOwners();
  for (let uid = 0; uid < absent.max; uid++) absent.set(String(uid), true);
  expect(absent.get("0")).toBe(true);
  absent.set("another", true);
  expect(["0", "1", "another"].map((each) => absent.has(each))).toEqual([true, false, true]);
  expect(absent.max).toBe(500);
});

function applied(patch: object): unknown {
  const schema = patchSchemaOf("v1", "Pod");
  if (schema === undefined) throw new Error("pods have a schema");
  return applyStrategicMergePatch(pod, patch as never, schema);
}

function ref(uid: string, blockOwnerDeletion?: boolean): CheckedOwner["reference"] {
  const reference = { apiVersion: "v1", kind: "ReplicationController", name: uid, uid };
  return blockOwnerDeletion === undefined ? reference : { ...reference, blockOwnerDeletion };
}

function owner(uid: string, metadata: ObjectMeta): CheckedOwner & { readonly owner: ApiObject } {
  return { reference: ref(uid), owner: { metadata: { uid, ...metadata } } };
}

import { describe, expect, test } from "vitest";
import { asStored } from "../../test/harness/stored.ts";
import type { ApiObject, Stored } from "../api/object.ts";
import { newControllerRef } from "../api/owner-references.ts";
import { resources } from "../api/resources.ts";
import { ApiError } from "../client/errors.ts";
import type { Patch } from "../client/resource-client.ts";
import { silentLogger } from "../log/logger.ts";
import { type Claimer, adoptPatch, claimObjects, decideClaim, releasePatch } from "./ownership.ts";

const ownerResource = resources.replicaSets;
const deletionTimestamp = "2026-01-01T00:00:00Z";

function ownerOf(metadata: Partial<ApiObject["metadata"]> = {}): Stored {
  return asStored({ metadata: { name: "owner", namespace: "default", uid: "owner-uid", ...metadata } });
}

function podOf(
  name: string,
  type: string,
  controller?: Stored,
  more: Partial<ApiObject["metadata"]> = {},
): Stored {
  return asStored({
    metadata: {
      name,
      namespace: "default",
      uid: `${name}-uid`,
      labels: { type },
      ...(controller && { ownerReferences: [newControllerRef(controller, ownerResource)] }),
      ...more,
    },
  });
}

const inProduction = (object: ApiObject): boolean => object.metadata.labels?.["type"] === "production";

describe("claims", () => {
  const owner = ownerOf();
  const leaving = ownerOf({ deletionTimestamp });
  const clusterScoped = asStored({ metadata: { name: "owner", uid: "owner-uid" } });
  const other = ownerOf({ uid: "other-uid" });
  const bystander = podOf("a", "production", undefined, {
    ownerReferences: [{ ...newControllerRef(other, ownerResource), controller: false }],
  });
  test.each([
    { name: "a matching orphan is adopted", by: owner, pod: podOf("a", "production"), claim: "adopt" },
    { name: "an orphan that does not match is left", by: owner, pod: podOf("a", "testing") },
    { name: "an owner being deleted adopts nothing", by: leaving, pod: podOf("a", "production") },
    {
      name: "an owner being deleted keeps its own",
      by: leaving,
      pod: podOf("a", "production", owner),
      claim: "keep",
    },
    { name: "an owner being deleted releases nothing", by: leaving, pod: podOf("a", "testing", owner) },
    { name: "what another controls is left", by: owner, pod: podOf("a", "production", other) },
    { name: "its own that matches is kept", by: owner, pod: podOf("a", "production", owner), claim: "keep" },
    {
      name: "its own that no longer matches is released",
      by: owner,
      pod: podOf("a", "testing", owner),
      claim: "release",
    },
    {
      name: "an orphan being deleted is left",
      by: owner,
      pod: podOf("a", "production", undefined, { deletionTimestamp }),
    },
    {
      name: "its own being deleted is kept",
      by: owner,
      pod: podOf("a", "production", owner, { deletionTimestamp }),
      claim: "keep",
    },
    {
      name: "another namespace's is left",
      by: owner,
      pod: podOf("a", "production", undefined, { namespace: "far" }),
    },
    {
      name: "a cluster-scoped owner adopts in every namespace",
      by: clusterScoped,
      pod: podOf("a", "production", undefined, { namespace: "far" }),
      claim: "adopt",
    },
    { name: "an owner that is no controller does not hinder", by: owner, pod: bystander, claim: "adopt" },
  ])("$name", ({ by, pod, claim }) => {
    expect(decideClaim(by, pod, inProduction)).toBe(claim);
  });
});

describe("patches, byte for byte", () => {
  test("adopting", () => {
    const reference = newControllerRef(ownerOf(), ownerResource);
    const referenceJson =
      '{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"owner","uid":"owner-uid","controller":true,"blockOwnerDeletion":true}';
    expect(JSON.stringify(adoptPatch(reference, "pod-uid").body)).toBe(
      `{"metadata":{"ownerReferences":[${referenceJson}],"uid":"pod-uid"}}`,
    );
    expect(JSON.stringify(adoptPatch(reference, "pod-uid", ["a", "b"]).body)).toBe(
      `{"metadata":{"ownerReferences":[${referenceJson}],"uid":"pod-uid","finalizers":["a","b"]}}`,
    );
    expect(adoptPatch(reference, "pod-uid").type).toBe("strategic");
  });

  test.each([
    {
      owners: ["ss1"],
      uid: "ss2",
      finalizers: [],
      want: '{"metadata":{"uid":"ss2","ownerReferences":[{"$patch":"delete","uid":"ss1"}]}}',
    },
    {
      owners: ['ss1"hello'],
      uid: 'ss2"hello',
      finalizers: [],
      want: '{"metadata":{"uid":"ss2\\"hello","ownerReferences":[{"$patch":"delete","uid":"ss1\\"hello"}]}}',
    },
    {
      owners: ["ss1", "ss2"],
      uid: "ss2",
      finalizers: ["f1"],
      want: '{"metadata":{"uid":"ss2","ownerReferences":[{"$patch":"delete","uid":"ss1"},{"$patch":"delete","uid":"ss2"}],"$deleteFromPrimitiveList/finalizers":["f1"]}}',
    },
  ])("releasing $owners", ({ owners, uid, finalizers, want }) => {
    expect(JSON.stringify(releasePatch(owners, uid, finalizers).body)).toBe(want);
  });
});

describe("claiming", () => {
  const signal = new AbortController().signal;
  const owner = ownerOf();
  const failure = (code: number, reason: string): ApiError =>
    new ApiError(reason, { code, reason, method: "PATCH", path: "/pods" });

  function setUp(answers: Record<string, unknown> = {}, fresh: Stored | Error = owner) {
    const patched: [string | undefined, Patch][] = [];
    let ownerReads = 0;
    const claimer: Claimer<Stored> = {
      owner,
      ownerResource,
      resource: resources.pods,
      log: silentLogger,
      ownerClient: {
        get: async () => {
          ownerReads++;
          if (fresh instanceof Error) throw fresh;
          return fresh;
        },
      },
      patch: async (object, patch) => {
        patched.push([object.metadata.name, patch]);
        const answer = answers[object.metadata.name];
        if (answer !== undefined) throw answer;
        return answered(object);
      },
    };
    const claim = async (objects: readonly Stored[], by = claimer) =>
      claimObjects(by, objects, inProduction, signal);
    return { claimer, claim, patched, ownerReads: () => ownerReads };
  }

  test("adopts, keeps and releases, with the finalizers, and gives what is owned then, in order", async () => {
    const { claim, claimer, patched, ownerReads } = setUp();
    const [kept, released] = [podOf("kept", "production", owner), podOf("released", "testing", owner)];
    const [adopted, late] = [podOf("adopted", "production"), podOf("late", "production")];
    expect(await claim([adopted, kept, released, late], { ...claimer, finalizers: ["f"] })).toEqual([
      answered(adopted),
      kept,
      answered(late),
    ]);
    const reference = newControllerRef(owner, ownerResource);
    expect(patched).toEqual([
      ["adopted", adoptPatch(reference, "adopted-uid", ["f"])],
      ["released", releasePatch(["owner-uid"], "released-uid", ["f"])],
      ["late", adoptPatch(reference, "late-uid", ["f"])],
    ]);
    expect(ownerReads()).toBe(1);
  });

  test("does not read the owner when there is nothing to adopt", async () => {
    const { claim, ownerReads } = setUp();
    await claim([podOf("a", "production", owner), podOf("b", "testing", owner)]);
    expect(ownerReads()).toBe(0);
  });

  test.each([
    {
      name: "is being deleted",
      fresh: ownerOf({ deletionTimestamp }),
      message: "default/owner has just been deleted at " + deletionTimestamp,
    },
    {
      name: "was replaced by another of its name",
      fresh: ownerOf({ uid: "new" }),
      message: "can't recheck DeletionTimestamp: original ReplicaSet default/owner is gone",
    },
    {
      name: "is gone",
      fresh: failure(404, "NotFound"),
      message: "can't recheck DeletionTimestamp: original ReplicaSet default/owner is gone",
    },
    {
      name: "cannot be read",
      fresh: failure(500, "InternalError"),
      message: "can't recheck DeletionTimestamp: InternalError",
    },
  ])("adopts nothing when the owner $name, but keeps and releases", async ({ fresh, message }) => {
    const { claim, patched, ownerReads } = setUp({}, fresh);
    const objects = [podOf("a", "production"), podOf("b", "testing", owner), podOf("c", "production")];
    await expect(claim(objects)).rejects.toThrow(
      `[can't adopt Pod default/a (a-uid): ${message}, can't adopt Pod default/c (c-uid): ${message}]`,
    );
    expect(patched.map(([name]) => name)).toEqual(["b"]);
    expect(ownerReads()).toBe(1);
  });

  test.each([
    {
      name: "vanished while it was adopted",
      pod: podOf("a", "production"),
      answer: failure(404, "NotFound"),
    },
    {
      name: "vanished while it was released",
      pod: podOf("a", "testing", owner),
      answer: failure(404, "NotFound"),
    },
    { name: "was released by another", pod: podOf("a", "testing", owner), answer: failure(422, "Invalid") },
  ])("a pod that $name is no failure and not claimed", async ({ pod, answer }) => {
    expect(await setUp({ a: answer }).claim([pod])).toEqual([]);
  });

  test.each([
    { name: "was replaced meanwhile", causes: [{ field: "metadata.uid" }], warnings: 0 },
    { name: "is refused for what nobody knows", causes: [], warnings: 1 },
  ])(
    "the release of a pod that $name is no failure, and told where it should be",
    async ({ causes, warnings }) => {
      const details = {
        code: 422,
        reason: "Invalid",
        method: "PATCH",
        path: "/pods",
        details: { causes },
      } as const;
      const { claim, claimer } = setUp({ a: new ApiError("Invalid", details) });
      const told: string[] = [];
      const log = { ...silentLogger, warn: (message: string) => void told.push(message) };
      expect(await claim([podOf("a", "testing", owner)], { ...claimer, log })).toEqual([]);
      expect(told).toHaveLength(warnings);
    },
  );

  test.each([
    { name: "adopted by another first", pod: podOf("a", "production"), answer: failure(422, "Invalid") },
    {
      name: "not released for now",
      pod: podOf("a", "testing", owner),
      answer: failure(500, "InternalError"),
    },
  ])("a pod $name is a failure, thrown after the others were tried", async ({ pod, answer }) => {
    const { claim, patched } = setUp({ a: answer });
    await expect(claim([pod, podOf("b", "production")])).rejects.toBe(answer);
    expect(patched.map(([name]) => name)).toEqual(["a", "b"]);
  });
});

/** As the server has it after a patch. */
function answered(object: Stored): Stored {
  return { ...object, metadata: { ...object.metadata, resourceVersion: `after ${object.metadata.name}` } };
}

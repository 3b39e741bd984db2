import { beforeEach, describe, expect, test } from "vitest";
import { resources } from "../api/resources.ts";
import type { ReplicaSet } from "../api/types/apps-v1.gen.ts";
import { isConflict, isForbidden, isInvalid } from "../client/errors.ts";
import type { ResourceClient } from "../client/resource-client.ts";
import { conflict, forbidden } from "../apiserver/server/status-error.ts";
import { type ControllerWorld, newWorld } from "../../test/harness/controller-world.ts";
import { identityOf, isGone, isGoneOrReplaced, readLive, readThenWrite } from "./read-live.ts";

const { signal } = new AbortController();
let world: ControllerWorld;
let client: ResourceClient<ReplicaSet>;
let known: ReplicaSet;
beforeEach(async () => {
  world = await newWorld();
  client = world.client.clientFor(resources.replicaSets);
  known = await make();
});

describe("reading an object past the cache", () => {
  test("gives it as it is now", async () => {
    const scaled = await scale(5);
    expect(await readLive(client, identityOf(known), signal)).toEqual(scaled);
  });

  test("gives nothing when it is gone, nor when another one has its name", async () => {
    await world.delete(resources.replicaSets, "web");
    expect(await readLive(client, identityOf(known), signal)).toBeUndefined();
    await make();
    expect(await readLive(client, identityOf(known), signal)).toBeUndefined();
  });

  test("gives nothing to who does not know which one is meant", async () => {
    const { uid: _, ...unknown } = identityOf(known);
    expect(await readLive(client, { ...unknown, uid: undefined }, signal)).toBeUndefined();
  });

  test("fails when the server does not tell", async () => {
    refuse("get");
    await expect(readLive(client, identityOf(known), signal)).rejects.toSatisfy(isForbidden);
  });
});

describe("a patch that names the uid", () => {
  const patch = async (spec: object = {}): Promise<unknown> => {
    const body = { metadata: { uid: known.metadata.uid, labels: { seen: "true" } }, spec };
    const ref = { namespace: "default", name: "web" };
    const [result] = await Promise.allSettled([client.patch(ref, { type: "merge", body }, {}, signal)]);
    return result?.status === "rejected" ? result.reason : undefined;
  };

  test("is refused as of an object that is gone when another one has its name, and when none has", async () => {
    await world.delete(resources.replicaSets, "web");
    expect(await patch()).toSatisfy(isGoneOrReplaced);
    await make();
    expect(await patch()).toSatisfy(isGoneOrReplaced);
    expect((await world.get(resources.replicaSets, "web")).metadata.labels?.["seen"]).toBeUndefined();
  });

  test("may be refused for other reasons, which say nothing of its end", async () => {
    expect(await patch()).toBeUndefined();
    const invalid = await patch({ replicas: -1 });
    expect(invalid).toSatisfy(isInvalid);
    expect(invalid).not.toSatisfy(isGoneOrReplaced);
    refuse("patch");
    expect(await patch()).not.toSatisfy(isGoneOrReplaced);
  });
});

describe("a deletion with a precondition", () => {
  const remove = async (preconditions: { uid?: string; resourceVersion?: string }): Promise<unknown> => {
    const [result] = await Promise.allSettled([client.delete(REF, { preconditions }, signal)]);
    return result?.status === "rejected" ? result.reason : undefined;
  };

  test("finds what it is for gone when another one has its name, and when none has", async () => {
    const { uid = "", resourceVersion = "" } = known.metadata;
    await world.delete(resources.replicaSets, "web");
    expect(await remove({ uid })).toSatisfy(isGone);
    await make();
    expect(await remove({ uid })).toSatisfy(isGone);
    expect(await remove({ resourceVersion })).toSatisfy(isGone);
  });

  // A webhook may refuse a deletion with any code.
  test("may meet a conflict of another sort, which says nothing of its end", async () => {
    world.server.parts.faults.add({
      target: { verb: "delete" },
      action: { kind: "status", when: "before", error: conflict(resources.replicaSets, "web") },
      times: 1,
    });
    const refusal = await remove({ uid: known.metadata.uid ?? "" });
    expect(refusal).toSatisfy(isConflict);
    expect(refusal).not.toSatisfy(isGone);
  });
});

describe("reading and writing an object", () => {
  const rescale = async (change: (live: ReplicaSet) => ReplicaSet | undefined) =>
    readThenWrite(
      {
        client,
        identity: identityOf(known),
        change,
        write: async (changed, until) => client.update(changed, {}, until),
      },
      signal,
    );

  test("writes what becomes of it as it is now", async () => {
    await scale(5);
    const written = await rescale((live) => sized(live, (live.spec?.replicas ?? 0) + 1));
    expect(written?.spec?.replicas).toBe(6);
    expect((await world.get(resources.replicaSets, "web")).spec?.replicas).toBe(6);
  });

  test("writes nothing when nothing changes", async () => {
    const scaled = await scale(5);
    expect(await rescale(() => undefined)).toEqual(scaled);
  });

  test("does not touch another one of its name", async () => {
    await world.delete(resources.replicaSets, "web");
    const second = await make();
    expect(await rescale((live) => sized(live, 0))).toBeUndefined();
    expect(await world.get(resources.replicaSets, "web")).toEqual(second);
  });

  test("is refused when somebody was quicker, whatever version was given to the write", async () => {
    const stale = rescale((live) => {
      const { resourceVersion: _, ...metadata } = live.metadata;
      return { ...sized(live, 0), metadata };
    });
    world.server.parts.faults.add({
      target: { verb: "update" },
      action: { kind: "interfere", run: async () => void (await client.patch(REF, labels("theirs"), {})) },
      times: 1,
    });
    await expect(stale).rejects.toSatisfy(isConflict);
    expect((await world.get(resources.replicaSets, "web")).spec?.replicas).toBe(1);
  });

  test("is refused when another one has taken its name after the read", async () => {
    world.server.parts.faults.add({
      target: { verb: "update" },
      action: {
        kind: "interfere",
        run: async () => {
          await world.delete(resources.replicaSets, "web");
          await make();
        },
      },
      times: 1,
    });
    await expect(rescale((live) => sized(live, 0))).rejects.toSatisfy(isConflict);
    expect((await world.get(resources.replicaSets, "web")).spec?.replicas).toBe(1);
  });
});

const REF = { namespace: "default", name: "web" };

async function make(): Promise<ReplicaSet> {
  const spec = { replicas: 1, selector: { matchLabels: { app: "web" } }, template: template() };
  return world.create<ReplicaSet>(resources.replicaSets, { metadata: { name: "web" }, spec });
}

function template() {
  return { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "c", image: "image" }] } };
}

function sized(object: ReplicaSet, replicas: number): ReplicaSet {
  return { ...object, ...(object.spec && { spec: { ...object.spec, replicas } }) };
}

async function scale(replicas: number): Promise<ReplicaSet> {
  return world.update(resources.replicaSets, "web", (object) => sized(object, replicas));
}

function labels(value: string) {
  return { type: "merge", body: { metadata: { labels: { value } } } } as const;
}

function refuse(verb: string): void {
  const error = forbidden(resources.replicaSets, "web", "no");
  world.server.parts.faults.add({ target: { verb }, action: { kind: "status", when: "before", error } });
}

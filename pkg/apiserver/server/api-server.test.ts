import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { settle, VirtualClock } from "../../testing/virtual-clock.ts";
import type { TransportResponse } from "../../client/transport.ts";
import { seededRandom } from "../../clock/random.ts";
import { DirectTransport } from "../direct-transport.ts";
import { embeddedServer } from "../embedded-server.ts";
import type { ApiServer } from "./api-server.ts";
import { serviceUnavailable, StatusError } from "./status-error.ts";

interface Event {
  readonly type: string;
  readonly object: {
    readonly code?: number;
    readonly reason?: string;
    readonly metadata: { readonly name?: string; readonly resourceVersion?: string };
  };
}

interface Answer {
  readonly status: number;
  readonly body: {
    readonly reason?: string;
    readonly message?: string;
    readonly metadata: { readonly resourceVersion?: string; readonly continue?: string };
    readonly data?: Readonly<Record<string, string>>;
    readonly items?: readonly object[];
  };
}

const path = "/api/v1/namespaces/default/configmaps";
let clock: VirtualClock;
let server: ApiServer;
let transport: DirectTransport;
let stopWatches: AbortController;

beforeEach(() => {
  clock = new VirtualClock();
  server = embeddedServer({ clock, random: seededRandom(1) });
  transport = new DirectTransport(server);
  stopWatches = new AbortController();
});

afterEach(async () => {
  stopWatches.abort(new Error("the test is over"));
  await server.close();
});

async function raw(
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
  target: string,
  body?: unknown,
): Promise<TransportResponse> {
  const [path = "", query = ""] = target.split("?");
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  return transport.send(
    { method, path, query: new URLSearchParams(query), headers: { "content-type": type }, body },
    stopWatches.signal,
  );
}

async function send(method: Parameters<typeof raw>[0], target: string, body?: unknown): Promise<Answer> {
  const response = await raw(method, target, body);
  return { status: response.status, body: (await response.json()) as Answer["body"] };
}

async function create(name: string, labels: Record<string, string> = {}): Promise<Answer> {
  return send("POST", path, { metadata: { name, labels } });
}

/** Collects the events of a watch as they come; `ended` once the server has ended it. */
async function watch(query: string): Promise<{ readonly events: Event[]; readonly isEnded: () => boolean }> {
  const response = await raw("GET", `${path}?watch=1&${query}`);
  const events: Event[] = [];
  let ended = false;
  void (async () => {
    try {
      for await (const event of response.documents()) events.push(event as Event);
    } catch (error) {
      if (!stopWatches.signal.aborted) throw error;
    }
    ended = true;
  })();
  await settle();
  return { events, isEnded: () => ended };
}

function shape(events: readonly Event[]): readonly string[] {
  return events.map(({ type, object }) => `${type} ${object.metadata.name ?? ""}`.trim());
}

describe("watches", () => {
  test("bookmarks come about every minute and once more before the time-out", async () => {
    const { events, isEnded } = await watch("resourceVersion=1&allowWatchBookmarks=true&timeoutSeconds=150");
    await clock.advanceBy(59_000);
    expect(events).toHaveLength(0);
    await clock.advanceBy(16_000);
    expect(shape(events)).toEqual(["BOOKMARK"]);
    await create("a");
    await clock.advanceBy(73_500);
    expect(shape(events).slice(1, 2)).toEqual(["ADDED a"]);
    expect(events.at(-1)?.type).toBe("BOOKMARK");
    expect(events.at(-1)?.object.metadata.resourceVersion).toBe(String(server.parts.store.revision));
    expect(isEnded()).toBe(false);
    await clock.advanceBy(2_000);
    expect(isEnded()).toBe(true);
  });

  test("nobody gets bookmarks who did not ask for them", async () => {
    const { events, isEnded } = await watch("resourceVersion=1&timeoutSeconds=600");
    await clock.advanceBy(600_000);
    expect([events, isEnded()]).toEqual([[], true]);
  });

  test("a reader that stops reading is cut off after a bounded number of events, and no other one", async () => {
    const slow = await raw("GET", `${path}?watch=1&resourceVersion=1`);
    const quick = await watch("resourceVersion=1");
    await create("a");
    for (let index = 0; index < 4200; index++) {
      await send("PATCH", `${path}/a`, { data: { x: String(index) } });
      if (index % 100 === 0) await settle();
    }
    const seen: unknown[] = [];
    for await (const event of slow.documents()) seen.push(event);
    expect(seen).toEqual([]);
    await settle();
    expect(quick.events).toHaveLength(4201);
    expect(quick.isEnded()).toBe(false);
  });

  test("a version that was compacted away ends the watch with a 410 event", async () => {
    await create("a");
    await create("b");
    server.parts.store.compact();
    const { events, isEnded } = await watch("resourceVersion=2");
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ type: "ERROR", object: { code: 410, reason: "Expired" } });
    expect(isEnded()).toBe(true);
  });

  test("a page whose version was compacted away offers to go on inconsistently", async () => {
    for (const name of ["a", "b", "c"]) await create(name);
    const first = await send("GET", `${path}?limit=1`);
    await send("DELETE", `${path}/b`);
    server.parts.store.compact();
    const expired = await send("GET", `${path}?limit=1&continue=${first.body.metadata.continue}`);
    expect([expired.status, expired.body.reason]).toEqual([410, "Expired"]);
    const rest = await send("GET", `${path}?continue=${expired.body.metadata.continue}`);
    expect(rest.body.items).toMatchObject([{ metadata: { name: "c" } }]);
    const exact = await send("GET", `${path}?resourceVersion=2&resourceVersionMatch=Exact`);
    expect([exact.status, exact.body.message]).toEqual([
      410,
      "The resourceVersion for the provided list is too old.",
    ]);
  });

  test("a list at a version from the future waits for it", async () => {
    const { revision } = server.parts.store;
    const pending = send("GET", `${path}?resourceVersion=${revision + 1}`);
    await create("a");
    await clock.advanceBy(3_000);
    expect((await pending).status).toBe(200);
  });
});

describe("the direct transport", () => {
  test("answers share frozen objects with the storage, and bodies are copied on their way in", async () => {
    const labels = { a: "1" };
    await send("POST", path, { metadata: { name: "a", labels } });
    labels.a = "2";
    const one = await raw("GET", `${path}/a`);
    const object = (await one.json()) as { readonly metadata: { readonly labels: Record<string, string> } };
    expect(object.metadata.labels).toEqual({ a: "1" });
    expect(() => {
      object.metadata.labels["a"] = "3";
    }).toThrow(TypeError);
    expect(await (await raw("GET", `${path}/a`)).json()).toBe(object);
  });

  test("the same seed and the same requests give the same uids, names and versions", async () => {
    const run = async (): Promise<unknown> => {
      const clock = new VirtualClock();
      const transport = new DirectTransport(embeddedServer({ clock, random: seededRandom(7) }));
      const made: unknown[] = [];
      for (let index = 0; index < 3; index++) {
        const body = { metadata: { generateName: "g-" } };
        made.push(await (await transport.send({ method: "POST", path, body })).json());
      }
      return made;
    };
    expect(await run()).toEqual(await run());
  });

  test("sends reject with the signal's reason, and after closing", async () => {
    const reason = new Error("enough");
    await expect(transport.send({ method: "GET", path }, AbortSignal.abort(reason))).rejects.toBe(reason);
    await transport.close();
    await expect(transport.send({ method: "GET", path })).rejects.toMatchObject({
      code: "closed",
      sent: false,
    });
  });
});

describe("faults", () => {
  test("an error before the write leaves nothing, one after it leaves the write", async () => {
    const error = serviceUnavailable("not now");
    const target = { verb: "create", resource: "configmaps" };
    server.parts.faults.add({ target, action: { kind: "status", when: "before", error }, times: 1 });
    expect((await create("a")).status).toBe(503);
    expect((await send("GET", `${path}/a`)).status).toBe(404);
    server.parts.faults.add({ target, action: { kind: "status", when: "after", error }, times: 1 });
    expect((await create("a")).status).toBe(503);
    expect((await send("GET", `${path}/a`)).status).toBe(200);
    expect((await create("b")).status).toBe(201);
  });

  test("a connection that breaks says whether the server may have acted", async () => {
    for (const [when, sent] of [
      ["before", false],
      ["after", true],
    ] as const) {
      server.parts.faults.add({ target: { verb: "create" }, action: { kind: "disconnect", when }, times: 1 });
      await expect(create("a")).rejects.toMatchObject({ code: "lost", sent });
      expect((await send("GET", `${path}/a`)).status).toBe(sent ? 200 : 404);
    }
  });

  test("latency passes on the clock, for the requests that it is meant for", async () => {
    server.parts.faults.add({ target: { name: "slow" }, action: { kind: "latency", ms: 5_000 } });
    let done = false;
    const pending = send("GET", `${path}/slow`).then(() => (done = true));
    await send("GET", `${path}/quick`);
    await clock.advanceBy(4_999);
    expect(done).toBe(false);
    await clock.advanceBy(1);
    await pending;
  });

  test("a write that comes in between makes a patch start over and a versioned update conflict", async () => {
    const { body } = await create("a");
    let counter = 0;
    const run = async (): Promise<void> => {
      remove();
      await send("PATCH", `${path}/a`, { data: { other: String(counter++) } });
    };
    const interfere = (): (() => void) =>
      server.parts.faults.add({ target: { verb: "patch" }, action: { kind: "interfere", run } });
    let remove = interfere();
    const patched = await send("PATCH", `${path}/a`, { data: { mine: "1" } });
    expect([patched.status, patched.body.data]).toEqual([200, { mine: "1", other: "0" }]);
    remove = server.parts.faults.add({ target: { verb: "update" }, action: { kind: "interfere", run } });
    const { resourceVersion } = patched.body.metadata;
    const updated = await send("PUT", `${path}/a`, { metadata: { name: "a", resourceVersion } });
    expect([updated.status, updated.body.reason]).toEqual([409, "Conflict"]);
    expect(body.metadata.resourceVersion).not.toBe(resourceVersion);
  });

  /** Runs this once, between the read and the write of the next request of this verb. */
  function interfere(verb: string, run: () => Promise<unknown>): void {
    const action = { kind: "interfere", run: async () => void (await run()) } as const;
    server.parts.faults.add({ target: { verb }, action, times: 1 });
  }

  test("an update that changes nothing gives what another write has made of the object meanwhile", async () => {
    await create("a");
    interfere("patch", async () => send("PUT", `${path}/a`, { metadata: { name: "a" }, data: { x: "1" } }));
    const patched = await send("PATCH", `${path}/a`, {});
    expect([patched.status, patched.body.data]).toEqual([200, { x: "1" }]);
  });

  test("a delete that starts over holds its preconditions against the object anew", async () => {
    const { body } = await create("a");
    const { resourceVersion } = body.metadata;
    interfere("delete", async () => send("PATCH", `${path}/a`, { data: { x: "1" } }));
    const refused = await send("DELETE", `${path}/a`, { preconditions: { resourceVersion } });
    expect([refused.status, refused.body.reason]).toEqual([409, "Conflict"]);
    expect((await send("GET", `${path}/a`)).body.data).toEqual({ x: "1" });
    interfere("delete", async () => send("PATCH", `${path}/a`, { data: { x: "2" } }));
    expect((await send("DELETE", `${path}/a`)).status).toBe(200);
    expect((await send("GET", `${path}/a`)).status).toBe(404);
  });

  test("held watches lag behind until they are released; dropped ones end", async () => {
    const held = await watch("resourceVersion=1");
    const release = server.parts.faults.holdWatches({ resource: "configmaps" });
    await create("a");
    await settle();
    expect(held.events).toEqual([]);
    // Nor does a bookmark overtake what is held up, or a watch that is taken up again meanwhile.
    const bookmarked = await watch("resourceVersion=1&allowWatchBookmarks=true");
    await clock.advanceBy(120_000);
    expect([held.events, bookmarked.events]).toEqual([[], []]);
    release();
    await settle();
    expect(shape(held.events)).toEqual(["ADDED a"]);
    expect(shape(bookmarked.events).slice(0, 2)).toEqual(["ADDED a", "BOOKMARK"]);
    expect(server.parts.faults.dropWatches({ namespace: "default" })).toBe(2);
    await settle();
    expect(held.isEnded()).toBe(true);
  });

  test("a crashed server answers nobody until it is started again, with what was stored and without its history", async () => {
    await create("a");
    const { events, isEnded } = await watch("resourceVersion=1");
    server.crash();
    await settle();
    expect([shape(events), isEnded()]).toEqual([["ADDED a"], true]);
    await expect(send("GET", `${path}/a`)).rejects.toMatchObject({ code: "refused", sent: false });
    server.restart();
    expect((await send("GET", `${path}/a`)).status).toBe(200);
    expect((await watch("resourceVersion=1")).events[0]?.object.code).toBe(410);
  });
});

test("an error of the server itself is a 500 that says so, and never a thrown one", async () => {
  server.parts.faults.add({
    target: { verb: "create" },
    action: { kind: "interfere", run: () => Promise.reject(new TypeError("a bug")) },
  });
  const { status, body } = await create("a");
  expect([status, body.reason, body.message]).toEqual([
    500,
    "InternalError",
    "Internal error occurred: a bug",
  ]);
  expect(new StatusError(500, undefined, "x").status.reason).toBeUndefined();
});

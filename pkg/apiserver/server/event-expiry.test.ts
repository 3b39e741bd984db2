import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { seededRandom } from "../../clock/random.ts";
import { embeddedServer } from "../embedded-server.ts";
import { persistentStore } from "../storage/persistent-store.ts";
import type { ApiServer } from "./api-server.ts";

const HOUR_MS = 3_600_000;
const path = "/api/v1/namespaces/a/events";

async function send(server: ApiServer, method: string, at: string, value?: object): Promise<number> {
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const { status } = await server.handle({
    method,
    path: at,
    query: new URLSearchParams(),
    headers: { "content-type": type },
    ...(value === undefined ? {} : { body: { value } }),
  });
  return status;
}

const eventOf = (name: string) => ({
  metadata: { name, namespace: "a" },
  involvedObject: { namespace: "a", kind: "Pod", name: "p" },
  message: "a text as long as such texts are: Successfully assigned a/p to node-1, which has room for it",
});

test("an hour after the last write, and over the end of the process", async () => {
  const directory = await mkdtemp(join(tmpdir(), "events-"));
  const clock = new VirtualClock();
  const serve = (): ApiServer =>
    embeddedServer({ clock, random: seededRandom(1), store: persistentStore(directory, clock) });
  try {
    let server = serve();
    for (const name of ["first", "second", "third"]) await send(server, "POST", path, eventOf(name));
    await clock.advanceBy(HOUR_MS / 2);
    await send(server, "PATCH", `${path}/second`, { count: 2 });
    await server.close();
    server = serve();
    await send(server, "PATCH", `${path}/third`, { count: 2 });
    await clock.advanceBy(HOUR_MS / 2 - 2_000);
    expect(await send(server, "GET", `${path}/first`)).toBe(200);
    await clock.advanceBy(4_000);
    expect(await send(server, "GET", `${path}/first`)).toBe(404);
    for (const name of ["second", "third"]) expect(await send(server, "GET", `${path}/${name}`)).toBe(200);
    await clock.advanceBy(HOUR_MS / 2);
    expect(server.parts.store.count("events")).toBe(0);
    await server.close();
    expect(clock.pendingTimers).toBe(0);
    server = serve();
    expect(server.parts.store.count("events")).toBe(0);
    await server.close();
  } finally {
    await rm(directory, { recursive: true });
  }
});

/** What is still used of the heap once all that can go has gone. */
function usedHeap(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  return getHeapStatistics().used_heap_size;
}

test("a day of pods that come and go, and tell of it, takes no more memory than an hour of it", async () => {
  const clock = new VirtualClock();
  const server = embeddedServer({ clock, random: seededRandom(1) });
  const spec = { containers: [{ name: "c", image: "i" }] };
  let events = 0;
  const churn = async (hours: number): Promise<void> => {
    for (let minute = 0; minute < hours * 60; minute++) {
      const pods = "/api/v1/namespaces/a/pods";
      expect(await send(server, "POST", pods, { metadata: { name: "p" }, spec })).toBe(201);
      for (let index = 0; index < 10; index++) {
        await send(server, "POST", path, eventOf(`p.${events++}`));
        await clock.advanceBy(6_000);
      }
      expect(await send(server, "DELETE", `${pods}/p`)).toBe(200);
    }
  };
  await churn(2);
  const [countBefore, usedBefore] = [server.parts.store.count("events"), usedHeap()];
  expect(countBefore).toBeLessThanOrEqual(601);
  await churn(22);
  expect(events).toBe(14_400);
  expect(server.parts.store.count("events")).toBe(countBefore);
  const grownMegabytes = (usedHeap() - usedBefore) / 2 ** 20;
  expect(grownMegabytes).toBeLessThan(2);
  await server.close();
});

import { expect, test } from "vitest";
import type { ApiObject, Stored } from "../../api/object.ts";
import { TaskTurns } from "../../clock/task-turns.ts";
import { silentLogger } from "../../log/logger.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { Store } from "../store/store.ts";
import { DeltaPump } from "./delta-pump.ts";
import { DeltaQueue } from "./delta-queue.ts";

type Thing = Stored<ApiObject>;

const thing = (index: number): Thing => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: {
    namespace: "n",
    name: String(index),
    uid: String(index),
    resourceVersion: String(index + 1),
    creationTimestamp: "2026-01-01T00:00:00Z",
  },
});

function full(distribute = (): void => undefined) {
  const clock = new VirtualClock();
  const failures: unknown[] = [];
  const pump = new DeltaPump<Thing>({
    queue: new DeltaQueue<Thing>(),
    store: new Store<Thing>(),
    tasks: new TaskTurns(clock, silentLogger),
    clock,
    distribute,
    onBatch: () => undefined,
    onFailure: (error) => failures.push(error),
  });
  for (let index = 0; index < 2_000; index++)
    pump.take({ type: "set", key: `n/${index}`, object: thing(index) });
  return { clock, pump, failures };
}

test("who brings changes faster than they go has to wait until there is room again, and no longer", async () => {
  const { clock, pump } = full();
  let isThereRoom = false;
  const waiting = pump.room()?.then(() => (isThereRoom = true));
  expect(waiting).toBeDefined();
  expect(isThereRoom).toBe(false);
  await clock.advanceBy(1);
  expect([isThereRoom, pump.room()]).toEqual([true, undefined]);
});

test("nobody waits for room that will never be: at the end it is given at once", async () => {
  const { pump } = full();
  const waiting = pump.room();
  pump.stop();
  await waiting;
  expect(pump.room()).toBeUndefined();
});

test("a batch that fails holds up nobody who waits for room", async () => {
  const { clock, pump, failures } = full(() => {
    throw new Error("torn");
  });
  let isThereRoom = false;
  void pump.room()?.then(() => (isThereRoom = true));
  await clock.advanceBy(1);
  expect(isThereRoom).toBe(true);
  expect(failures.map(String)).toEqual(["Error: torn", "Error: torn"]);
});

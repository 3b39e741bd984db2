import { expect, test } from "vitest";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { silentLogger } from "../../log/logger.ts";
import { HandlerSet } from "./handler-set.ts";
import { TaskTurns } from "../../clock/task-turns.ts";

const informer = { hasSynced: () => true, whenSynced: async () => true };

function setOf(defaultResyncMs: number): HandlerSet<object> {
  const clock = new VirtualClock();
  const tasks = new TaskTurns(clock, silentLogger);
  return new HandlerSet({ clock, tasks, log: silentLogger, informer, defaultResyncMs });
}

/** upstream: shared_informer_test.go#TestResyncCheckPeriod; periods in seconds. */
test.each([
  { informer: 43_200, asked: [0], check: 43_200 },
  { informer: 43_200, asked: [0, 60], check: 60 },
  { informer: 43_200, asked: [0, 60, 55], check: 55 },
  { informer: 43_200, asked: [0, 60, 55, 5], check: 5 },
  { informer: 60, asked: [undefined, 300], check: 60 },
  { informer: 0, asked: [undefined, 30], check: 30 },
  { informer: 60, asked: [0.5], check: 1 },
])(
  "an informer of $informer s whose handlers ask for $asked looks every $check s",
  ({ informer, asked, check }) => {
    const set = setOf(informer * 1_000);
    for (const seconds of asked)
      set.add({}, seconds === undefined ? {} : { resyncMs: seconds * 1_000 }, undefined);
    expect(set.checkMs).toBe(check * 1_000);
    set.start();
    set.add({}, { resyncMs: 1_000 }, undefined);
    expect(set.checkMs).toBe(check * 1_000);
  },
);

test("a set without handlers has nothing to resync", () => {
  expect(setOf(1_000).resyncDue()).toBe(false);
});

test("a handler is told what follows even if the failure of one event cannot be logged", async () => {
  const clock = new VirtualClock();
  let logged = 0;
  const error = (): void => {
    if (logged++ === 0) throw new Error("the disk is full");
  };
  const log = { ...silentLogger, error };
  const tasks = new TaskTurns(clock, log);
  const set = new HandlerSet<string>({ clock, tasks, log, informer, defaultResyncMs: 0 });
  const told: string[] = [];
  const onAdd = (object: string): void => {
    if (object === "b") throw new Error("broken");
    told.push(object);
  };
  const registration = set.add({ onAdd }, {}, undefined);
  const notifications = ["a", "b", "c"].map((object) => ({ type: "add", object }) as const);
  set.distribute({ notifications, initial: true });
  await clock.advanceBy(0);
  expect(told).toEqual(["a", "c"]);
  expect(registration.hasSynced()).toBe(true);
  expect(set.failures).toBeGreaterThan(0);
  set.distribute({ notifications, initial: false });
  await clock.advanceBy(0);
  expect(told).toEqual(["a", "c", "a", "c"]);
});

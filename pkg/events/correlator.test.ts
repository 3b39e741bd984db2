import { expect, test } from "vitest";
import { VirtualClock } from "../testing/virtual-clock.ts";
import type { Event } from "../api/types/core-v1.gen.ts";
import { seededRandom } from "../clock/random.ts";
import { defaultCorrelation, EventCorrelator, type Correlated } from "./correlator.ts";
import { EventMaker } from "./event-object.ts";

const pod = {
  kind: "Pod",
  name: "my-pod",
  namespace: "my-ns",
  uid: "C934D34AFB20242",
  apiVersion: "version",
};

function eventOf(reason: string, message: string, about: Event["involvedObject"] = pod): Event {
  return {
    metadata: { name: `${about.name}.1`, namespace: "my-ns" },
    involvedObject: about,
    reason,
    message,
    source: { component: "kubelet", host: "kubelet.node1" },
    count: 1,
    type: "Normal",
  };
}

const repeat = (count: number, event: Event): Event[] => Array.from({ length: count }, () => event);
const similar = (count: number, event: Event): Event[] =>
  Array.from({ length: count }, (_, index) => ({ ...event, message: `${event.message}-${index}` }));
const unique = (count: number): Event[] =>
  Array.from({ length: count }, (_, index) =>
    eventOf(`reason-${index}`, `message-${index}`, {
      ...pod,
      name: `pod-${index}`,
      namespace: `ns-${index}`,
    }),
  );

const duplicateEvent = eventOf("duplicate", "me again");
const similarEvent = eventOf("similar", "similar message", {
  ...pod,
  fieldPath: "spec.containers{container1}",
});
const otherContainer = {
  ...similarEvent,
  involvedObject: { ...pod, fieldPath: "spec.containers{container2}" },
};
const combined = "(combined from similar events): similar message";

interface Scenario {
  readonly name: string;
  readonly before: readonly Event[];
  readonly event: Event;
  readonly everySeconds: number;
  readonly expected: { readonly message: string; readonly count: number } | "spam";
}
const scenarios: readonly Scenario[] = [
  {
    name: "a single event",
    before: [],
    event: eventOf("first", "i am first"),
    everySeconds: 5,
    expected: { message: "i am first", count: 1 },
  },
  {
    name: "the same event again",
    before: [duplicateEvent],
    event: duplicateEvent,
    everySeconds: 5,
    expected: { message: "me again", count: 2 },
  },
  {
    name: "the same event more often than similar ones may come",
    before: repeat(10, duplicateEvent),
    event: duplicateEvent,
    everySeconds: 30,
    expected: { message: "me again", count: 11 },
  },
  {
    name: "the same event more often than the burst",
    before: repeat(26, duplicateEvent),
    event: duplicateEvent,
    everySeconds: 1,
    expected: "spam",
  },
  {
    name: "many different events",
    before: unique(30),
    event: eventOf("unique", "snowflake"),
    everySeconds: 5,
    expected: { message: "snowflake", count: 1 },
  },
  {
    name: "the tenth similar event",
    before: similar(9, similarEvent),
    event: similarEvent,
    everySeconds: 5,
    expected: { message: combined, count: 1 },
  },
  {
    name: "the eleventh similar event",
    before: similar(10, similarEvent),
    event: similarEvent,
    everySeconds: 5,
    expected: { message: combined, count: 2 },
  },
  {
    name: "events of different containers",
    before: [otherContainer],
    event: similarEvent,
    everySeconds: 5,
    expected: { message: "similar message", count: 1 },
  },
  {
    name: "similar events too far apart",
    before: similar(9, similarEvent),
    event: similarEvent,
    everySeconds: 601,
    expected: { message: "similar message", count: 1 },
  },
];

function harness(): {
  clock: VirtualClock;
  correlator: EventCorrelator;
  feed(event: Event): Correlated | undefined;
} {
  const clock = new VirtualClock();
  const correlator = new EventCorrelator(clock, new EventMaker(clock, seededRandom(1)), defaultCorrelation);
  const feed = (event: Event): Correlated | undefined => {
    const now = new Date(clock.nowMs()).toISOString();
    const result = correlator.correlate({ ...event, firstTimestamp: now, lastTimestamp: now });
    if (result !== undefined) correlator.sent(result.event);
    return result;
  };
  return { clock, correlator, feed };
}

test.each(scenarios)("$name", async ({ before, event, everySeconds, expected }) => {
  const { clock, feed } = harness();
  for (const earlier of before) {
    feed(earlier);
    await clock.advanceBy(everySeconds * 1_000);
  }
  const result = feed(event);
  if (expected === "spam") {
    expect(result).toBeUndefined();
    return;
  }
  expect(result?.event).toMatchObject({
    ...expected,
    reason: event.reason,
    involvedObject: event.involvedObject,
  });
  expect(result?.patch).toEqual(
    expected.count === 1 ? undefined : { ...expected, lastTimestamp: result?.event.lastTimestamp },
  );
  expect(result?.event.firstTimestamp === result?.event.lastTimestamp).toBe(expected.count === 1);
});

test("a source has 25 events about an object, and earns one in five minutes; warnings have their own", async () => {
  const { clock, feed } = harness();
  const passed = (count: number, event: Event): number =>
    repeat(count, event).filter((each) => feed(each) !== undefined).length;
  expect(passed(40, duplicateEvent)).toBe(25);
  expect(passed(40, { ...duplicateEvent, type: "Warning" })).toBe(25);
  expect(passed(5, { ...duplicateEvent, involvedObject: { ...pod, name: "other" } })).toBe(5);
  await clock.advanceBy(299_000);
  expect(passed(5, duplicateEvent)).toBe(0);
  await clock.advanceBy(1_000);
  expect(passed(5, duplicateEvent)).toBe(1);
  await clock.advanceBy(600_000);
  expect(passed(5, duplicateEvent)).toBe(2);
});

test("what was held back as spam is in the next count that passes", async () => {
  const { clock, feed } = harness();
  for (const event of repeat(40, duplicateEvent)) feed(event);
  await clock.advanceBy(300_000);
  expect(feed(duplicateEvent)?.patch?.count).toBe(41);
});

test("a counted event keeps the name that the server knows", () => {
  const { feed } = harness();
  const first = feed(duplicateEvent);
  const again = feed({ ...duplicateEvent, metadata: { name: "my-pod.2", namespace: "my-ns" } });
  expect(again?.event.metadata.name).toBe(first?.event.metadata.name);
});

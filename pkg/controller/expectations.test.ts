import { describe, expect, test } from "vitest";
import { VirtualClock } from "../testing/virtual-clock.ts";
import type { ApiObject } from "../api/object.ts";
import { DeletionTracking, EXPECTATIONS_TIMEOUT_MS, Expectations } from "./expectations.ts";

const rc = named("rc");
const rcAnew = named("rc", "uid of the second");

describe("expectations", () => {
  test("are satisfied once all creations and deletions were observed, more than expected included", () => {
    const expectations = new Expectations(new VirtualClock());
    expectations.set(rc, 10, 30);
    for (let count = 0; count < 11; count++) expectations.creationObserved(rc);
    expect(expectations.satisfied(rc)).toBe(false);
    for (let count = 0; count < 31; count++) expectations.deletionObserved(rc);
    expect(expectations.satisfied(rc)).toBe(true);
    expect(expectations.get(rc)).toMatchObject({ creations: -1, deletions: -1 });
  });

  test("expire, counted from when they were set and not from when they were last lowered or raised", async () => {
    const clock = new VirtualClock();
    const expectations = new Expectations(clock);
    expectations.set(rc, 1, 2);
    await clock.advanceBy(EXPECTATIONS_TIMEOUT_MS);
    expectations.raise(rc, 3, 0);
    expectations.lower(rc, 1, 1);
    expect(expectations.satisfied(rc)).toBe(false);
    await clock.advanceBy(1);
    expect(expectations.satisfied(rc)).toBe(true);
    expect(expectations.get(rc)).toMatchObject({ creations: 3, deletions: 1 });
  });

  test("say how long they may still hold an owner up", async () => {
    const clock = new VirtualClock();
    const expectations = new Expectations(clock);
    expect(expectations.untilSatisfiedMs(rc)).toBeUndefined();
    expectations.expectCreations(rc, 1);
    await clock.advanceBy(1_000);
    const leftMs = expectations.untilSatisfiedMs(rc) ?? 0;
    expect(leftMs).toBeCloseTo(EXPECTATIONS_TIMEOUT_MS - 1_000, -1);
    await clock.advanceBy(leftMs);
    expect(expectations.satisfied(rc)).toBe(true);
    expect(expectations.untilSatisfiedMs(rc)).toBeUndefined();
  });

  test("a jump of the wall clock does not expire them", () => {
    const clock = new VirtualClock();
    const expectations = new Expectations(clock);
    expectations.expectCreations(rc, 1);
    clock.jumpWallClock(2 * EXPECTATIONS_TIMEOUT_MS);
    expect(expectations.satisfied(rc)).toBe(false);
  });

  test("of an owner that has none are satisfied, and observing changes nothing", () => {
    const expectations = new Expectations(new VirtualClock());
    expectations.creationObserved(rc);
    expectations.raise(rc, 1, 1);
    expect(expectations.satisfied(rc)).toBe(true);
    expect(expectations.get(rc)).toBeUndefined();
  });

  test("setting them replaces what was expected and restarts the time-out", async () => {
    const clock = new VirtualClock();
    const expectations = new Expectations(clock);
    expectations.expectCreations(rc, 5);
    await clock.advanceBy(EXPECTATIONS_TIMEOUT_MS);
    expectations.expectDeletions(rc, 1);
    expect(expectations.get(rc)).toMatchObject({ creations: 0, deletions: 1 });
    await clock.advanceBy(EXPECTATIONS_TIMEOUT_MS);
    expect(expectations.satisfied(rc)).toBe(false);
  });

  test("of different owners are apart, and vanish with the owner", () => {
    const [a, b] = [named("a"), named("b")];
    const expectations = new Expectations(new VirtualClock());
    expectations.expectCreations(a, 1);
    expectations.expectCreations(b, 1);
    expectations.creationObserved(a);
    expect([expectations.satisfied(a), expectations.satisfied(b)]).toEqual([true, false]);
    expectations.delete(a);
    expectations.delete(b);
    expect(expectations.size).toBe(0);
  });
});

describe("an owner that was made anew under the name of another", () => {
  const setUp = () => {
    const expectations = new Expectations(new VirtualClock());
    const deletions = new DeletionTracking(expectations);
    deletions.expectDeletions(rc, ["ns/a"]);
    expectations.raise(rc, 2, 0);
    return { expectations, deletions };
  };

  test("waits for nothing of the first, although nobody said that the first is gone", () => {
    const { expectations, deletions } = setUp();
    expect(expectations.satisfied(rc)).toBe(false);
    expect(expectations.satisfied(rcAnew)).toBe(true);
    expect([expectations.untilSatisfiedMs(rcAnew), expectations.get(rcAnew)]).toEqual([undefined, undefined]);
    expect(deletions.awaited(rcAnew)).toBeUndefined();
  });

  test("neither lowers nor raises what the first waits for", () => {
    const { expectations, deletions } = setUp();
    expectations.creationObserved(rcAnew);
    expectations.raise(rcAnew, 5, 5);
    deletions.deletionObserved(rcAnew, "ns/a");
    expect(expectations.get(rc)).toMatchObject({ creations: 2, deletions: 1 });
  });

  test("keeps what it expects when the end of the first is heard of late, by a sync or an event", () => {
    const { expectations, deletions } = setUp();
    deletions.expectDeletions(rcAnew, ["ns/b"]);
    expectations.raise(rcAnew, 1, 0);
    deletions.delete(rc);
    expectations.lower(rc, 1, 0);
    expect(expectations.get(rcAnew)).toMatchObject({ creations: 1, deletions: 1 });
    expect(deletions.awaited(rcAnew)).toEqual(new Set(["ns/b"]));
    deletions.deleteName("ns/rc");
    expect([expectations.size, deletions.awaited(rcAnew)]).toEqual([0, undefined]);
  });
});

describe("tracked deletions", () => {
  const setUp = () => {
    const expectations = new Expectations(new VirtualClock());
    return { expectations, deletions: new DeletionTracking(expectations) };
  };

  test.each([0, 1, 2, 5])("%d expected: satisfied when each was seen, however often", (count) => {
    const { expectations, deletions } = setUp();
    const pods = Array.from({ length: count }, (_, index) => `ns/pod-${index}`);
    deletions.expectDeletions(rc, pods);
    for (const pod of pods) {
      expect(expectations.satisfied(rc)).toBe(false);
      deletions.deletionObserved(rc, pod);
      deletions.deletionObserved(rc, pod);
    }
    expect(expectations.satisfied(rc)).toBe(true);
    expect(expectations.get(rc)).toMatchObject({ deletions: 0 });
    deletions.delete(rc);
    expect([deletions.awaited(rc), expectations.size]).toEqual([undefined, 0]);
  });

  test("the deletion of an object that was not expected to go lowers nothing", () => {
    const { expectations, deletions } = setUp();
    deletions.expectDeletions(rc, ["ns/a"]);
    deletions.deletionObserved(rc, "ns/other");
    deletions.deletionObserved(named("other"), "ns/a");
    expect(expectations.satisfied(rc)).toBe(false);
    expect(deletions.awaited(rc)).toEqual(new Set(["ns/a"]));
  });

  test("an object named twice is expected once", () => {
    const { expectations, deletions } = setUp();
    deletions.expectDeletions(rc, ["ns/a", "ns/a"]);
    deletions.deletionObserved(rc, "ns/a");
    expect(expectations.satisfied(rc)).toBe(true);
  });
});

function named(name: string, uid = `uid of ${name}`): ApiObject {
  return { metadata: { namespace: "ns", name, uid } };
}

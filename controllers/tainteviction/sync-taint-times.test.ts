import { describe, expect, test } from "vitest";
import { formatTime } from "../../pkg/api/time.ts";
import type { Node, Taint } from "../../pkg/api/types/core-v1.gen.ts";
import { asStored } from "../../test/harness/stored.ts";
import { VirtualClock } from "../../pkg/testing/virtual-clock.ts";
import { TaintTimes } from "./sync-taint-times.ts";

const NOT_READY = "node.kubernetes.io/not-ready";
const UNREACHABLE = "node.kubernetes.io/unreachable";

class Stage {
  readonly clock = new VirtualClock();
  readonly times = new TaintTimes(this.clock);
  #node = this.#nodeWith([]);

  taint(key: string, addedAgoMs?: number): Taint {
    const timeAdded =
      addedAgoMs === undefined ? {} : { timeAdded: formatTime(this.clock.nowMs() - addedAgoMs) };
    return { key, effect: "NoExecute", ...timeAdded };
  }

  listed(...taints: readonly Taint[]): void {
    this.#node = this.#nodeWith(taints);
    this.times.observe({ type: "added", object: this.#node, listed: true });
  }

  updated(...taints: readonly Taint[]): void {
    const before = this.#node;
    this.#node = this.#nodeWith(taints);
    this.times.observe({ type: "updated", before, object: this.#node, resync: false });
  }

  /** For how long the node has had each of its taints. */
  ages(): Record<string, number> {
    const nowMs = this.clock.monotonicMs();
    return Object.fromEntries(
      this.times.of(this.#node).map(({ taint, sinceMs }) => [taint.key, nowMs - sinceMs]),
    );
  }

  #nodeWith(taints: readonly Taint[], uid = "uid") {
    return asStored<Node>({ metadata: { name: "a", uid }, spec: { taints } });
  }
}

describe("a taint counts", () => {
  test("from when it is seen to come, whatever it says itself", async () => {
    const stage = new Stage();
    stage.updated(stage.taint("a", 100_000), stage.taint("b"), stage.taint("c", -100_000));
    await stage.clock.advanceBy(5_000);
    expect(stage.ages()).toEqual({ a: 5_000, b: 5_000, c: 5_000 });
  });

  test("from the time that it says, where it was there before this process", async () => {
    const stage = new Stage();
    await stage.clock.advanceBy(3_400);
    stage.listed(stage.taint("a", 100_000), stage.taint("b"));
    const { a = 0, b } = stage.ages();
    // Its time has no fractions, and may be that of the very end of the second.
    expect(a).toBeGreaterThan(99_000 - 1);
    expect(a).toBeLessThanOrEqual(100_000);
    expect(b).toBe(0);
    await stage.clock.advanceBy(5_000);
    expect(stage.ages()).toEqual({ a: a + 5_000, b: 5_000 });
  });

  test("from now, where it says that it is yet to come", () => {
    const stage = new Stage();
    stage.listed(stage.taint("a", -3_600_000));
    expect(stage.ages()).toEqual({ a: 0 });
  });

  test("on when others come and go, and anew when it comes again", async () => {
    const stage = new Stage();
    const a = stage.taint("a", 0);
    stage.updated(a);
    await stage.clock.advanceBy(5_000);
    stage.updated(a, stage.taint("b"));
    await stage.clock.advanceBy(5_000);
    expect(stage.ages()).toEqual({ a: 10_000, b: 5_000 });
    stage.updated(stage.taint("b"));
    stage.updated(a, stage.taint("b"));
    expect(stage.ages()).toEqual({ a: 0, b: 5_000 });
    await stage.clock.advanceBy(5_000);
    stage.updated();
    stage.updated(stage.taint("b"));
    expect(stage.ages()).toEqual({ b: 0 });
  });

  test("anew when it has come again unseen, as its time tells", async () => {
    const stage = new Stage();
    stage.updated(stage.taint("a", 0));
    await stage.clock.advanceBy(60_000);
    stage.updated(stage.taint("a", 0));
    expect(stage.ages()).toEqual({ a: 0 });
  });

  test("the same whatever the clock on the wall says later", async () => {
    const stage = new Stage();
    stage.listed(stage.taint("a", 10_000));
    const before = stage.ages()["a"] ?? 0;
    stage.clock.jumpWallClock(3_600_000);
    await stage.clock.advanceBy(1_000);
    expect(stage.ages()).toEqual({ a: before + 1_000 });
  });
});

describe("an outage", () => {
  test.each([
    [NOT_READY, UNREACHABLE],
    [UNREACHABLE, NOT_READY],
  ])("goes on when %s becomes %s", async (first, second) => {
    const stage = new Stage();
    stage.updated(stage.taint(first, 0));
    await stage.clock.advanceBy(50_000);
    stage.updated(stage.taint(second, 0));
    await stage.clock.advanceBy(10_000);
    expect(stage.ages()).toEqual({ [second]: 60_000 });
  });

  test("is over when both are gone", async () => {
    const stage = new Stage();
    stage.updated(stage.taint(NOT_READY, 0));
    await stage.clock.advanceBy(50_000);
    stage.updated();
    stage.updated(stage.taint(UNREACHABLE, 0));
    expect(stage.ages()).toEqual({ [UNREACHABLE]: 0 });
  });

  test("is no other taint", async () => {
    const stage = new Stage();
    stage.updated(stage.taint("a"));
    await stage.clock.advanceBy(50_000);
    stage.updated(stage.taint(UNREACHABLE));
    expect(stage.ages()).toEqual({ [UNREACHABLE]: 0 });
  });
});

test("a node of another uid has nothing of the one before, and nothing is kept of one that is gone", async () => {
  const clock = new VirtualClock();
  const times = new TaintTimes(clock);
  const node = (uid: string) =>
    asStored<Node>({ metadata: { name: "a", uid }, spec: { taints: [{ key: "a", effect: "NoExecute" }] } });
  times.observe({ type: "added", object: node("1"), listed: false });
  await clock.advanceBy(1_000);
  times.observe({ type: "added", object: node("2"), listed: false });
  await clock.advanceBy(1_000);
  const age = (uid: string): number => clock.monotonicMs() - (times.of(node(uid))[0]?.sinceMs ?? 0);
  expect([age("1"), age("2")]).toEqual([2_000, 1_000]);
  times.observe({ type: "deleted", object: node("1") });
  expect([age("1"), age("2")]).toEqual([0, 1_000]);
});

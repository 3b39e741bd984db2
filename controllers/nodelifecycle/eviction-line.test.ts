import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EvictionLine, EvictionRate } from "./eviction-line.ts";

const node = (name: string) => ({ name, uid: `uid-${name}` });

/** Names of those that wait, in order. */
function drain(line: EvictionLine): string {
  const names: string[] = [];
  for (let first = line.first; first !== undefined; first = line.first) {
    names.push(first.name);
    line.remove(first.uid);
  }
  return names.join(" ");
}

function lineOf(...names: readonly string[]): EvictionLine {
  const line = new EvictionLine(new EvictionRate(1, 0));
  for (const name of names) line.add(node(name));
  return line;
}

describe("the line of a zone", () => {
  // upstream: pkg/controller/nodelifecycle/scheduler/rate_limited_queue_test.go#TestUniqueQueueGet, #TestAddNode
  test("has them in the order in which they came", () => {
    const line = lineOf("first", "second", "third");
    expect(line.size).toBe(3);
    expect(line.first?.name).toBe("first");
    expect(drain(line)).toBe("first second third");
  });

  // upstream: …#TestDelNode, #TestTry, #TestAddAfterTry
  test.each([
    ["first", "second third"],
    ["second", "first third"],
    ["third", "first second"],
  ])("without %s has the others", (gone, expected) => {
    const line = lineOf("first", "second", "third");
    expect(line.remove(`uid-${gone}`)).toBe(true);
    expect(line.remove(`uid-${gone}`)).toBe(false);
    expect(drain(line)).toBe(expected);
  });

  test("has each once, in the place that it has", () => {
    const line = lineOf("first", "second");
    expect(line.add(node("first"))).toBe(false);
    expect(drain(line)).toBe("first second");
  });

  // upstream: …#TestTryOrdering, #TestTryRemovingWhileTry
  test("lets the others go first when one cannot be helped, unless that has left meanwhile", () => {
    const line = lineOf("first", "second", "third");
    line.moveToEnd(node("first"));
    line.remove("uid-second");
    line.moveToEnd(node("second"));
    expect(drain(line)).toBe("third first");
  });

  // upstream: …#TestClear
  test("can be dissolved", () => {
    const line = lineOf("first", "second");
    line.clear();
    expect(line.size).toBe(0);
    expect(line.first).toBeUndefined();
  });

  test("takes another node of that name for another", () => {
    const line = lineOf("first");
    expect(line.add({ name: "first", uid: "new" })).toBe(true);
    expect(line.remove("uid-first")).toBe(true);
    expect(line.first?.uid).toBe("new");
  });
});

describe("the rate of a zone", () => {
  test("grants one at once, then one in so many seconds", () => {
    const rate = new EvictionRate(0.1, 0);
    expect(rate.tryTake(0)).toBe(true);
    expect(rate.tryTake(9_999)).toBe(false);
    expect(rate.untilNextMs(9_999)).toBeCloseTo(1);
    expect(rate.tryTake(10_000)).toBe(true);
    // Nothing is saved up beyond one.
    expect(rate.tryTake(100_000)).toBe(true);
    expect(rate.tryTake(100_000)).toBe(false);
  });

  test("has back what was not needed", () => {
    const rate = new EvictionRate(0.1, 0);
    rate.tryTake(0);
    rate.giveBack();
    expect(rate.tryTake(0)).toBe(true);
  });

  test.each([0, -1])("grants none when it is %d", (perSecond) => {
    const rate = new EvictionRate(perSecond, 0);
    expect(rate.tryTake(1e9)).toBe(false);
    expect(rate.untilNextMs(1e9)).toBeUndefined();
  });

  // upstream: …#TestSwapLimiter
  test("is changed, and is not when it is the same", () => {
    const rate = new EvictionRate(1, 0);
    expect(rate.change(0, 0)).toBe(true);
    expect(rate.perSecond).toBe(0);
    expect(rate.change(5.5, 0)).toBe(true);
    expect(rate.perSecond).toBe(5.5);
    expect(rate.change(5.5, 0)).toBe(false);
  });

  test("of which the token is not spent keeps it when it is changed", () => {
    const rate = new EvictionRate(0.1, 0);
    rate.change(0.01, 0);
    expect(rate.tryTake(0)).toBe(true);
  });

  test.each([
    ["its token is spent", 0.1],
    ["it granted none", 0],
  ])("begins to earn anew when it is changed while %s", (_, before) => {
    const rate = new EvictionRate(before, 0);
    rate.tryTake(0);
    rate.change(0.2, 4_000);
    expect(rate.tryTake(8_999)).toBe(false);
    expect(rate.tryTake(9_000)).toBe(true);
  });

  test("never grants more than one beyond what it has earned, whatever is done to it", () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant("wait"), ms: fc.nat(60_000) }),
      fc.record({ kind: fc.constant("take"), ms: fc.constant(0) }),
      fc.record({ kind: fc.constant("change"), ms: fc.nat(20) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let nowMs = 0;
        let earned = 1;
        let taken = 0;
        const rate = new EvictionRate(0.1, 0);
        for (const { kind, ms } of steps) {
          if (kind === "wait") {
            earned += (ms * rate.perSecond) / 1_000;
            nowMs += ms;
          } else if (kind === "change") rate.change(ms / 10, nowMs);
          else if (rate.tryTake(nowMs)) taken++;
          expect(taken).toBeLessThanOrEqual(earned + 1e-3);
          const untilMs = rate.untilNextMs(nowMs);
          if (untilMs !== undefined) expect(untilMs * rate.perSecond).toBeLessThanOrEqual(1_000 + 1e-3);
        }
      }),
    );
  });

  test("grants a token when it was said to", () => {
    fc.assert(
      fc.property(fc.double({ min: 0.001, max: 1_000, noNaN: true }), fc.nat(1e9), (perSecond, startMs) => {
        const rate = new EvictionRate(perSecond, startMs);
        rate.tryTake(startMs);
        expect(rate.tryTake(startMs + (rate.untilNextMs(startMs) ?? Number.NaN))).toBe(true);
      }),
    );
  });
});

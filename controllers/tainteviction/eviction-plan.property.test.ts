import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tolerates } from "../../pkg/api/taints.ts";
import type { Taint, Toleration } from "../../pkg/api/types/core-v1.gen.ts";
import { planEviction, type TaintSince } from "./eviction-plan.ts";

const NOW = 1_000_000;
const taint = (key: string, value: string): Taint => ({ key, value, effect: "NoExecute" });

describe("whatever the taints and tolerations", () => {
  const key = fc.constantFrom("a", "b", "c");
  const toleration: fc.Arbitrary<Toleration> = fc.record(
    {
      key,
      operator: fc.constantFrom("Exists", "Equal"),
      value: fc.constantFrom("", "x"),
      effect: fc.constantFrom("NoExecute", "NoSchedule", ""),
      tolerationSeconds: fc.integer({ min: -2, max: 50 }),
    },
    { requiredKeys: [] },
  );
  const taints = fc.uniqueArray(fc.record({ key, value: fc.constantFrom("", "x"), agoMs: fc.nat(60_000) }), {
    selector: (each) => each.key,
    maxLength: 3,
  });
  const cluster = fc.record({
    tolerations: fc.array(toleration, { maxLength: 5 }),
    taints,
    podAgoMs: fc.nat(60_000),
  });
  /** Until when a pod tolerates a taint, told in another way: by each toleration that covers it, the first. */
  function untilMs(
    tolerations: readonly Toleration[],
    { taint: one, sinceMs }: TaintSince,
    podSinceMs: number,
  ): number {
    const first = tolerations.find((each) => tolerates(each, one));
    if (first === undefined) return -Infinity;
    const { tolerationSeconds: seconds } = first;
    return seconds === undefined ? Infinity : Math.max(sinceMs, podSinceMs) + Number(seconds) * 1_000;
  }

  test("nobody goes who tolerates all, nobody before the time, and everybody after it", () => {
    fc.assert(
      fc.property(cluster, fc.nat(120_000), ({ tolerations, taints: sketches, podAgoMs }, laterMs) => {
        const all = sketches.map(({ key: name, value, agoMs }) => ({
          taint: taint(name, value),
          sinceMs: NOW - agoMs,
        }));
        const podSinceMs = NOW - podAgoMs;
        const nowMs = NOW + laterMs;
        const made = planEviction({ tolerations, taints: all, podSinceMs, nowMs });
        const ends = all.map((each) => untilMs(tolerations, each, podSinceMs));
        const endMs = Math.min(...ends);
        if (endMs === Infinity) expect(made.kind).toBe("never");
        else if (endMs > nowMs) expect(made).toEqual({ kind: "later", dueMs: endMs });
        else expect(made.kind).toBe("now");
      }),
      { numRuns: 2_000 },
    );
  });

  test("what is planned for later is done when that has come, and not a moment before", () => {
    fc.assert(
      fc.property(cluster, ({ tolerations, taints: sketches, podAgoMs }) => {
        const all = sketches.map(({ key: name, value, agoMs }) => ({
          taint: taint(name, value),
          sinceMs: NOW - agoMs,
        }));
        const question = { tolerations, taints: all, podSinceMs: NOW - podAgoMs };
        const made = planEviction({ ...question, nowMs: NOW });
        if (made.kind !== "later") return;
        expect(planEviction({ ...question, nowMs: made.dueMs - 1 })).toEqual(made);
        expect(planEviction({ ...question, nowMs: made.dueMs })).toMatchObject({
          kind: "now",
          dueMs: made.dueMs,
        });
      }),
      { numRuns: 2_000 },
    );
  });
});

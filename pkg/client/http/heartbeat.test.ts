import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../../test/harness/virtual-clock.ts";
import type { Clock } from "../../clock/clock.ts";
import { Heartbeat } from "./heartbeat.ts";
import { PeerProbe } from "./peer-probe.ts";

describe("heartbeat", () => {
  function setup(): {
    clock: VirtualClock;
    heartbeat: Heartbeat;
    hear: () => void;
    deadAtMs: () => number | undefined;
  } {
    const clock = new VirtualClock();
    let bytes = 0;
    let deadAtMs: number | undefined;
    const heartbeat = new Heartbeat(
      clock,
      () => bytes,
      () => (deadAtMs = clock.monotonicMs()),
    );
    return { clock, heartbeat, hear: () => bytes++, deadAtMs: () => deadAtMs };
  }

  test.each([0, 1_500, 2_000, 3_999, 60_001])(
    "silence from %i ms on is found within 10 s",
    async (silentFromMs) => {
      const { clock, heartbeat, hear, deadAtMs } = setup();
      heartbeat.start();
      for (let atMs = 0; atMs + 1_500 <= silentFromMs; atMs += 1_500) {
        await clock.advanceBy(1_500);
        hear();
        expect(deadAtMs()).toBeUndefined();
      }
      await clock.runUntil(() => deadAtMs() !== undefined);
      expect((deadAtMs() ?? 0) - silentFromMs).toBeLessThanOrEqual(10_000);
      expect(clock.pendingTimers).toBe(0);
    },
  );

  test("a process that was itself stopped or busy blames nobody", async () => {
    const clock = new VirtualClock();
    let pausedMs = 0;
    let dead = false;
    const lateClock: Clock = {
      nowMs: () => clock.nowMs() + pausedMs,
      monotonicMs: () => clock.monotonicMs() + pausedMs,
      setTimer: (delayMs, callback) => clock.setTimer(delayMs, callback),
      turn: async () => clock.turn(),
    };
    const heartbeat = new Heartbeat(
      lateClock,
      () => 7,
      () => (dead = true),
    );
    heartbeat.start();
    await clock.advanceBy(7_000);
    pausedMs += 60_000;
    await clock.advanceBy(6_999);
    expect(dead).toBe(false);
    await clock.advanceBy(8_000);
    expect(dead).toBe(true);
  });

  test("looks at nothing while stopped, and starts afresh", async () => {
    const { clock, heartbeat, deadAtMs } = setup();
    heartbeat.start();
    await clock.advanceBy(5_000);
    heartbeat.stop();
    await clock.advanceBy(60_000);
    heartbeat.start();
    heartbeat.start();
    expect(clock.pendingTimers).toBe(1);
    await clock.advanceBy(5_000);
    expect(deadAtMs()).toBeUndefined();
  });
});

describe("peer probe", () => {
  test("asks while there are requests in flight, and reports only silence", async () => {
    const clock = new VirtualClock();
    let busy = true;
    let answer: "yes" | "refused" | "never" = "yes";
    let asked = 0;
    let silent = 0;
    const probe = new PeerProbe(
      clock,
      () => busy,
      async (signal) => {
        asked++;
        if (answer === "refused") throw new Error("refused");
        if (answer === "never")
          await new Promise((_, reject) =>
            signal.addEventListener("abort", () => reject(signal.reason as Error)),
          );
      },
      () => silent++,
    );
    probe.start();
    probe.start();
    await clock.advanceBy(3_000);
    expect(asked).toBe(1);
    answer = "refused";
    await clock.advanceBy(6_000);
    expect([asked, silent]).toEqual([3, 0]);
    answer = "never";
    await clock.advanceBy(8_000);
    expect(silent).toBe(1);
    busy = false;
    await clock.advanceBy(60_000);
    expect(clock.pendingTimers).toBe(0);
    expect(silent).toBe(1);
  });
});

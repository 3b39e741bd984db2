import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import type { Clock } from "../../clock/clock.ts";
import { DEFAULT_PATIENCE, Heartbeat, type PeerPatience } from "./heartbeat.ts";

interface Stage {
  readonly heartbeat: Heartbeat;
  /** A byte comes from the peer. */
  hear(): void;
  /** The peer answers the last question, and no byte shows it. */
  answer(): void;
  takeAnswer(): () => void;
  readonly askedAtMs: readonly number[];
  deadAtMs(): number | undefined;
}

function setup(clock: Clock, patience: PeerPatience = DEFAULT_PATIENCE): Stage {
  let bytes = 0;
  let deadAtMs: number | undefined;
  let answer = (): void => undefined;
  const askedAtMs: number[] = [];
  const heartbeat = new Heartbeat(clock, patience, {
    bytesRead: () => bytes,
    ping: (onAnswer) => {
      askedAtMs.push(clock.monotonicMs());
      answer = onAnswer;
    },
    onSilence: () => (deadAtMs = clock.monotonicMs()),
  });
  return {
    heartbeat,
    hear: () => bytes++,
    answer: () => answer(),
    takeAnswer: () => answer,
    askedAtMs,
    deadAtMs: () => deadAtMs,
  };
}

describe("heartbeat", () => {
  test.each([0, 1_500, 4_999, 29_999, 60_001])(
    "a peer that is silent from %i ms on is asked after 30 s and dead 15 s later",
    async (silentFromMs) => {
      const clock = new VirtualClock();
      const { heartbeat, hear, askedAtMs, deadAtMs } = setup(clock);
      heartbeat.start();
      for (let atMs = 0; atMs + 1_000 <= silentFromMs; atMs += 1_000) {
        await clock.advanceBy(1_000);
        hear();
      }
      const lastHeardMs = clock.monotonicMs();
      expect(askedAtMs).toEqual([]);
      await clock.advanceBy(44_999);
      expect(deadAtMs()).toBeUndefined();
      await clock.runUntil(() => deadAtMs() !== undefined);
      expect((askedAtMs[0] ?? 0) - lastHeardMs).toBeGreaterThanOrEqual(30_000);
      expect((deadAtMs() ?? 0) - (askedAtMs[0] ?? 0)).toBe(15_000);
      expect((deadAtMs() ?? 0) - lastHeardMs).toBeLessThanOrEqual(50_000);
      expect(askedAtMs).toHaveLength(1);
      expect(clock.pendingTimers).toBe(0);
    },
  );

  test.each(["hear", "answer"] as const)("one that answers in time lives on: %s", async (how) => {
    const clock = new VirtualClock();
    const stage = setup(clock);
    stage.heartbeat.start();
    for (let times = 1; times <= 5; times++) {
      await clock.runUntil(() => stage.askedAtMs.length === times);
      await clock.advanceBy(14_000);
      stage[how]();
      await clock.advanceBy(20_000);
      expect(stage.deadAtMs()).toBeUndefined();
    }
    await clock.runUntil(() => stage.deadAtMs() !== undefined);
  });

  test("an answer to an earlier question is none to this one", async () => {
    const clock = new VirtualClock();
    const stage = setup(clock);
    stage.heartbeat.start();
    await clock.runUntil(() => stage.askedAtMs.length === 1);
    const toFirst = stage.takeAnswer();
    stage.hear();
    await clock.runUntil(() => stage.askedAtMs.length === 2);
    toFirst();
    const [, askedMs = 0] = stage.askedAtMs;
    await clock.runUntil(() => stage.deadAtMs() !== undefined);
    expect(stage.deadAtMs()).toBe(askedMs + 15_000);
  });

  test("other limits hold; none at all asks nothing", async () => {
    const clock = new VirtualClock();
    const hasty = setup(clock, { idleMs: 6_000, pingMs: 1_000 });
    hasty.heartbeat.start();
    await clock.runUntil(() => hasty.deadAtMs() !== undefined);
    expect([hasty.askedAtMs, hasty.deadAtMs()]).toEqual([[6_000], 7_000]);
    const patient = setup(clock, { idleMs: 0, pingMs: 1_000 });
    patient.heartbeat.start();
    expect(clock.pendingTimers).toBe(0);
  });

  test("a process that was itself stopped or busy blames nobody", async () => {
    const clock = new VirtualClock();
    let pausedMs = 0;
    const { heartbeat, deadAtMs, askedAtMs } = setup({
      nowMs: () => clock.nowMs() + pausedMs,
      monotonicMs: () => clock.monotonicMs() + pausedMs,
      setTimer: (delayMs, callback) => clock.setTimer(delayMs, callback),
      turn: async () => clock.turn(),
    });
    heartbeat.start();
    await clock.runUntil(() => askedAtMs.length === 1);
    await clock.advanceBy(14_000);
    pausedMs += 60_000;
    await clock.advanceBy(44_000);
    expect(deadAtMs()).toBeUndefined();
    await clock.runUntil(() => deadAtMs() !== undefined);
  });

  test("looks at nothing while stopped, and starts afresh", async () => {
    const clock = new VirtualClock();
    const { heartbeat, deadAtMs, askedAtMs } = setup(clock);
    heartbeat.start();
    await clock.advanceBy(44_000);
    heartbeat.stop();
    await clock.advanceBy(60_000);
    heartbeat.start();
    heartbeat.start();
    expect(clock.pendingTimers).toBe(1);
    await clock.advanceBy(44_000);
    expect([deadAtMs(), askedAtMs.length]).toEqual([undefined, 2]);
  });
});

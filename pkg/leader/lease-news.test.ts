import { expect, test } from "vitest";
import { statusError } from "../../test/harness/lease-server.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { silentLogger } from "../log/logger.ts";
import { LeaseNews } from "./lease-news.ts";

/** A Lease whose changes and failures the test makes up. */
class WatchedLease {
  watches = 0;
  #next: ((step: "change" | Error) => void) | undefined;

  describe(): string {
    return "kube-system/kcm";
  }

  async *watch(signal: AbortSignal): AsyncGenerator<string> {
    this.watches++;
    for (;;) {
      const step = await new Promise<"change" | Error>((resolve, reject) => {
        this.#next = resolve;
        signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      });
      if (step instanceof Error) throw step;
      yield step;
    }
  }

  say(step: "change" | Error): void {
    this.#next?.(step);
  }
}

function setup() {
  const clock = new VirtualClock();
  const lease = new WatchedLease();
  const news = new LeaseNews({ lock: lease, clock, log: silentLogger, retryMs: 2_000 });
  const stop = new AbortController();
  const ended = news.follow(stop.signal);
  const wait = (delayMs: number): { at: number | undefined } => {
    const result: { at: number | undefined } = { at: undefined };
    void news.next(delayMs, stop.signal).then(() => (result.at = clock.monotonicMs()));
    return result;
  };
  return { clock, lease, stop, ended, wait };
}

test("a change ends the wait at once", async () => {
  const { clock, lease, wait } = setup();
  const waiting = wait(4_000);
  await clock.advanceBy(100);
  lease.say("change");
  await clock.advanceBy(0);
  expect(waiting.at).toBe(100);
});

test("a change between two waits is not missed, and counts once", async () => {
  const { clock, lease, wait } = setup();
  await clock.advanceBy(100);
  lease.say("change");
  await clock.advanceBy(0);
  const first = wait(4_000);
  await clock.advanceBy(0);
  expect(first.at).toBe(100);
  const second = wait(4_000);
  await clock.advanceBy(5_000);
  expect(second.at).toBe(4_100);
});

test("a watch that fails is made again, and waits end by time meanwhile", async () => {
  const { clock, lease, wait } = setup();
  await clock.advanceBy(10);
  lease.say(statusError(500, "InternalError", "GET"));
  const waiting = wait(1_000);
  await clock.advanceBy(1_500);
  expect(waiting.at).toBe(1_010);
  expect(lease.watches).toBe(1);
  await clock.advanceBy(1_000);
  expect(lease.watches).toBe(2);
});

test("who may not watch does not ask again", async () => {
  const { clock, lease, ended } = setup();
  await clock.advanceBy(10);
  lease.say(statusError(403, "Forbidden", "GET"));
  await ended;
  await clock.advanceBy(60_000);
  expect(lease.watches).toBe(1);
});

test("an abort ends the watch and the wait", async () => {
  const { clock, stop, ended, wait } = setup();
  const waiting = wait(4_000);
  await clock.advanceBy(500);
  stop.abort();
  await ended;
  await clock.advanceBy(0);
  expect(waiting.at).toBe(500);
});

import { expect, test } from "vitest";
import { FailedPodBackoff } from "./failed-pods.ts";

const MINUTE = 60_000;

// upstream: pkg/controller/daemon/daemon_controller_test.go#TestDaemonKillFailedPodsBackoff
test("failed pods wait from one to the next twice as long, and 15 minutes at most", () => {
  const backoff = new FailedPodBackoff();
  let nowMs = 5;
  const waits = Array.from({ length: 12 }, () => {
    expect(backoff.remainingMs("node", nowMs)).toBe(0);
    backoff.failed("node", nowMs);
    const waitMs = backoff.remainingMs("node", nowMs);
    expect(backoff.remainingMs("node", nowMs + waitMs - 1)).toBe(1);
    nowMs += waitMs;
    return waitMs / 1_000;
  });
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]);
});

test("a node on which nothing failed for half an hour begins anew", () => {
  const backoff = new FailedPodBackoff();
  backoff.failed("node", 0);
  backoff.failed("node", 30 * MINUTE);
  expect(backoff.remainingMs("node", 30 * MINUTE)).toBe(2_000);
  backoff.failed("node", 60 * MINUTE + 1);
  expect(backoff.remainingMs("node", 60 * MINUTE + 1)).toBe(1_000);
});

test("nodes do not wait for each other, and are forgotten", () => {
  const backoff = new FailedPodBackoff();
  backoff.failed("one", 0);
  expect(backoff.remainingMs("two", 0)).toBe(0);
  backoff.failed("two", 31 * MINUTE);
  expect(backoff.size).toBe(1);
});

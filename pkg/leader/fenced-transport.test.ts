import { expect, test } from "vitest";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { sleep } from "../clock/wait.ts";
import type { Method, Transport, TransportResponse } from "../client/transport.ts";
import { instantOf, LeaseFence, openGate } from "./fence.ts";
import { fencedTransport } from "./fenced-transport.ts";

const answer = { status: 200, headers: {} } as TransportResponse;

function recording(clock: VirtualClock, latencyMs = 0): Transport & { sent: Method[] } {
  const sent: Method[] = [];
  return {
    sent,
    send: async (request, signal) => {
      sent.push(request.method);
      await sleep(clock, latencyMs, signal);
      return answer;
    },
    close: async () => undefined,
  };
}

const outcomeOf = (promise: Promise<unknown>): { value: unknown } => {
  const outcome = { value: undefined as unknown };
  promise.then(
    (value) => (outcome.value = value),
    (error: unknown) => (outcome.value = error),
  );
  return outcome;
};

const methods: readonly Method[] = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"];

test.each(methods)("%s through a closed fence", async (method) => {
  const clock = new VirtualClock();
  const inner = recording(clock);
  const transport = fencedTransport(inner, new LeaseFence(clock, 10_000));
  const outcome = outcomeOf(transport.send({ method, path: "/api/v1/pods" }));
  await clock.advanceBy(0);
  if (["GET", "HEAD", "OPTIONS"].includes(method)) {
    expect(outcome.value).toBe(answer);
  } else {
    expect(outcome.value).toMatchObject({ code: "Fenced" });
    expect(String(outcome.value)).toContain(`${method} /api/v1/pods is not sent`);
    expect(inner.sent).toEqual([]);
  }
});

test("writes pass until holdMs after the beginning of the last renewal, not after its end", async () => {
  const clock = new VirtualClock();
  const fence = new LeaseFence(clock, 10_000);
  const startedAt = instantOf(clock);
  await clock.advanceBy(4_000);
  fence.renewed(startedAt);
  await clock.advanceBy(5_999);
  expect(fence.canWrite()).toBe(true);
  await clock.advanceBy(1);
  expect(fence.canWrite()).toBe(false);
});

test("a write that waits until the fence is closed is refused when it would leave", async () => {
  const clock = new VirtualClock();
  const fence = new LeaseFence(clock, 1_000);
  fence.renewed(instantOf(clock));
  let left = false;
  const transport = fencedTransport(
    {
      send: async (request) => {
        // A machine that was suspended: the wall clock has gone on, timers have not fired yet.
        clock.jumpWallClock(60_000);
        request.beforeSend?.();
        left = true;
        return answer;
      },
      close: async () => undefined,
    },
    fence,
  );
  const write = outcomeOf(transport.send({ method: "POST", path: "/api/v1/pods" }));
  await clock.advanceBy(0);
  expect(write.value).toMatchObject({ code: "Fenced" });
  expect(left).toBe(false);
});

test.each(["expiry", "close"])(
  "a write under way is broken off by the fence's %s, a read is not",
  async (how) => {
    const clock = new VirtualClock();
    const fence = new LeaseFence(clock, 1_000);
    const transport = fencedTransport(recording(clock, 5_000), fence);
    fence.renewed(instantOf(clock));
    const write = outcomeOf(transport.send({ method: "PUT", path: "/x" }));
    const read = outcomeOf(transport.send({ method: "GET", path: "/x" }));
    await clock.advanceBy(999);
    expect(write.value).toBeUndefined();
    if (how === "close") fence.close();
    await clock.advanceBy(1);
    expect(write.value).toMatchObject({ code: "Fenced" });
    await clock.advanceBy(5_000);
    expect(read.value).toBe(answer);
    fence.renewed(instantOf(clock));
    const later = outcomeOf(transport.send({ method: "PUT", path: "/x" }, new AbortController().signal));
    await clock.advanceBy(500);
    expect(later.value).toBeUndefined();
    fence.renewed(instantOf(clock));
    await clock.advanceBy(600);
    // The end that the renewal before has set is none any more.
    expect(later.value).toBeUndefined();
    fence.close();
    await clock.advanceBy(0);
    expect(later.value).toMatchObject({ code: "Fenced" });
  },
);

test("a wall clock that is set back holds the fence open no longer", async () => {
  const clock = new VirtualClock();
  const fence = new LeaseFence(clock, 1_000);
  fence.renewed(instantOf(clock));
  clock.jumpWallClock(-3_600_000);
  await clock.advanceBy(999);
  expect(fence.canWrite()).toBe(true);
  await clock.advanceBy(1);
  expect(fence.canWrite()).toBe(false);
});

test("a fence that is closed breaks off once: its old end is none of the next holding's", async () => {
  const clock = new VirtualClock();
  const fence = new LeaseFence(clock, 1_000);
  fence.renewed(instantOf(clock));
  await clock.advanceBy(500);
  fence.close();
  expect(clock.pendingTimers).toBe(1);
  await clock.advanceBy(0);
  expect([fence.canWrite(), clock.pendingTimers]).toEqual([false, 0]);
});

test("the caller's abort comes through with its own reason", async () => {
  const clock = new VirtualClock();
  const fence = new LeaseFence(clock, 10_000);
  fence.renewed(instantOf(clock));
  const controller = new AbortController();
  const transport = fencedTransport(recording(clock, 5_000), fence);
  const outcome = outcomeOf(transport.send({ method: "POST", path: "/x" }, controller.signal));
  const reason = new Error("enough");
  controller.abort(reason);
  await clock.advanceBy(0);
  expect(outcome.value).toBe(reason);
});

test("without an election everything passes", async () => {
  const clock = new VirtualClock();
  const outcome = outcomeOf(
    fencedTransport(recording(clock), openGate).send({ method: "DELETE", path: "/x" }),
  );
  await clock.advanceBy(0);
  expect(outcome.value).toBe(answer);
});

test("sessions, in which anything may be changed, are for who leads", async () => {
  const clock = new VirtualClock();
  const opened: (() => void)[] = [];
  const inner: Transport = {
    ...recording(clock),
    upgrade: async ({ beforeSend }) => {
      if (beforeSend !== undefined) opened.push(beforeSend);
      return { status: 403, headers: {}, text: "" };
    },
  };
  const fence = new LeaseFence(clock, 10_000);
  const transport = fencedTransport(inner, fence);
  const request = { path: "/exec", protocols: [] };
  await expect(transport.upgrade?.(request)).rejects.toMatchObject({ code: "Fenced" });
  expect(opened).toEqual([]);
  fence.renewed(instantOf(clock));
  await transport.upgrade?.(request);
  // Asked again when the request leaves.
  await clock.advanceBy(20_000);
  expect(opened).toHaveLength(1);
  expect(() => opened[0]?.()).toThrow("is not sent");
});

test("who cannot open sessions cannot do so through a fence", () => {
  expect(fencedTransport(recording(new VirtualClock()), openGate).upgrade).toBeUndefined();
});

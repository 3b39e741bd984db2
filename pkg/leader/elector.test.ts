import { expect, test } from "vitest";
import { LeaseServer, statusError, type Carrier } from "../../test/harness/lease-server.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import type { Lease, LeaseSpec } from "../api/types/coordination-v1.gen.ts";
import { seededRandom } from "../clock/random.ts";
import { sleep } from "../clock/wait.ts";
import type { EventRecorder } from "../events/recorder.ts";
import { silentLogger } from "../log/logger.ts";
import type { Labels, Metrics } from "../metrics/metrics.ts";
import { createMetrics } from "../metrics/registry.ts";
import { LeaderElector, type ElectionOutcome, type ElectorOptions } from "./elector.ts";
import { LeaseLock } from "./lease-lock.ts";

const timing = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000 };

function leaseOf(spec: LeaseSpec, extra: Partial<Lease["metadata"]> = {}): Lease {
  return { metadata: { namespace: "kube-system", name: "kcm", resourceVersion: "0", ...extra }, spec };
}

interface Candidate {
  readonly elector: LeaderElector;
  readonly events: string[];
  readonly leaders: string[];
  readonly stop: (reason?: unknown) => void;
  readonly metrics: ReturnType<typeof createMetrics>["main"];
  outcome: ElectionOutcome | Error | undefined;
  leadSignal: AbortSignal | undefined;
  start(lead?: (signal: AbortSignal) => Promise<void>): void;
}

function candidate(
  clock: VirtualClock,
  server: LeaseServer,
  identity: string,
  options: Partial<ElectorOptions> & { carry?: Carrier; labels?: Labels } = {},
): Candidate {
  const events: string[] = [];
  const leaders: string[] = [];
  const recorder: EventRecorder = {
    event: (regarding, type, reason, message) =>
      void events.push(`${regarding.kind} ${regarding.metadata.name} ${type} ${reason} ${message}`),
    eventWithAnnotations: () => undefined,
  };
  const controller = new AbortController();
  const metrics = createMetrics({ version: "1.36.4" }).main;
  const { carry, labels, ...rest } = options;
  const client = server.client(carry);
  const lock = new LeaseLock({
    client,
    namespace: "kube-system",
    name: "kcm",
    identity,
    events: recorder,
    ...(labels === undefined ? {} : { labels }),
  });
  const elector = new LeaderElector({
    name: "kcm",
    lock,
    timing,
    releaseOnStop: true,
    clock,
    random: seededRandom(7),
    log: silentLogger,
    metrics,
    onNewLeader: (leader) => void leaders.push(leader),
    ...rest,
  });
  const result: Candidate = {
    elector,
    events,
    leaders,
    metrics,
    stop: (reason) => controller.abort(reason),
    outcome: undefined,
    leadSignal: undefined,
    start: (lead = untilAborted) => {
      const run = elector.run(async (signal) => {
        result.leadSignal = signal;
        await lead(signal);
      }, controller.signal);
      run.then(
        (outcome) => (result.outcome = outcome),
        (error: unknown) => (result.outcome = error as Error),
      );
    },
  };
  return result;
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

async function gauge(
  metrics: Metrics & { expose(): Promise<string> },
  name: string,
): Promise<number | undefined> {
  const value = new RegExp(`^${name}\\{name="kcm"\\} (\\S+)$`, "m").exec(await metrics.expose())?.[1];
  return value === undefined ? undefined : Number(value);
}

test.each([
  [
    { leaseDurationMs: 10, renewDeadlineMs: 10, retryPeriodMs: 2 },
    "leaseDuration must be greater than renewDeadline",
  ],
  [
    { leaseDurationMs: 15, renewDeadlineMs: 2.4, retryPeriodMs: 2 },
    "renewDeadline must be greater than retryPeriod*JitterFactor",
  ],
  [{ leaseDurationMs: 0, renewDeadlineMs: -1, retryPeriodMs: -2 }, "leaseDuration must be greater than zero"],
  [{ leaseDurationMs: 1, renewDeadlineMs: 0, retryPeriodMs: -2 }, "renewDeadline must be greater than zero"],
  [{ leaseDurationMs: 2, renewDeadlineMs: 1, retryPeriodMs: 0 }, "retryPeriod must be greater than zero"],
])("timing %j is refused: %s", (wrong, message) => {
  expect(() => candidate(new VirtualClock(), new LeaseServer(), "a", { timing: wrong })).toThrow(message);
});

test("an empty identity is refused", () => {
  expect(() => candidate(new VirtualClock(), new LeaseServer(), "")).toThrow("Lock identity is empty");
});

test("the first candidate creates the lease, with times of six digits, and leads", async () => {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1) + 0.25);
  const server = new LeaseServer();
  const a = candidate(clock, server, "a", { labels: { tier: "control" } });
  expect(await gauge(a.metrics, "leader_election_master_status")).toBe(0);
  a.start();
  await clock.runUntil(() => a.leadSignal !== undefined);
  expect(server.lease).toMatchObject({
    metadata: { namespace: "kube-system", name: "kcm", labels: { tier: "control" } },
    spec: {
      holderIdentity: "a",
      leaseDurationSeconds: 15,
      leaseTransitions: 0,
      acquireTime: "2026-01-01T00:00:00.000250Z",
      renewTime: "2026-01-01T00:00:00.000250Z",
    },
  });
  expect(server.requests).toEqual(["get", "create"]);
  expect(a.events).toEqual(["Lease kcm Normal LeaderElection a became leader"]);
  expect(a.leaders).toEqual(["a"]);
  expect(a.elector.isLeader()).toBe(true);
  expect(await gauge(a.metrics, "leader_election_master_status")).toBe(1);
});

test("the leader renews every retry period with one update and no read; acquireTime and foreign metadata stay", async () => {
  const clock = new VirtualClock();
  const server = new LeaseServer();
  server.lease = leaseOf(
    { holderIdentity: "" },
    { annotations: { note: "keep" }, labels: { other: "keep" } },
  );
  const a = candidate(clock, server, "a", { labels: { tier: "control" } });
  a.start();
  await clock.advanceBy(6_500);
  expect(server.requests).toEqual(["get", "update", "update", "update", "update"]);
  expect(server.lease.metadata.annotations).toEqual({ note: "keep" });
  expect(server.lease.metadata.labels).toEqual({ other: "keep", tier: "control" });
  expect(server.lease.spec).toMatchObject({
    acquireTime: "2026-01-01T00:00:00.000000Z",
    renewTime: "2026-01-01T00:00:06.000000Z",
    leaseTransitions: 1,
  });
  expect(await gauge(a.metrics, "leader_election_slowpath_total")).toBeUndefined();
});

test("a write by somebody else sends one renewal down the slow path, and the lease is kept", async () => {
  const clock = new VirtualClock();
  const server = new LeaseServer();
  const a = candidate(clock, server, "a");
  a.start();
  await clock.advanceBy(1_000);
  server.lease = {
    ...(server.lease as Lease),
    metadata: { ...server.lease?.metadata, resourceVersion: "99" },
  };
  server.requests.length = 0;
  await clock.advanceBy(4_000);
  expect(server.requests).toEqual(["update", "get", "update", "update"]);
  expect(server.lease.spec?.leaseTransitions).toBe(0);
  expect(await gauge(a.metrics, "leader_election_slowpath_total")).toBe(1);
  expect(a.elector.isLeader()).toBe(true);
});

interface Takeover {
  readonly name: string;
  readonly spec: LeaseSpec | undefined;
  readonly afterMs: number;
  readonly transitions: number;
}
test.each<Takeover>([
  { name: "no lease", spec: undefined, afterMs: 0, transitions: 0 },
  { name: "a lease without a spec", spec: {}, afterMs: 0, transitions: 1 },
  {
    name: "a lease given up",
    spec: { holderIdentity: "", leaseDurationSeconds: 1, leaseTransitions: 4 },
    afterMs: 0,
    transitions: 5,
  },
  { name: "a lease of no duration", spec: { holderIdentity: "bing" }, afterMs: 0, transitions: 1 },
  {
    name: "a lease of 3 s",
    spec: { holderIdentity: "bing", leaseDurationSeconds: 3 },
    afterMs: 3_000,
    transitions: 1,
  },
  {
    name: "a lease of 15 s",
    spec: { holderIdentity: "bing", leaseDurationSeconds: 15, leaseTransitions: 9 },
    afterMs: 15_000,
    transitions: 10,
  },
  {
    name: "a lease long expired by its own times",
    spec: { holderIdentity: "bing", leaseDurationSeconds: 15, renewTime: "2001-01-01T00:00:00.000000Z" },
    afterMs: 15_000,
    transitions: 1,
  },
])("$name is taken over after $afterMs ms of our own clock", async ({ spec, afterMs, transitions }) => {
  const clock = new VirtualClock();
  const server = new LeaseServer();
  if (spec !== undefined) server.lease = leaseOf(spec);
  const a = candidate(clock, server, "baz");
  a.start();
  await clock.runUntil(() => a.leadSignal !== undefined);
  expect(clock.monotonicMs()).toBeGreaterThanOrEqual(afterMs);
  expect(clock.monotonicMs()).toBeLessThanOrEqual(afterMs + timing.retryPeriodMs * 2.2);
  expect(server.lease?.spec).toMatchObject({ holderIdentity: "baz", leaseTransitions: transitions });
  expect(a.leaders.at(-1)).toBe("baz");
});

test("a leader that sees another one writes nothing from then on, however long its work takes to end", async () => {
  const clock = new VirtualClock();
  const server = new LeaseServer();
  const a = candidate(clock, server, "a");
  a.start(async (signal) => {
    await untilAborted(signal);
    await sleep(clock, 60_000);
  });
  await clock.advanceBy(1_000);
  server.lease = leaseOf({ holderIdentity: "b", leaseDurationSeconds: 15 }, { resourceVersion: "77" });
  await clock.runUntil(() => a.leadSignal?.aborted === true);
  expect(clock.monotonicMs()).toBeLessThanOrEqual(2_000);
  expect([a.elector.fence.canWrite(), a.outcome]).toEqual([false, undefined]);
  await clock.runUntil(() => a.outcome !== undefined);
  expect(a.outcome).toBe("lost");
});

test("the lease says no less than we count on: parts of a second are rounded up", async () => {
  const clock = new VirtualClock();
  const server = new LeaseServer();
  const a = candidate(clock, server, "a", { timing: { ...timing, leaseDurationMs: 15_500 } });
  a.start();
  await clock.runUntil(() => a.leadSignal !== undefined);
  expect(server.lease?.spec?.leaseDurationSeconds).toBe(16);
});

test("a candidate asks once in one to 2.2 retry periods, at odd times, while nobody tells it of changes", async () => {
  const clock = new VirtualClock();
  const server = new LeaseServer();
  server.lease = leaseOf({ holderIdentity: "bing", leaseDurationSeconds: 3_600 });
  const atMs: number[] = [];
  const carry: Carrier = async (_verb, effect) => {
    atMs.push(clock.monotonicMs());
    return effect();
  };
  candidate(clock, server, "a", { carry }).start();
  await clock.advanceBy(120_000);
  const gaps = atMs.slice(1).map((at, index) => at - (atMs[index] ?? 0));
  expect(gaps.length).toBeGreaterThanOrEqual(120_000 / 4_400 - 1);
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(2_000);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(4_400);
  expect(new Set(gaps).size).toBeGreaterThan(gaps.length / 2);
});

test("a candidate asks when the lease runs out, though its next turn would be later", async () => {
  const clock = new VirtualClock();
  const server = new LeaseServer();
  server.lease = leaseOf({ holderIdentity: "bing", leaseDurationSeconds: 1 });
  const a = candidate(clock, server, "a");
  a.start();
  await clock.runUntil(() => a.leadSignal !== undefined);
  expect(clock.monotonicMs()).toBe(1_000);
});

test("an abort before the start asks for nothing", async () => {
  const clock = new VirtualClock();
  const server = new LeaseServer();
  // Were it to try all the same, it would do so again and again, with no end: each time asks for chance.
  const again = (): never => expect.unreachable("it has tried");
  const a = candidate(clock, server, "a", { random: { next: again } });
  a.stop();
  a.start();
  await clock.advanceBy(0);
  expect(a.outcome).toBe("stopped");
  expect(server.requests).toEqual([]);
  expect(clock.pendingTimers).toBe(0);
});

test("an abort while the lease is won ends the work at once, and gives the lease back", async () => {
  const clock = new VirtualClock();
  const server = new LeaseServer();
  const carry: Carrier = async (verb, effect) => {
    if (verb === "create") a.stop(new Error("enough"));
    return effect();
  };
  const a = candidate(clock, server, "a", { carry });
  a.start();
  await clock.advanceBy(0);
  expect(a.leadSignal?.aborted).toBe(true);
  await clock.runUntil(() => a.outcome !== undefined);
  expect(a.outcome).toBe("stopped");
  expect(server.lease?.spec?.holderIdentity).toBe("");
});

test("a candidate waits while the leader renews, whatever the wall clocks say", async () => {
  const clock = new VirtualClock();
  const server = new LeaseServer();
  const a = candidate(clock, server, "a");
  const b = candidate(clock, server, "b");
  a.start();
  await clock.advanceBy(100);
  b.start();
  for (const jumpMs of [3_600_000, -7_200_000, 86_400_000]) {
    await clock.advanceBy(20_000);
    clock.jumpWallClock(jumpMs);
  }
  await clock.advanceBy(20_000);
  expect(a.elector.isLeader()).toBe(true);
  expect(a.elector.fence.canWrite()).toBe(true);
  expect(b.leadSignal).toBeUndefined();
  expect(b.elector.leader()).toBe("a");
  expect(b.leaders).toEqual(["a"]);
  expect(b.elector.fence.canWrite()).toBe(false);
});

test("a stop ends the work first, renewing all the while, then empties the lease; the next leads at once", async () => {
  const clock = new VirtualClock();
  const server = new LeaseServer();
  const a = candidate(clock, server, "a");
  const b = candidate(clock, server, "b");
  a.start(async (signal) => {
    await untilAborted(signal);
    await sleep(clock, 40_000);
  });
  await clock.advanceBy(1_000);
  b.start();
  a.stop();
  await clock.advanceBy(39_000);
  expect(a.leadSignal?.aborted).toBe(true);
  expect(a.elector.fence.canWrite()).toBe(true);
  expect(b.leadSignal).toBeUndefined();
  await clock.runUntil(() => a.outcome !== undefined);
  expect(a.outcome).toBe("stopped");
  expect(a.elector.fence.canWrite()).toBe(false);
  expect(server.lease?.spec).toMatchObject({
    holderIdentity: "",
    leaseDurationSeconds: 1,
    leaseTransitions: 0,
  });
  const releasedMs = clock.monotonicMs();
  await clock.runUntil(() => b.leadSignal !== undefined);
  expect(clock.monotonicMs() - releasedMs).toBeLessThanOrEqual(4_400);
  expect(server.lease?.spec).toMatchObject({ holderIdentity: "b", leaseTransitions: 1 });
  expect(a.events.at(-1)).toContain("a stopped leading");
  expect(await gauge(a.metrics, "leader_election_master_status")).toBe(0);
});

test("without releaseOnStop the lease is left to expire", async () => {
  const clock = new VirtualClock();
  const server = new LeaseServer();
  const a = candidate(clock, server, "a", { releaseOnStop: false });
  a.start();
  await clock.advanceBy(1_000);
  a.stop();
  await clock.runUntil(() => a.outcome !== undefined);
  expect(server.lease?.spec?.holderIdentity).toBe("a");
  expect(a.elector.fence.canWrite()).toBe(false);
});

test("a release leaves the lease of another holder alone", async () => {
  const clock = new VirtualClock();
  const server = new LeaseServer();
  const a = candidate(clock, server, "a");
  a.start();
  await clock.advanceBy(1_000);
  const taken = leaseOf({ holderIdentity: "b", leaseDurationSeconds: 15 }, { resourceVersion: "77" });
  server.lease = taken;
  a.stop();
  await clock.runUntil(() => a.outcome !== undefined);
  expect(server.lease).toBe(taken);
});

test("a leader that cannot renew stops writing at the renew deadline, and leading soon after", async () => {
  const clock = new VirtualClock();
  const server = new LeaseServer();
  let isDown = false;
  const carry: Carrier = async (_verb, effect) => {
    if (isDown) throw statusError(500, "InternalError", "GET");
    return effect();
  };
  const a = candidate(clock, server, "a", { carry });
  a.start();
  await clock.advanceBy(4_000);
  isDown = true;
  await clock.advanceBy(9_999);
  const { signal } = a.elector.fence;
  expect([a.elector.fence.canWrite(), signal.aborted]).toEqual([true, false]);
  await clock.advanceBy(1);
  expect([a.elector.fence.canWrite(), signal.aborted]).toEqual([false, true]);
  expect(a.leadSignal?.aborted).toBe(false);
  await clock.advanceBy(2_000);
  expect(a.outcome).toBe("lost");
  expect(String(a.leadSignal?.reason)).toContain("leader election lost: kube-system/kcm");
});

test("a wall clock set forward closes the fence until the next renewal, one set back changes nothing", async () => {
  const clock = new VirtualClock();
  const a = candidate(clock, new LeaseServer(), "a");
  a.start();
  await clock.advanceBy(4_500);
  clock.jumpWallClock(-3_600_000);
  expect(a.elector.fence.canWrite()).toBe(true);
  clock.jumpWallClock(7_200_000);
  expect(a.elector.fence.canWrite()).toBe(false);
  await clock.advanceBy(1_500);
  expect(a.elector.fence.canWrite()).toBe(true);
  expect(a.elector.isLeader()).toBe(true);
});

test("an outage shorter than the renew deadline goes unnoticed by the work", async () => {
  const clock = new VirtualClock();
  const server = new LeaseServer();
  let isDown = false;
  const carry: Carrier = async (_verb, effect) => {
    if (isDown) throw statusError(500, "InternalError", "GET");
    return effect();
  };
  const a = candidate(clock, server, "a", { carry });
  a.start();
  await clock.advanceBy(4_000);
  isDown = true;
  await clock.advanceBy(9_000);
  isDown = false;
  await clock.advanceBy(1_000);
  expect(a.elector.fence.canWrite()).toBe(true);
  await clock.advanceBy(30_000);
  expect(a.elector.fence.canWrite()).toBe(true);
  expect(a.leadSignal?.aborted).toBe(false);
});

test("requests that hang are given up in time for another try", async () => {
  const clock = new VirtualClock();
  const server = new LeaseServer();
  let isHanging = false;
  const carry: Carrier = async (_verb, effect, signal) => {
    if (isHanging) await sleep(clock, 1e9, signal);
    return effect();
  };
  const a = candidate(clock, server, "a", { carry });
  a.start();
  await clock.advanceBy(3_000);
  isHanging = true;
  await clock.advanceBy(2_000);
  isHanging = false;
  // The one that hangs began after 4 s: half of the deadline is its own, and the other half for another.
  await clock.advanceBy(12_000);
  expect([a.elector.isLeader(), a.outcome]).toEqual([true, undefined]);
  isHanging = true;
  await clock.advanceBy(15_000);
  expect(a.outcome).toBe("lost");
  expect(clock.pendingTimers).toBe(0);
});

test.each(["b", ""])(
  "a leader that finds the lease held by %j ends and does not win it back",
  async (holder) => {
    const clock = new VirtualClock();
    const server = new LeaseServer();
    const a = candidate(clock, server, "a");
    a.start();
    await clock.advanceBy(1_000);
    const taken = leaseOf({ holderIdentity: holder, leaseDurationSeconds: 1 }, { resourceVersion: "77" });
    server.lease = taken;
    await clock.advanceBy(1_000);
    expect(a.elector.fence.canWrite()).toBe(false);
    expect(a.outcome).toBe("lost");
    expect(server.lease).toBe(taken);
  },
);

test("a lease that was deleted is created again", async () => {
  const clock = new VirtualClock();
  const server = new LeaseServer();
  const a = candidate(clock, server, "a");
  a.start();
  await clock.advanceBy(1_000);
  server.lease = undefined;
  await clock.advanceBy(1_500);
  expect(a.elector.isLeader()).toBe(true);
  expect((server.lease as Lease | undefined)?.spec?.holderIdentity).toBe("a");
});

test("a failure of the work is passed on after the lease was released", async () => {
  const clock = new VirtualClock();
  const server = new LeaseServer();
  const a = candidate(clock, server, "a");
  const failure = new Error("no such controller");
  a.start(async () => {
    await sleep(clock, 5_000);
    throw failure;
  });
  await clock.runUntil(() => a.outcome !== undefined);
  expect(a.outcome).toBe(failure);
  expect(server.lease?.spec?.holderIdentity).toBe("");
});

test("stopping a candidate that never led leaves the lease as it is", async () => {
  const clock = new VirtualClock();
  const server = new LeaseServer();
  server.lease = leaseOf({ holderIdentity: "other", leaseDurationSeconds: 15 });
  const a = candidate(clock, server, "a");
  a.start();
  await clock.advanceBy(3_000);
  a.stop();
  await clock.advanceBy(1);
  expect(a.outcome).toBe("stopped");
  expect(server.lease.spec?.holderIdentity).toBe("other");
  expect(a.events).toEqual([]);
  expect(clock.pendingTimers).toBe(0);
});

test("health fails only for a leader that has not renewed for a lease duration and the tolerance", async () => {
  const clock = new VirtualClock();
  const server = new LeaseServer();
  let isStuck = false;
  const stuck: Carrier = async (_verb, effect) => (isStuck ? new Promise(() => undefined) : effect());
  const a = candidate(clock, server, "a", { carry: stuck });
  const b = candidate(clock, server, "b");
  a.start();
  await clock.advanceBy(1_000);
  b.start();
  isStuck = true;
  await clock.advanceBy(34_000);
  expect(a.elector.checkHealth()).toBeUndefined();
  await clock.advanceBy(2_000);
  expect(String(a.elector.checkHealth())).toContain("failed election to renew leadership on lease kcm");
  expect(a.elector.fence.canWrite()).toBe(false);
  expect(b.elector.checkHealth()).toBeUndefined();
});

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type RankedPod,
  type RankingOptions,
  byDeletionOrder,
  deletionCost,
  podDeletionCostAnnotation,
} from "./pod-ranking.ts";
import { formatTime } from "./time.ts";
import type { ContainerStatus, Pod } from "./types/core-v1.gen.ts";

const hourMs = 3_600_000;
const nowMs = Date.UTC(2026, 10, 18, 12);
const options: RankingOptions<Pod> = { nowMs, costOf: deletionCost, logarithmicAges: true };
const now = formatTime(nowMs);
const monthAgo = formatTime(Date.UTC(2026, 9, 18, 12));
const hoursAgo = (hours: number): string => formatTime(nowMs - hours * hourMs);

interface Facts {
  readonly node?: string;
  readonly phase?: string;
  /** Present: ready, since then, or since an unknown time (null). */
  readonly ready?: string | null;
  readonly created?: string;
  readonly restarts?: number;
  readonly sidecarRestarts?: number;
  readonly cost?: string;
  readonly uid?: string;
}

function statusOf(name: string, restartCount: number): ContainerStatus {
  return { name, image: "", imageID: "", ready: true, restartCount };
}

function pod(name: string, facts: Facts): Pod {
  const {
    node = "node",
    phase = "Running",
    ready,
    created,
    cost,
    uid,
    restarts = 0,
    sidecarRestarts = 0,
  } = facts;
  return {
    metadata: {
      name,
      ...(uid !== undefined && { uid }),
      ...(created !== undefined && { creationTimestamp: created }),
      ...(cost !== undefined && { annotations: { [podDeletionCostAnnotation]: cost } }),
    },
    spec: { containers: [], nodeName: node, initContainers: [{ name: "sidecar", restartPolicy: "Always" }] },
    status: {
      phase,
      ...(ready !== undefined && {
        conditions: [{ type: "Ready", status: "True", lastTransitionTime: ready }],
        containerStatuses: [statusOf("main", restarts)],
        initContainerStatuses: [statusOf("sidecar", sidecarRestarts), statusOf("init", 99)],
      }),
    },
  };
}

const unscheduled = pod("unscheduled", { node: "", phase: "Pending" });
const pending = pod("pending", { phase: "Pending" });
const unknown = pod("unknown-phase", { phase: "Unknown" });
const notReady = pod("not-ready", {});
const readySinceUnknown = pod("ready-no-last-transition-time", { ready: null });
const readyNow = pod("ready-now", { ready: now, created: now });
const readyThen = pod("ready-then", { ready: monthAgo, created: monthAgo });
const restarted = pod("ready-high-restarts", { ready: now, created: now, restarts: 9001 });
const restartedSidecar = pod("ready-high-restarts", {
  ready: now,
  created: now,
  restarts: 9001,
  sidecarRestarts: 9001,
});
const createdThen = pod("ready-now-created-then", { ready: now, created: monthAgo });
const cheap = pod("low-deletion-cost", { ready: now, created: monthAgo, cost: "10" });
const dear = pod("high-deletion-cost", { ready: now, created: monthAgo, cost: "100" });
const unscheduled5h = pod("unscheduled-5-hours", { node: "", phase: "Pending", created: hoursAgo(5) });
const unscheduled8h = pod("unscheduled-8-hours", { node: "", phase: "Pending", created: hoursAgo(8) });
const ready2h = pod("ready-2-hours", { node: "", ready: hoursAgo(2), created: monthAgo });
const ready5h = pod("ready-5-hours", { node: "", ready: hoursAgo(5), created: monthAgo });
const ready8h = pod("ready-8-hours", { node: "", ready: hoursAgo(8), created: monthAgo });

function compare(a: RankedPod<Pod>, b: RankedPod<Pod>, changed: Partial<RankingOptions<Pod>> = {}): number {
  return Math.sign(byDeletionOrder({ ...options, ...changed })(a, b));
}

describe("deletion order", () => {
  test.each([unscheduled, pending, unknown, notReady, createdThen, readyNow, readyThen, restarted])(
    "$metadata.name equals itself",
    (each) => expect(compare({ pod: each, rank: 1 }, { pod: each, rank: 1 })).toBe(0),
  );

  test.each([
    [unscheduled5h, unscheduled8h],
    [ready5h, ready8h],
  ])("ages within a power of two are equal: $metadata.name", (a, b) => {
    expect(compare({ pod: a, rank: 1 }, { pod: b, rank: 1 })).toBe(0);
  });

  test.for<[Pod, number, Pod, number, Partial<RankingOptions<Pod>>?]>([
    [unscheduled, 1, pending, 2],
    [unscheduled, 2, pending, 1],
    [pending, 1, unknown, 2],
    [unknown, 1, notReady, 2],
    [notReady, 1, readySinceUnknown, 1],
    [readySinceUnknown, 1, readyNow, 1],
    [readyNow, 2, readySinceUnknown, 1],
    [readyNow, 1, readyThen, 1],
    [readyNow, 2, readyThen, 1],
    [restarted, 1, readyNow, 1],
    [restartedSidecar, 1, restarted, 1],
    [readyNow, 2, restarted, 1],
    [readyNow, 1, createdThen, 1],
    [createdThen, 2, readyNow, 1],
    [cheap, 2, dear, 1],
    [dear, 2, cheap, 1, { costOf: () => 0 }],
    [ready2h, 1, ready5h, 1],
    [ready5h, 1, ready8h, 1, { logarithmicAges: false }],
    [unscheduled5h, 1, unscheduled8h, 1, { logarithmicAges: false }],
  ])("$metadata.name (%d) goes before $metadata.name (%d)", ([first, firstRank, then, thenRank, changed]) => {
    const [a, b] = [
      { pod: first, rank: firstRank },
      { pod: then, rank: thenRank },
    ];
    expect([compare(a, b, changed), compare(b, a, changed)]).toEqual([-1, 1]);
  });

  test("equal age buckets fall back to uids", () => {
    const [a, b] = [pod("a", { ready: hoursAgo(5), uid: "1" }), pod("b", { ready: hoursAgo(8), uid: "2" })];
    expect(compare({ pod: a, rank: 1 }, { pod: b, rank: 1 })).toBe(-1);
    expect(compare({ pod: b, rank: 1 }, { pod: a, rank: 1 })).toBe(1);
  });

  test.each(["+10", "010", "1.5", "", "x", "2147483648", "-2147483649"])(
    "a cost of %j counts as 0",
    (cost) => {
      const [bad, free] = [pod("bad", { cost }), pod("free", {})];
      expect(compare({ pod: bad, rank: 1 }, { pod: free, rank: 1 })).toBe(0);
    },
  );

  test.each([
    ["-1", "0"],
    ["-2147483648", "-2147483647"],
    ["-05", "-4"],
    ["2147483646", "2147483647"],
  ])("a cost of %s is less than one of %s", (less, more) => {
    const [a, b] = [pod("a", { cost: less }), pod("b", { cost: more })];
    expect(compare({ pod: a, rank: 1 }, { pod: b, rank: 1 })).toBe(-1);
  });
});

test("shuffled pods are sorted into one order", () => {
  const ready = (name: string, facts: Facts): Pod => pod(name, { ready: monthAgo, ...facts });
  const order = [
    unscheduled,
    pending,
    unknown,
    notReady,
    ready("since unknown", { ready: null, restarts: 3 }),
    ready("since now", { ready: now, restarts: 3 }),
    ready("for long", { restarts: 3 }),
    ready("fewer restarts, sidecar restarted", { created: now, restarts: 2, sidecarRestarts: 2 }),
    ready("fewer restarts", { created: now, restarts: 2 }),
    ready("oldest", { created: monthAgo, restarts: 2 }),
  ].map((each) => ({ pod: each, rank: 0 }));
  fc.assert(
    fc.property(fc.shuffledSubarray(order, { minLength: order.length }), (shuffled) => {
      expect(shuffled.toSorted(byDeletionOrder(options)).map((each) => each.pod.metadata.name)).toEqual(
        order.map((each) => each.pod.metadata.name),
      );
    }),
  );
});

import { describe, expect, test } from "vitest";
import { formatMicroTime, formatTime } from "../../pkg/api/time.ts";
import type { Node } from "../../pkg/api/types/core-v1.gen.ts";
import { stored } from "../../test/harness/stored.ts";
import { type HealthReport, isRenewed, isSilent, lookAtHealth, type NodeHealth } from "./node-health.ts";
import { settings } from "./samples.test-data.ts";
import { conditionsOfSilent, silentStatus } from "./silent-status.ts";

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;

interface Sight {
  /** When it is looked at, and when the Ready condition and the Lease say that they were made; the first two in ms. */
  readonly atMs: number;
  readonly ready?: number | null;
  readonly lease?: number | null;
  readonly version?: string;
}

const TEN_YEARS_AGO = -10 * YEAR_MS;

/** What one look after the other makes of a node. */
function looks(createdMs: number, ...sights: readonly Sight[]): HealthReport {
  let before: NodeHealth | undefined;
  let report: HealthReport | undefined;
  for (const { atMs, ready, lease, version = "1" } of sights) {
    report = lookAtHealth(
      {
        node: stored(nodeWith(createdMs, ready ?? null, version)),
        createdMs,
        lease: lease === null || lease === undefined ? undefined : { renewTime: formatMicroTime(lease) },
        before,
        nowMs: atMs,
      },
      settings,
    );
    before = report.health;
  }
  if (report === undefined) throw new Error("nobody looked");
  return report;
}

function nodeWith(createdMs: number, heartbeatMs: number | null, resourceVersion = "1"): Node {
  const time = heartbeatMs === null ? undefined : formatTime(heartbeatMs);
  const metadata = { name: "node0", uid: "node0", resourceVersion, creationTimestamp: formatTime(createdMs) };
  if (time === undefined) return { metadata };
  return {
    metadata,
    status: {
      conditions: [{ type: "Ready", status: "True", lastHeartbeatTime: time, lastTransitionTime: time }],
    },
  };
}

describe("a node is silent", () => {
  // upstream: pkg/controller/nodelifecycle/node_lifecycle_controller_test.go#TestMonitorNodeHealthUpdateStatus
  test.each<[string, boolean, number, readonly Sight[]]>([
    ["when it was made long ago and has no status", true, TEN_YEARS_AGO, [{ atMs: 0 }]],
    ["not when it was made just now, without status", false, 0, [{ atMs: 0 }]],
    [
      "when its status is as it was an hour ago",
      true,
      TEN_YEARS_AGO,
      [
        { atMs: 0, ready: 0 },
        { atMs: HOUR_MS, ready: 0 },
      ],
    ],
    ["not when its status was posted just now", false, TEN_YEARS_AGO, [{ atMs: 0, ready: 0 }]],
  ])("%s", (_, expected, createdMs, sights) => {
    expect(isSilent(looks(createdMs, ...sights))).toBe(expected);
  });

  // upstream: …#TestMonitorNodeHealthUpdateNodeAndPodStatusWithLease
  test.each<[string, boolean, number, readonly Sight[]]>([
    ["not when made just now, without status and Lease", false, 0, [{ atMs: 0, lease: null }]],
    ["not when made just now, without status, the Lease new", false, 0, [{ atMs: 0, lease: 0 }]],
    ["when made long ago, without status and Lease", true, TEN_YEARS_AGO, [{ atMs: 0, lease: null }]],
    [
      "not when made long ago, without status, the Lease renewed",
      false,
      TEN_YEARS_AGO,
      [
        { atMs: 0, lease: 0 },
        { atMs: HOUR_MS, lease: HOUR_MS },
      ],
    ],
    [
      "when made long ago, without status, the Lease not renewed",
      true,
      TEN_YEARS_AGO,
      [
        { atMs: 0, lease: 0 },
        { atMs: HOUR_MS, lease: 0 },
      ],
    ],
    [
      "not when its status is old and its Lease is renewed",
      false,
      TEN_YEARS_AGO,
      [
        { atMs: 0, ready: 0, lease: 0 },
        { atMs: HOUR_MS, ready: 0, lease: HOUR_MS },
      ],
    ],
    [
      "not when its status is new and its Lease is old",
      false,
      TEN_YEARS_AGO,
      [
        { atMs: 0, ready: 0, lease: 0 },
        { atMs: HOUR_MS, ready: HOUR_MS, lease: 0, version: "2" },
      ],
    ],
    [
      "when both are old",
      true,
      TEN_YEARS_AGO,
      [
        { atMs: 0, ready: 0, lease: 0 },
        { atMs: HOUR_MS, ready: 0, lease: 0 },
      ],
    ],
  ])("%s", (_, expected, createdMs, sights) => {
    expect(isSilent(looks(createdMs, ...sights))).toBe(expected);
  });

  // upstream: …#TestTryUpdateNodeHealth
  test.each<[string, number, Sight, boolean]>([
    ["with a Ready condition", 0, { atMs: 0, ready: 0 }, false],
    ["without one", 0, { atMs: 0 }, false],
    ["with an old Ready condition, which is new to us", -YEAR_MS, { atMs: 0, ready: -YEAR_MS }, false],
    ["without one, for long", -YEAR_MS, { atMs: 0 }, true],
  ])("by what is known of it: %s", (_, createdMs, sight, expected) => {
    const report = looks(createdMs, sight);
    expect(isSilent(report)).toBe(expected);
    expect(report.health.ready === undefined).toBe(sight.ready === undefined);
  });

  test.each([
    [50_000, false],
    [50_001, true],
  ])("after its grace period and not at the end of it (%i ms)", (atMs, expected) => {
    expect(isSilent(looks(0, { atMs: 0, ready: 0 }, { atMs, ready: 0 }))).toBe(expected);
  });

  test.each([
    [60_000, false],
    [60_001, true],
  ])("later, if it has never said how it is (%i ms)", (atMs, expected) => {
    expect(isSilent(looks(0, { atMs: 0 }, { atMs }))).toBe(expected);
  });
});

describe("a sign of life", () => {
  test("is a heartbeat that differs, even one that is earlier: clocks of nodes may jump", () => {
    const report = looks(0, { atMs: 0, ready: HOUR_MS }, { atMs: 40_000, ready: 0, version: "2" });
    expect(report.silentMs).toBe(0);
  });

  test("is no heartbeat of a version before the last that was read", () => {
    const sights = [
      { atMs: 0, ready: 0, version: "5" },
      { atMs: 40_000, ready: 40_000, version: "10" },
      { atMs: 60_000, ready: 0, version: "5" },
    ];
    expect(looks(0, ...sights).silentMs).toBe(20_000);
  });

  test("is the first status after none", () => {
    expect(looks(0, { atMs: 0 }, { atMs: 55_000, ready: 0 }).silentMs).toBe(0);
  });

  test("is no status that is gone again", () => {
    const report = looks(0, { atMs: 0, ready: 0 }, { atMs: 30_000 });
    expect(report).toMatchObject({ silentMs: 30_000, graceMs: 60_000 });
  });

  test("of a new heartbeat counts once more with the Lease, as upstream has it", () => {
    const first = { atMs: 0, ready: 0, lease: 0 };
    const second = { atMs: 5_000, ready: 5_000, lease: 0, version: "2" };
    expect(looks(0, first, second, { ...second, atMs: 10_000 }).silentMs).toBe(0);
    expect(looks(0, first, second, { ...second, atMs: 10_000 }, { ...second, atMs: 15_000 }).silentMs).toBe(
      5_000,
    );
  });

  test.each<[string, boolean, NodeHealth["lease"], NodeHealth["lease"]]>([
    ["no Lease", false, undefined, undefined],
    ["the first Lease", true, undefined, lease("2026-01-01T00:00:00.000000Z")],
    ["the first Lease, without a time", true, undefined, lease(undefined)],
    ["the same Lease", false, lease("2026-01-01T00:00:00.000000Z"), lease("2026-01-01T00:00:00.000000Z")],
    ["a microsecond later", true, lease("2026-01-01T00:00:00.000000Z"), lease("2026-01-01T00:00:00.000001Z")],
    ["earlier", false, lease("2026-01-01T00:00:01.000000Z"), lease("2026-01-01T00:00:00.000000Z")],
    [
      "the same time, written otherwise",
      false,
      lease("2026-01-01T00:00:00.000000Z"),
      lease("2026-01-01T01:00:00.000000+01:00"),
    ],
    ["a time after none", true, lease(undefined), lease("2026-01-01T00:00:00.000000Z")],
    ["no time after one", false, lease("2026-01-01T00:00:00.000000Z"), lease(null)],
  ])("is a Lease that was renewed: %s", (_, expected, before, after) => {
    expect(isRenewed(before, after)).toBe(expected);
  });

  function lease(renewTime: string | null | undefined): NodeHealth["lease"] {
    return { renewTime };
  }
});

describe("what is written of a silent node", () => {
  const createdMs = Date.UTC(2012, 0, 1);
  const nowMs = Date.UTC(2015, 0, 1, 13);
  const never = (type: string) => ({
    type,
    status: "Unknown",
    reason: "NodeStatusNeverUpdated",
    message: "Kubelet never posted node status.",
    lastHeartbeatTime: "2012-01-01T00:00:00Z",
    lastTransitionTime: "2015-01-01T13:00:00Z",
  });
  const stopped = (type: string) => ({
    type,
    status: "Unknown",
    reason: "NodeStatusUnknown",
    message: "Kubelet stopped posting node status.",
    lastTransitionTime: "2015-01-01T13:00:00Z",
  });

  // upstream: …#TestMonitorNodeHealthUpdateStatus, …#TestMonitorNodeHealthUpdateNodeAndPodStatusWithLease
  test("all conditions of a kubelet, where it has posted none", () => {
    const types = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"];
    expect(conditionsOfSilent(nodeWith(createdMs, null), nowMs)).toEqual(types.map(never));
  });

  test("those that it has posted keep their heartbeat", () => {
    const node = nodeWith(createdMs, Date.UTC(2015, 0, 1, 12));
    expect(conditionsOfSilent(node, nowMs)).toEqual([
      stopped("Ready"),
      ...["MemoryPressure", "DiskPressure", "PIDPressure"].map(never),
    ]);
  });

  test("in the order in which the node has them, what is new behind them", () => {
    const types = ["DiskPressure", "example.com/Gpu", "Ready"];
    const conditions = types.map((type) => ({ type, status: "True" }));
    const status = silentStatus({ ...nodeWith(createdMs, null), status: { conditions } }, nowMs);
    expect(status?.conditions).toEqual([
      stopped("DiskPressure"),
      stopped("Ready"),
      never("MemoryPressure"),
      never("PIDPressure"),
    ]);
    const order = status?.["$setElementOrder/conditions"].map(({ type }) => type);
    expect(order).toEqual([...types, "MemoryPressure", "PIDPressure"]);
    const unknown = [{ type: "Ready", status: "Unknown" }];
    expect(
      silentStatus({ ...nodeWith(createdMs, null), status: { conditions: unknown } }, nowMs),
    ).toBeUndefined();
  });

  test("nothing when it is known", () => {
    const node = {
      ...nodeWith(createdMs, null),
      status: { conditions: [{ type: "Ready", status: "Unknown" }] },
    };
    expect(conditionsOfSilent(node, nowMs)).toEqual([]);
  });

  test("nothing of conditions that are unknown already", () => {
    const conditions = [
      { type: "Ready", status: "False" },
      { type: "DiskPressure", status: "Unknown" },
    ];
    const written = conditionsOfSilent({ ...nodeWith(createdMs, null), status: { conditions } }, nowMs);
    expect(written.map(({ type }) => type)).toEqual(["Ready", "MemoryPressure", "PIDPressure"]);
  });
});

import { expect, test } from "vitest";
import type { DeviceTaint, DeviceToleration } from "../../pkg/api/types/resource-v1.gen.ts";
import { claimEviction, dueTime, toleratesDevice } from "./eviction-plan.ts";

const ADDED_MS = Date.UTC(2026, 0, 1);
const taint: DeviceTaint = {
  key: "a",
  value: "b",
  effect: "NoExecute",
  timeAdded: "2026-01-01T00:00:00Z",
};
const exact = { key: "a", value: "b", effect: "NoExecute" };
const exists = { key: "a", operator: "Exists", effect: "NoExecute" };

// upstream: staging/src/k8s.io/dynamic-resource-allocation/resourceclaim/devicetoleration_test.go#TestToleratesTaint
test.each<[string, boolean, DeviceToleration]>([
  ["that is the same", true, exact],
  ["that says so", true, { ...exact, operator: "Equal" }],
  ["of any value", true, exists],
  ["of any effect", true, { key: "a", operator: "Exists" }],
  ["of any key", true, { operator: "Exists" }],
  ["of another effect", false, { ...exists, effect: "NoSchedule" }],
  ["of another key", false, { ...exists, key: "x" }],
  ["of another value", false, { ...exact, value: "x" }],
  ["without a value", false, { key: "a", effect: "NoExecute" }],
  ["of an operator of later times", false, { ...exact, operator: "Lt" }],
])("a toleration %s covers the taint: %s", (_, expected, toleration) => {
  expect(toleratesDevice(toleration, taint)).toBe(expected);
});

// upstream: pkg/controller/devicetainteviction/device_taint_eviction_test.go#TestController, the cases of tolerations
test.each<[string, number | undefined, readonly DeviceToleration[]]>([
  ["is at once without tolerations", 0, []],
  ["is at once where none covers it", 0, [{ ...exists, key: "x" }]],
  ["is later with a time", 60, [{ ...exists, tolerationSeconds: 60 }]],
  [
    "is the first of several",
    30,
    [
      { ...exists, tolerationSeconds: 60 },
      { ...exact, tolerationSeconds: 30 },
    ],
  ],
  ["is at once with no time", 0, [{ ...exists, tolerationSeconds: 0 }]],
  ["is at once with less than none", 0, [{ ...exists, tolerationSeconds: -5 }]],
  ["is never without a limit", undefined, [exists]],
  ["is never where one of several has none", undefined, [{ ...exists, tolerationSeconds: 1 }, exact]],
  ["is never where all effects are tolerated", undefined, [{ operator: "Exists" }]],
  ["is as late as is said", 1e9, [{ ...exists, tolerationSeconds: 1_000_000_000n }]],
])("the end %s", (_, seconds, tolerations) => {
  expect(dueTime(taint, tolerations)).toBe(seconds === undefined ? undefined : ADDED_MS + seconds * 1_000);
});

test("of several devices of a claim the first time counts", () => {
  const device = { request: "r", driver: "d", pool: "p" };
  const within = (tolerationSeconds: number) => [{ ...exists, tolerationSeconds }];
  const results = [
    { ...device, device: "a", tolerations: within(60) },
    { ...device, device: "b", tolerations: within(30) },
    { ...device, device: "c", tolerations: within(90) },
  ];
  const claim = {
    metadata: { name: "claim" },
    spec: {},
    status: { allocation: { devices: { results } } },
  };
  expect(claimEviction(claim, { taintsOf: () => [{ taint }] })).toEqual({
    dueMs: ADDED_MS + 30_000,
    rules: new Set(),
  });
});

import { expect, test } from "vitest";
import { type Filling, SliceEfficiency } from "./slice-efficiency.ts";

const efficient: readonly Filling[] = [
  { endpoints: 45, slices: 1 },
  { endpoints: 35, slices: 1 },
];
const inefficient: readonly Filling[] = [
  { endpoints: 12, slices: 5 },
  { endpoints: 18, slices: 8 },
];

// upstream: endpointslice/metrics/cache_test.go#TestNumEndpointsAndSlices
// upstream: pkg/controller/endpointslicemirroring/metrics/cache_test.go#TestNumEndpointsAndSlices
test.each([0, 1] as const)("sums follow what owners come to, at least %i slices each", (least) => {
  const efficiency = new SliceEfficiency(100, least);
  const expectTotals = (desiredSlices: number, slices: number, endpoints: number): void => {
    expect(efficiency.totals()).toEqual({ desiredSlices, slices, endpoints });
  };
  efficiency.set("ns1/svc1", inefficient);
  expectTotals(2, 13, 30);
  efficiency.set("ns1/svc2", efficient);
  expectTotals(4, 15, 110);
  efficiency.set("ns1/svc3", inefficient);
  expectTotals(6, 28, 140);
  efficiency.set("ns1/svc1", efficient);
  expectTotals(6, 17, 190);
  efficiency.delete("ns1/svc3");
  expectTotals(4, 4, 160);
  efficiency.delete("ns1/svc3");
  expectTotals(4, 4, 160);
});

// upstream: endpointslice/metrics/cache_test.go#TestPlaceHolderSlice
test.each([
  [1, 1],
  [0, 0],
] as const)("an owner without endpoints needs a placeholder, or nothing: %i", (least, desiredSlices) => {
  const efficiency = new SliceEfficiency(100, least);
  efficiency.set("ns1/svc1", [
    { endpoints: 0, slices: 1 },
    { endpoints: 0, slices: 1 },
  ]);
  expect(efficiency.totals()).toEqual({ desiredSlices, slices: 2, endpoints: 0 });
});

test("the last slice need not be full", () => {
  const efficiency = new SliceEfficiency(100, 1);
  efficiency.set("a", [{ endpoints: 101, slices: 2 }]);
  expect(efficiency.totals().desiredSlices).toBe(2);
});

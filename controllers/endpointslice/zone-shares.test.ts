import { describe, expect, test } from "vitest";
import { node, type NodeSketch } from "./samples.test-data.ts";
import { allocate, type Allocation, exchanges, isOverloaded, zoneShares } from "./zone-shares.ts";

type Numbers = Readonly<Record<string, number>>;
const controlPlane = { labels: { "node-role.kubernetes.io/control-plane": "" } };
const a = (cpu = "1000m", more: NodeSketch = {}): NodeSketch => ({ zone: "zone-a", cpu, ...more });
const b = (cpu = "1000m", more: NodeSketch = {}): NodeSketch => ({ zone: "zone-b", cpu, ...more });

// upstream: endpointslice/topologycache/topologycache_test.go#TestSetNodes
describe("the shares of zones in the CPUs", () => {
  test.each<[string, readonly NodeSketch[], Numbers | undefined]>([
    ["no node", [], undefined],
    ["one node", [a()], undefined],
    ["one zone", [a(), a()], undefined],
    ["two zones", [a(), b()], { "zone-a": 0.5, "zone-b": 0.5 }],
    ["two zones, of which one is not ready", [a("1000m", { ready: false }), b()], undefined],
    ["two zones, of which one is the control plane", [a(), b("1000m", controlPlane)], undefined],
    ["a node that is not ready", [a(), b(), b("1000m", { ready: false })], { "zone-a": 0.5, "zone-b": 0.5 }],
    ["a node of the control plane", [a(), b(), b("1000m", controlPlane)], { "zone-a": 0.5, "zone-b": 0.5 }],
    [
      "three zones",
      [a(), a(), a(), a("2000m"), b("3000m"), b("1500m"), { zone: "zone-c", cpu: "500m" }],
      { "zone-a": 0.5, "zone-b": 0.45, "zone-c": 0.05 },
    ],
    // Not in upstream's table.
    ["a node without a zone", [a(), b(), { cpu: "1000m" }], undefined],
    ["a node without CPUs", [a(), b(), { zone: "zone-a" }], undefined],
  ])("%s", (_, sketches, expected) => {
    const shares = zoneShares(sketches.map((sketch, index) => node(`node-${index}`, sketch)));
    expect(shares && Object.fromEntries(shares)).toEqual(expected);
  });
});

// upstream: endpointslice/topologycache/utils_test.go#Test_getGivingAndReceivingZones
describe("zones give endpoints to others", () => {
  test.for<[string, Numbers, Numbers, Numbers, Numbers]>([
    ["not where there are none", {}, {}, {}, {}],
    ["not when each has about what it should", zones(1.2, 1.1, 1), zones(1, 1, 1), {}, {}],
    [
      "not one more, though that would be a little better",
      zones(5.1, 5.1, 5.8),
      { "zone-a": 16 },
      { "zone-a": 10 },
      { "zone-b": 5, "zone-c": 5 },
    ],
    [
      "first to the one that needs it most",
      zones(5, 5.6, 5.4),
      { "zone-a": 16 },
      { "zone-a": 11 },
      { "zone-b": 6, "zone-c": 5 },
    ],
    [
      "first from the one that has most",
      zones(5, 5.6, 5.4),
      { "zone-b": 8, "zone-c": 8 },
      { "zone-b": 2, "zone-c": 3 },
      { "zone-a": 5 },
    ],
    ["not when all have too many", zones(5, 5, 5), zones(6, 6, 6), {}, {}],
    ["not when all should have less than nothing", zones(-5, -5, -5), zones(6, 6, 6), {}, {}],
    ["not when all have less than nothing", zones(5, 5, 5), zones(-4, -3, -2), {}, {}],
    [
      "also when one has less than nothing",
      zones(5, 5, 5),
      zones(-40, 20, 20),
      { "zone-b": 15, "zone-c": 15 },
      { "zone-a": 30 },
    ],
  ])("%s", ([, desired, counts, giving, receiving]) => {
    const allocations = new Map(
      Object.entries(desired).map(([zone, each]): [string, Allocation] => [
        zone,
        { minimum: 0, maximum: 0, desired: each },
      ]),
    );
    const found = exchanges(allocations, new Map(Object.entries(counts)));
    expect(Object.fromEntries(found.giving)).toEqual(giving);
    expect(Object.fromEntries(found.receiving)).toEqual(receiving);
  });
});

describe("what each zone should have", () => {
  test("is its share, at least what keeps it from too much traffic, at most what the others can spare", () => {
    const allocations = allocate(
      new Map([
        ["zone-a", 0.5],
        ["zone-b", 0.45],
        ["zone-c", 0.05],
      ]),
      20,
    );
    expect("byZone" in allocations && Object.fromEntries(allocations.byZone)).toEqual({
      "zone-a": { minimum: 9, maximum: 11, desired: 10 },
      "zone-b": { minimum: 8, maximum: 10, desired: 9 },
      "zone-c": { minimum: 1, maximum: 3, desired: 1 },
    });
  });

  test.each<[string, ReadonlyMap<string, number> | undefined, number, string]>([
    ["shares are not known", undefined, 5, "Insufficient Node information"],
    [
      "there are fewer endpoints than zones",
      new Map([
        ["a", 0.5],
        ["b", 0.5],
      ]),
      1,
      "Insufficient number of endpoints (1 endpoints, 2 zones)",
    ],
    [
      "the least that they need is too much",
      new Map([
        ["a", 1 / 3],
        ["b", 1 / 3],
        ["c", 1 / 3],
      ]),
      4,
      "Unable to allocate minimum required endpoints to each zone without exceeding overload threshold (4 endpoints, 3 zones)",
    ],
  ])("cannot be told when %s", (_, shares, endpoints, problem) => {
    const allocations = allocate(shares, endpoints);
    expect("problem" in allocations && allocations.problem).toContain(problem);
  });
});

test.each<[string, Numbers, Numbers | undefined, boolean]>([
  ["no endpoints", {}, { a: 0.5, b: 0.5 }, false],
  ["shares that are not known", { a: 1 }, undefined, true],
  ["its share", { a: 5, b: 5 }, { a: 0.5, b: 0.5 }, false],
  ["a little less than its share", { a: 5, b: 6 }, { a: 0.5, b: 0.5 }, false],
  ["much less than its share", { a: 3, b: 7 }, { a: 0.5, b: 0.5 }, true],
  ["none, in a zone that has CPUs now", { a: 5, b: 5 }, { a: 0.4, b: 0.4, c: 0.2 }, true],
])("a zone with %s has too few", (_, counts, shares, expected) => {
  const known = shares && new Map(Object.entries(shares));
  expect(isOverloaded(new Map(Object.entries(counts)), known)).toBe(expected);
});

function zones(first: number, second: number, third: number): Numbers {
  return { "zone-a": first, "zone-b": second, "zone-c": third };
}

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { settings } from "./samples.test-data.ts";
import { isCounted, planZones, type ZoneCount, zoneOf, zoneState } from "./zones.ts";

/** E.g. "x:1/2 y:0/3": of zone x one node of three is not ready … */
function counts(text: string): ReadonlyMap<string, ZoneCount> {
  return new Map(
    text
      .split(" ")
      .filter((part) => part !== "")
      .map((part) => {
        const [zone = "", count = ""] = part.split(":");
        const [notReady = 0, ready = 0] = count.split("/").map(Number);
        return [zone, { ready, notReady }];
      }),
  );
}

const plan = (text: string, changes: Partial<typeof settings> = {}) =>
  planZones(counts(text), { ...settings, ...changes });
const statesOf = (text: string): Readonly<Record<string, string>> => Object.fromEntries(plan(text).states);
const ratesOf = (text: string, changes?: Partial<typeof settings>): Readonly<Record<string, number>> =>
  Object.fromEntries(plan(text, changes).rates);

describe("how a zone fares", () => {
  // upstream: pkg/controller/nodelifecycle/node_lifecycle_controller_test.go#TestMonitorNodeHealth, at first and later
  test.each<[string, string, object, string, object]>([
    ["one node without a zone", ":0/1", { "": "Normal" }, ":0/1", { "": "Normal" }],
    [
      "both zones down, one comes back",
      "zone1:1/0 zone2:1/0",
      { zone1: "FullDisruption", zone2: "FullDisruption" },
      "zone1:1/0 zone2:0/1",
      { zone1: "FullDisruption", zone2: "Normal" },
    ],
    [
      "nodes without a status, then one is ready",
      "zone1:4/0",
      { zone1: "FullDisruption" },
      "zone1:3/1",
      { zone1: "PartialDisruption" },
    ],
    ["one more fails", "zone1:2/3", { zone1: "Normal" }, "zone1:3/2", { zone1: "PartialDisruption" }],
    ["the last one fails", "zone1:2/1", { zone1: "Normal" }, "zone1:3/0", { zone1: "FullDisruption" }],
    [
      "one of two zones is down",
      "zone1:1/0 zone2:0/1",
      { zone1: "FullDisruption", zone2: "Normal" },
      "zone1:1/0 zone2:0/1",
      { zone1: "FullDisruption", zone2: "Normal" },
    ],
    [
      "both zones are down",
      "zone1:1/0 zone2:1/0",
      { zone1: "FullDisruption", zone2: "FullDisruption" },
      "zone1:1/0 zone2:1/0",
      { zone1: "FullDisruption", zone2: "FullDisruption" },
    ],
    [
      "the condition is taken away",
      "zone1:0/1",
      { zone1: "Normal" },
      "zone1:1/0",
      { zone1: "FullDisruption" },
    ],
    [
      "the only one that is ready does not count",
      "zone1:1/0",
      { zone1: "FullDisruption" },
      "zone1:1/0",
      { zone1: "FullDisruption" },
    ],
  ] as const)("%s", (...[, first, expectedFirst, later, expectedLater]) => {
    expect(statesOf(first)).toEqual(expectedFirst);
    expect(statesOf(later)).toEqual(expectedLater);
  });

  test.each<[number, number, number, string]>([
    [0, 0, 0.55, "Normal"],
    [2, 1, 0.55, "Normal"],
    [3, 1, 0.55, "PartialDisruption"],
    // In single precision 11 of 20 are the very share that the flag names.
    [11, 9, 0.55, "PartialDisruption"],
    [10, 10, 0.55, "Normal"],
    [3, 1_000_000, 0, "PartialDisruption"],
    [2, 1_000_000, 0, "Normal"],
    [99, 1, 1.5, "Normal"],
    [7, 0, 2, "FullDisruption"],
  ])("%i not ready and %i ready, of which %f are too many: %s", (notReady, ready, threshold, expected) => {
    expect(zoneState({ ready, notReady }, threshold)).toBe(expected);
  });

  // upstream: …#Test_isNodeExcludedFromDisruptionChecks
  test.each([
    ["without labels", undefined, true],
    ["with none", {}, true],
    ["with the label, whatever it says", { "node.kubernetes.io/exclude-disruption": "" }, false],
  ])("counts a node %s: %s", (_, labels, expected) => {
    expect(isCounted({ metadata: { name: "n", ...(labels && { labels }) } })).toBe(expected);
  });
});

describe("how fast a zone is emptied", () => {
  test.each<[string, string, Partial<typeof settings>, Readonly<Record<string, number>>]>([
    ["at the usual rate while it is well", "x:1/9 y:0/3", {}, { x: 0.1, y: 0.1 }],
    ["not at all while it is small and unwell", "x:6/4 y:0/3", {}, { x: 0, y: 0.1 }],
    ["not at all at the threshold", "x:30/20", {}, { x: 0 }],
    ["slowly beyond the threshold", "x:31/20", {}, { x: 0.01 }],
    ["at the usual rate when it is down as a whole", "x:4/0 y:0/3", {}, { x: 0.1, y: 0.1 }],
    ["not at all when all are", "x:4/0 y:3/0", {}, { x: 0, y: 0 }],
    [
      "by its flags",
      "x:4/1 y:0/3",
      { evictionRate: 7, secondaryEvictionRate: 3, largeClusterSizeThreshold: 4 },
      { x: 3, y: 7 },
    ],
    ["by a threshold below 0 too", "x:4/1", { largeClusterSizeThreshold: -1 }, { x: 0.01 }],
  ])("%s", (_, text, changes, expected) => {
    expect(ratesOf(text, changes)).toEqual(expected);
  });

  test("nobody is down where nobody counts", () => {
    expect(plan("").allDown).toBe(false);
  });
});

describe("the zone of a node", () => {
  test.each<[string, Readonly<Record<string, string>> | undefined, string]>([
    ["none", undefined, ""],
    ["by zone", { "topology.kubernetes.io/zone": "z" }, ":\0:z"],
    ["by region", { "topology.kubernetes.io/region": "r" }, "r:\0:"],
    ["by both", { "topology.kubernetes.io/region": "r", "topology.kubernetes.io/zone": "z" }, "r:\0:z"],
    [
      "by the old names first",
      {
        "failure-domain.beta.kubernetes.io/region": "old-r",
        "failure-domain.beta.kubernetes.io/zone": "",
        "topology.kubernetes.io/region": "r",
        "topology.kubernetes.io/zone": "z",
      },
      "old-r:\0:",
    ],
  ])("%s", (_, labels, expected) => {
    expect(zoneOf({ metadata: { name: "n", ...(labels && { labels }) } })).toBe(expected);
  });
});

describe("whatever the numbers", () => {
  const count = fc
    .record({ ready: fc.nat(200), notReady: fc.nat(200) })
    .filter(({ ready, notReady }) => ready + notReady > 0);
  const zones = fc
    .dictionary(fc.constantFrom("a", "b", "c", "d"), count)
    .map((entries) => new Map(Object.entries(entries)));
  const rates = fc.record({
    evictionRate: fc.double({ min: 0, max: 100, noNaN: true }),
    secondaryEvictionRate: fc.double({ min: 0, max: 100, noNaN: true }),
    largeClusterSizeThreshold: fc.integer({ min: -10, max: 300 }),
    unhealthyZoneThreshold: fc.double({ min: 0, max: 1.5, noNaN: true }),
  });

  test("each zone has a state and a rate, and no node is emptied in a cluster that is down as a whole", () => {
    fc.assert(
      fc.property(zones, rates, (all, flags) => {
        const made = planZones(all, flags);
        expect([...made.states.keys()]).toEqual([...all.keys()]);
        expect([...made.rates.keys()]).toEqual([...all.keys()]);
        const isDown = all.size > 0 && [...all.values()].every(({ ready }) => ready === 0);
        expect(made.allDown).toBe(isDown);
        for (const [zone, rate] of made.rates) {
          const allowed = [0, flags.evictionRate, flags.secondaryEvictionRate];
          expect(allowed).toContain(rate);
          if (isDown) expect(rate).toBe(0);
          else if (made.states.get(zone) !== "PartialDisruption") expect(rate).toBe(flags.evictionRate);
        }
      }),
    );
  });

  test("one more node that is ready never makes a zone worse", () => {
    const order = ["Normal", "PartialDisruption", "FullDisruption"];
    fc.assert(
      fc.property(count, fc.double({ min: 0, max: 1.5, noNaN: true }), ({ ready, notReady }, threshold) => {
        const before = order.indexOf(zoneState({ ready, notReady }, threshold));
        const after = order.indexOf(zoneState({ ready: ready + 1, notReady }, threshold));
        expect(after).toBeLessThanOrEqual(before);
      }),
    );
  });
});

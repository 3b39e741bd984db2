import { describe, expect, test } from "vitest";
import { inOneGo } from "../../pkg/api/steps.ts";
import type { Endpoint, EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import type { SliceChanges } from "./hints.ts";
import { service, slice } from "./samples.test-data.ts";
import { hintByTopology, type HintPlan, hintsDisabled, type TopologyView } from "./topology-hints.ts";

/** "a" is a ready endpoint of zone-a, "a>b" one with a hint for zone-b; "-a" is not ready, "?a" does not say, "_" has no zone. */
type Sketch = string;

// upstream: endpointslice/topologycache/topologycache_test.go#TestAddHints
describe("slices get hints", () => {
  test.for<
    [string, Readonly<Record<string, number>> | undefined, Sketch, Sketch, string, object | undefined]
  >([
    ["not when nothing is there", undefined, "", "", "Insufficient Node information", undefined],
    ["not when shares are not known", undefined, "a", "a", "Insufficient Node information", undefined],
    [
      "not when there are too few endpoints",
      { a: 0.3, b: 0.4, c: 0.3 },
      "a b",
      "a b",
      "Insufficient number of endpoints",
      undefined,
    ],
    [
      "for as many zones as there are endpoints",
      { a: 0.45, b: 0.55 },
      "a b",
      "a>a b>b",
      "has been enabled",
      { a: 1, b: 1 },
    ],
    [
      "when they are ready, and say so",
      { a: 0.45, b: 0.55 },
      "a b -b ?b",
      "a>a b>b -b ?b",
      "has been enabled",
      { a: 1, b: 1 },
    ],
    [
      "by shares",
      { a: 0.35, b: 0.35, c: 0.3 },
      "a b | c c a || a a | b c a",
      "a>b b>b | c>c c>c a>a || a>a a>a | b>b c>c a>a",
      "has been enabled",
      { a: 4, b: 3, c: 3 },
    ],
    // Not in upstream's table.
    [
      "not when one has no zone",
      { a: 0.5, b: 0.5 },
      "a a b _",
      "a a b _",
      "do not have a zone specified",
      undefined,
    ],
  ])("%s", ([, shares, given, expected, message, counts]) => {
    const plan = inOneGo(hintByTopology(changes(given), view(shares)));
    expect(drawn(plan.changes)).toBe(expected);
    expect(plan.events).toHaveLength(1);
    expect(plan.events[0]?.message).toContain(message);
    expect(plan.events[0]?.message).toContain(", addressType: IPv4");
    expect(countsOf(plan)).toEqual(counts);
  });

  test("without an event when there were some before", () => {
    expect(
      inOneGo(hintByTopology(changes("a b"), { ...view({ a: 0.5, b: 0.5 }), hinted: true })).events,
    ).toEqual([]);
  });

  test("an event tells when nobody asks for them any more", () => {
    expect(hintsDisabled({ ...view(undefined), hinted: true })).toEqual([
      {
        type: "Warning",
        reason: "TopologyAwareHintsDisabled",
        message: "Topology Aware Hints has been disabled, addressType: IPv4",
      },
    ]);
    expect(hintsDisabled(view(undefined))).toEqual([]);
  });
});

// upstream: endpointslice/topologycache/utils_test.go#Test_redistributeHints
describe("endpoints are given to other zones", () => {
  test.each<[string, Readonly<Record<string, number>>, Sketch, object]>([
    ["one", { a: 0.5, b: 0.5 }, "a a", { a: 1, b: 1 }],
    ["to two zones", { a: 1 / 3, b: 1 / 3, c: 1 / 3 }, "a a a", { a: 1, b: 1, c: 1 }],
  ])("%s", (_, shares, given, counts) => {
    expect(countsOf(inOneGo(hintByTopology(changes(given), view(shares))))).toEqual(counts);
  });
});

// upstream: endpointslice/topologycache/utils_test.go#Test_getHintsByZone
describe("a slice that need not be written keeps its hints", () => {
  const thirds = { a: 1 / 3, b: 1 / 3, c: 1 / 3 };
  test.for<[string, Readonly<Record<string, number>>, Sketch, Sketch, boolean]>([
    ["when it is empty", { a: 0.5, b: 0.5 }, "", "a b", true],
    ["when they are right", { a: 0.5, b: 0.5 }, "a>a", "b", true],
    ["whatever those say that are not ready", { a: 0.5, b: 0.5 }, "a>a -a>a ?a>a", "b", true],
    ["when there are several", thirds, "a>a a>b b>b", "c c a", true],
    ["not when one is for a zone that is gone", { a: 0.5, b: 0.5 }, "a>gone", "b", false],
    ["not when one has none", { a: 0.5, b: 0.5 }, "a", "b", false],
    ["not when they are too many for one zone", { a: 0.5, b: 0.5 }, "a>a a>a a>a", "b", false],
  ])("%s", ([, shares, unchanged, create, isKept]) => {
    const all = { ...changes(create), unchanged: [sliceOf(unchanged)] };
    const plan = inOneGo(hintByTopology(all, view(shares)));
    expect(plan.changes.unchanged).toHaveLength(isKept ? 1 : 0);
    expect(plan.changes.update).toHaveLength(isKept ? 0 : 1);
  });

  // upstream: endpointslice/topologycache/sliceinfo_test.go#Test_getTotalReadyEndpoints
  test.each<[string, Partial<Record<keyof SliceChanges, readonly (readonly [number, number])[]>>, number]>([
    ["nothing", {}, 0],
    ["an empty slice", { create: [[0, 0]] }, 0],
    [
      "several slices",
      {
        create: [
          [15, 0],
          [8, 0],
        ],
      },
      23,
    ],
    [
      "all kinds of slices",
      {
        create: [
          [15, 0],
          [8, 0],
        ],
        update: [[2, 0]],
        unchanged: [
          [100, 0],
          [90, 0],
        ],
      },
      215,
    ],
    [
      "some that are not ready",
      {
        create: [
          [15, 3],
          [5, 4],
        ],
        update: [[3, 8]],
        unchanged: [
          [98, 2],
          [90, 6],
        ],
      },
      211,
    ],
  ])("all that are ready are counted: %s", (_, counts, total) => {
    const sized = ([ready, unready]: readonly [number, number]): EndpointSlice =>
      sliceOf(
        [...Array.from({ length: ready }, () => "a"), ...Array.from({ length: unready }, () => "-a")].join(
          " ",
        ),
      );
    const lists = { create: [], update: [], unchanged: [], ...counts };
    const all: SliceChanges = {
      create: lists.create.map(sized),
      update: lists.update.map(sized),
      unchanged: lists.unchanged.map(sized),
    };
    // More zones than there can be endpoints: the message says how many these are.
    const many = Object.fromEntries(
      Array.from({ length: 500 }, (_zone, index) => [`zone-${index}`, 1 / 500]),
    );
    const [event] = inOneGo(hintByTopology(all, view(many))).events;
    expect(event?.message).toContain(`(${total} endpoints, 500 zones)`);
  });
});

function view(shares: Readonly<Record<string, number>> | undefined): TopologyView {
  return { shares: shares && new Map(Object.entries(shares)), hinted: false, family: "IPv4" };
}

/** Slices to create, "||", slices to update; "|" between slices. */
function changes(sketch: Sketch): SliceChanges {
  const [create = "", update = ""] = sketch.split("||");
  const slices = (text: string): readonly EndpointSlice[] =>
    text === "" ? [] : text.split("|").map(sliceOf);
  return { create: slices(create), update: slices(update), unchanged: [] };
}

function sliceOf(sketch: Sketch): EndpointSlice {
  const endpoints = sketch.split(" ").filter((each) => each !== "");
  return slice("slice", service("foo"), endpoints.map(endpointOf));
}

function endpointOf(sketch: Sketch, index: number): Endpoint {
  const [, state, zone, hint] = /^([-?]?)([a-z]+|_)(?:>([a-z]+))?$/.exec(sketch) ?? [];
  return {
    addresses: [`10.0.0.${index}`],
    conditions: state === "?" ? {} : { ready: state === "" },
    ...(zone !== undefined && zone !== "_" && { zone }),
    ...(hint !== undefined && { hints: { forZones: [{ name: hint }] } }),
  };
}

function drawn({ create, update }: SliceChanges): Sketch {
  const endpoint = ({ conditions, zone = "_", hints }: Endpoint): string => {
    const state = conditions?.ready === undefined ? "?" : conditions.ready ? "" : "-";
    const hint = hints?.forZones?.map(({ name }) => `>${name}`).join("") ?? "";
    return `${state}${zone}${hint}`;
  };
  const list = (slices: readonly EndpointSlice[]): string =>
    slices.map(({ endpoints = [] }) => endpoints.map(endpoint).join(" ")).join(" | ");
  return update.length === 0 ? list(create) : `${list(create)} || ${list(update)}`;
}

function countsOf(plan: HintPlan): object | undefined {
  return plan.counts && Object.fromEntries(plan.counts);
}

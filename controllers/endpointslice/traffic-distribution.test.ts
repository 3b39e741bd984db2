import { describe, expect, test } from "vitest";
import { inOneGo } from "../../pkg/api/steps.ts";
import type { Endpoint, EndpointHints, EndpointSlice } from "../../pkg/api/types/discovery-v1.gen.ts";
import { removeHints, type SliceChanges } from "./hints.ts";
import { service, slice } from "./samples.test-data.ts";
import { hintByPreference, trafficDistributionOf } from "./traffic-distribution.ts";

const withZones = [
  ["a", "b"],
  ["a", "b"],
  ["a", "a"],
  ["b", "c"],
];
const withoutZones = withZones.map((zones) => zones.map(() => undefined));

// upstream: endpointslice/trafficdist/trafficdist_test.go#TestReconcileHints
describe("a preference gives every ready endpoint", () => {
  test.each<
    [
      string,
      string,
      readonly (readonly (string | undefined)[])[],
      (endpoint: Endpoint) => EndpointHints | undefined,
    ]
  >([
    ["its own zone", "PreferClose", withZones, ({ zone = "" }) => ({ forZones: [{ name: zone }] })],
    [
      "its own zone, under its newer name",
      "PreferSameZone",
      withZones,
      ({ zone = "" }) => ({ forZones: [{ name: zone }] }),
    ],
    [
      "its own zone and node",
      "PreferSameNode",
      withZones,
      ({ zone = "", nodeName = "" }) => ({ forZones: [{ name: zone }], forNodes: [{ name: nodeName }] }),
    ],
    ["nothing where there are no zones", "PreferClose", withoutZones, () => undefined],
    [
      "its own node where there are no zones",
      "PreferSameNode",
      withoutZones,
      ({ nodeName = "" }) => ({ forNodes: [{ name: nodeName }] }),
    ],
  ])("%s", (_, preference, zones, expected) => {
    const slices = zones.map((each, index) =>
      sliceOf(each.map((zone, at) => endpoint(zone, `node-${index}-${at}`))),
    );
    const [first, second, ...others] = slices;
    const create = [first, second].filter((each) => each !== undefined);
    const hinted = inOneGo(hintByPreference({ create, update: others, unchanged: [] }, preference));
    for (const each of [...hinted.create, ...hinted.update].flatMap(({ endpoints = [] }) => endpoints)) {
      expect(each.hints).toEqual(expected(each));
    }
    expect([hinted.create.length, hinted.update.length]).toEqual([2, 2]);
  });

  test("the right one in place of a wrong one, also in slices that would not be written", () => {
    const changes = {
      create: [],
      update: [sliceOf([endpoint("a", "node-1", "b")])],
      unchanged: [sliceOf([endpoint("b", "node-2", "c")]), sliceOf([endpoint("c", "node-3")])],
    };
    const hinted = inOneGo(hintByPreference(changes, "PreferClose"));
    expect(hintsIn(hinted)).toEqual(["a", "b", "c"]);
    expect(hinted.unchanged).toEqual([]);
    // upstream: endpointslice/trafficdist/trafficdist_test.go#TestReconcileHints_doesNotMutateUnchangedSlices
    expect(changes.unchanged[0]?.endpoints?.[0]?.hints).toEqual({ forZones: [{ name: "c" }] });
  });

  test("and nothing to one that is not ready", () => {
    const unready = { ...endpoint("b", "node-2"), conditions: { ready: false } };
    const changes = { create: [], update: [], unchanged: [sliceOf([unready])] };
    expect(inOneGo(hintByPreference(changes, "PreferClose"))).toEqual(changes);
  });

  test("and no node any more when nodes are not preferred", () => {
    const before = {
      ...endpoint("a", "node-1"),
      hints: { forZones: [{ name: "a" }], forNodes: [{ name: "node-1" }] },
    };
    const hinted = inOneGo(
      hintByPreference({ create: [], update: [], unchanged: [sliceOf([before])] }, "PreferSameZone"),
    );
    expect(hinted.update[0]?.endpoints?.[0]?.hints).toEqual({ forZones: [{ name: "a" }] });
  });
});

describe("hints go", () => {
  test("when the preference is not known", () => {
    const owner = service("foo", { trafficDistribution: "Unknown" });
    expect(trafficDistributionOf(owner)).toBeUndefined();
    const create = [
      sliceOf([endpoint("a", "node-1", "a"), endpoint("b", "node-2", "b")]),
      sliceOf([endpoint("a", "node-3", "a")]),
    ];
    const update = [sliceOf([endpoint("a", "node-5", "a")])];
    expect(hintsIn(inOneGo(removeHints({ create, update, unchanged: [] })))).toEqual(["", "", "", ""]);
  });

  test("when there is no preference, also from slices that would not be written", () => {
    expect(trafficDistributionOf(service("foo"))).toBeUndefined();
    const update = [sliceOf([endpoint("a", "node-5", "a")])];
    const unchanged = [sliceOf([endpoint("b", "node-6", "b")]), sliceOf([endpoint("b", "node-7")])];
    const removed = inOneGo(removeHints({ create: [], update, unchanged }));
    expect(hintsIn(removed)).toEqual(["", ""]);
    expect(removed.unchanged).toEqual(unchanged.slice(1));
  });
});

function endpoint(zone: string | undefined, nodeName: string, hint?: string): Endpoint {
  return {
    addresses: ["10.0.0.1"],
    conditions: { ready: true },
    nodeName,
    ...(zone !== undefined && { zone }),
    ...(hint !== undefined && { hints: { forZones: [{ name: hint }] } }),
  };
}

function sliceOf(endpoints: readonly Endpoint[]): EndpointSlice {
  return slice("slice", service("foo"), endpoints);
}

/** Those of the slices that are written. */
function hintsIn({ create, update }: SliceChanges): readonly string[] {
  return [...create, ...update]
    .flatMap(({ endpoints = [] }) => endpoints)
    .map(({ hints }) => hints?.forZones?.map(({ name }) => name).join() ?? "");
}

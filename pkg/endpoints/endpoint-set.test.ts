import { describe, expect, test } from "vitest";
import type { Endpoint } from "../api/types/discovery-v1.gen.ts";
import { EndpointSet, sameBeyondKey } from "./endpoint-set.ts";

const endpoint: Endpoint = {
  addresses: ["10.0.0.1"],
  conditions: { ready: true, serving: false, terminating: false },
  targetRef: { kind: "Pod", namespace: "default", name: "pod0", resourceVersion: "1" },
  zone: "zone-1",
  nodeName: "node-1",
};

// upstream: endpointslice/util/controller_utils_test.go#TestEndpointsEqualBeyondHash
describe("two endpoints say the same", () => {
  test.each<[string, Partial<Endpoint>, boolean]>([
    ["when nothing differs", {}, true],
    ["not on another node", { nodeName: "node-2" }, false],
    ["not in another zone", { zone: "zone-2" }, false],
    ["not when one is ready", { conditions: { ready: false, serving: false, terminating: false } }, false],
    ["not when one does not say whether it serves", { conditions: { ready: true } }, false],
    ["not when one serves", { conditions: { ready: true, serving: true, terminating: false } }, false],
    ["not of another pod", { targetRef: { kind: "Pod", namespace: "default", name: "pod1" } }, false],
    [
      "of two versions of a pod",
      { targetRef: { kind: "Pod", namespace: "default", name: "pod0", resourceVersion: "2" } },
      true,
    ],
    [
      "also when one does not say the version",
      { targetRef: { kind: "Pod", namespace: "default", name: "pod0" } },
      true,
    ],
  ])("%s", (_, change, expected) => {
    expect(sameBeyondKey(endpoint, { ...endpoint, ...change })).toBe(expected);
    expect(sameBeyondKey({ ...endpoint, ...change }, endpoint)).toBe(expected);
  });
});

describe("endpoints are told apart", () => {
  test.each<[string, Partial<Endpoint>, boolean]>([
    ["by their addresses", { addresses: ["10.0.0.2"] }, false],
    ["not by the order of addresses", {}, true],
    ["by the hostname", { hostname: "h" }, false],
    ["by the pod's name", { targetRef: { namespace: "default", name: "pod1" } }, false],
    ["not by conditions and places", { conditions: {}, zone: "b", nodeName: "other" }, true],
  ])("%s", (_, change, expected) => {
    const two = { ...endpoint, addresses: ["10.0.0.1", "10.0.0.3"] };
    const set = new EndpointSet([two]);
    const other = { ...two, addresses: two.addresses.toReversed(), ...change };
    expect(set.get(other) !== undefined).toBe(expected);
  });
});

test("are taken in the order in which they came, each once, with addresses in order", () => {
  const numbered = (number: number): Endpoint => ({ addresses: [`10.0.0.${number}`] });
  const set = new EndpointSet([numbered(3), numbered(1), numbered(2), numbered(1)]);
  expect(set.size).toBe(3);
  expect(set.take(numbered(1))).toEqual(numbered(1));
  expect(set.take(numbered(1))).toBeUndefined();
  expect(set.takeFirst(5)).toEqual([numbered(3), numbered(2)]);
  expect(set.size).toBe(0);
});

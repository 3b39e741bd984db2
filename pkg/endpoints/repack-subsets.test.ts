import { expect, test } from "vitest";
import type { EndpointAddress, EndpointSubset } from "../api/types/core-v1.gen.ts";
import { fnv128a } from "./fnv128a.ts";
import { subsetText } from "./go-text.ts";
import { repackSubsets } from "./repack-subsets.ts";

/** "1.2.3.4@uid-1 !1.2.3.5 : 111 222": addresses, of which the second is not ready, and ports. "|" between subsets. */
type Sketch = string;

// upstream: pkg/api/v1/endpoints/util_test.go#TestPackSubsets
test.each<[string, Sketch, Sketch]>([
  ["nothing at all", ":", ""],
  ["no addresses", ": 111", ""],
  ["no ports", "1.2.3.4 :", "1.2.3.4 :"],
  ["no ports, not ready", "!1.2.3.4 :", "!1.2.3.4 :"],
  ["one address, one port", "1.2.3.4 : 111", "1.2.3.4 : 111"],
  ["one address of the sixth version", "beef::1:2:3:4 : 111", "beef::1:2:3:4 : 111"],
  ["one that is not ready", "!1.2.3.4 : 111", "!1.2.3.4 : 111"],
  ["one of a pod", "1.2.3.4@uid-1 : 111", "1.2.3.4@uid-1 : 111"],
  ["one of a pod that is not ready", "!1.2.3.4@uid-1 : 111", "!1.2.3.4@uid-1 : 111"],
  ["one of something without a uid", "1.2.3.4@ : 111", "1.2.3.4@ : 111"],
  ["one of something without a uid, not ready", "!1.2.3.4@ : 111", "!1.2.3.4@ : 111"],
  ["two addresses", "1.2.3.4 5.6.7.8 : 111", "1.2.3.4 5.6.7.8 : 111"],
  ["one ready, one not", "1.2.3.4 !5.6.7.8 : 111", "1.2.3.4 !5.6.7.8 : 111"],
  ["one that is given as both", "1.2.3.4 !1.2.3.4 : 111", "!1.2.3.4 : 111"],
  ["two ports", "1.2.3.4 : 111 222", "1.2.3.4 : 111 222"],
  ["one address twice", "1.2.3.4 1.2.3.4 : 111", "1.2.3.4 : 111"],
  ["one address of the sixth version twice", "beef::1 beef::1 : 111", "beef::1 : 111"],
  ["one port twice", "1.2.3.4 : 111 111", "1.2.3.4 : 111"],
  ["the same twice", "1.2.3.4 : 111 | 1.2.3.4 : 111", "1.2.3.4 : 111"],
  ["the same twice, once not ready", "1.2.3.4 : 111 | !1.2.3.4 : 111", "!1.2.3.4 : 111"],
  ["one address in two subsets", "1.2.3.4 : 111 | 1.2.3.4 : 222", "1.2.3.4 : 111 222"],
  ["one pod in two subsets", "1.2.3.4@uid-1 : 111 | 1.2.3.4@uid-1 : 222", "1.2.3.4@uid-1 : 111 222"],
  [
    "one pod in two subsets, ready in one",
    "1.2.3.4@uid-1 : 111 | !1.2.3.4@uid-1 : 222",
    "!1.2.3.4@uid-1 : 222 | 1.2.3.4@uid-1 : 111",
  ],
  ["two addresses, one port", "1.2.3.4 : 111 | 5.6.7.8 : 111", "1.2.3.4 5.6.7.8 : 111"],
  [
    "two pods with one address",
    "1.2.3.4@uid-1 : 111 | 1.2.3.4@uid-2 : 111",
    "1.2.3.4@uid-1 1.2.3.4@uid-2 : 111",
  ],
  [
    "an address with a pod and one without",
    "1.2.3.4 : 111 | 1.2.3.4@uid-2 : 111",
    "1.2.3.4 1.2.3.4@uid-2 : 111",
  ],
  [
    "four in the wrong order",
    "5.6.7.8 : 111 | 5.6.7.8@uid-1 : 111 | 1.2.3.4@uid-1 : 111 | 1.2.3.4 : 111",
    "1.2.3.4 1.2.3.4@uid-1 5.6.7.8 5.6.7.8@uid-1 : 111",
  ],
  [
    "four in the wrong order, of which three are not ready",
    "5.6.7.8 : 111 | !5.6.7.8@uid-1 : 111 | !1.2.3.4@uid-1 : 111 | !1.2.3.4 : 111",
    "5.6.7.8 !1.2.3.4 !1.2.3.4@uid-1 !5.6.7.8@uid-1 : 111",
  ],
  ["two that have nothing in common", "1.2.3.4 : 111 | 5.6.7.8 : 222", "1.2.3.4 : 111 | 5.6.7.8 : 222"],
  [
    "four subsets that are two",
    "1.2.3.4 : 111 | 1.2.3.5 : 222 | 1.2.3.6 : 111 | 1.2.3.5 : 333",
    "1.2.3.4 1.2.3.6 : 111 | 1.2.3.5 : 222 333",
  ],
  [
    "four subsets that are two, one not ready",
    "1.2.3.4 : 111 | !1.2.3.5 : 222 | 1.2.3.6 : 111 | !1.2.3.5 : 333",
    "!1.2.3.5 : 222 333 | 1.2.3.4 1.2.3.6 : 111",
  ],
])("%s", (_, given, expected) => {
  const packed = repackSubsets(subsetsOf(given));
  expect(drawn(packed)).toBe(expected);
  const hashes = packed.map((subset) => fnv128a(subsetText(subset)));
  expect(hashes).toEqual(hashes.toSorted((one, other) => (one < other ? -1 : 1)));
  expect(repackSubsets(packed)).toEqual(packed);
});

// upstream: pkg/api/v1/endpoints/util_test.go#TestPackSubsets
test.each([
  ["addresses", "addresses"],
  ["notReadyAddresses", "notReadyAddresses"],
] as const)("of two pods that claim an address, without uids, the first one has it: %s", (_, second) => {
  const [foo, bar] = ["foo", "bar"].map((name) => ({ ip: "1.2.3.4", targetRef: { name } }));
  const ports = [{ port: 111 }];
  const given =
    second === "addresses" ? { addresses: [foo, bar] } : { addresses: [foo], notReadyAddresses: [bar] };
  expect(repackSubsets([{ ...given, ports } as EndpointSubset])).toEqual([{ [second]: [foo], ports }]);
});

function subsetsOf(sketch: Sketch): readonly EndpointSubset[] {
  return sketch.split(" | ").map((each) => {
    const [addresses = "", ports = ""] = each.split(/ ?:(?: |$)/);
    const words = addresses.split(" ").filter((word) => word !== "");
    return {
      addresses: words.filter((word) => !word.startsWith("!")).map(addressOf),
      notReadyAddresses: words.filter((word) => word.startsWith("!")).map((word) => addressOf(word.slice(1))),
      ports: ports === "" ? [] : ports.split(" ").map((port) => ({ port: Number(port) })),
    };
  });
}

function addressOf(word: string): EndpointAddress {
  const [ip = "", uid] = word.split("@");
  return { ip, ...(uid !== undefined && { targetRef: { uid } }) };
}

/** Ports and subsets in the order of their texts: that of their hashes is checked apart. */
function drawn(subsets: readonly EndpointSubset[]): Sketch {
  const address = ({ ip, targetRef }: EndpointAddress): string =>
    targetRef === undefined ? ip : `${ip}@${targetRef.uid ?? ""}`;
  return subsets
    .map(({ addresses = [], notReadyAddresses = [], ports = [] }) => {
      const all = [...addresses.map(address), ...notReadyAddresses.map((each) => `!${address(each)}`)];
      const numbers = ports.map(({ port }) => port).toSorted((a, b) => a - b);
      return `${all.join(" ")} : ${numbers.join(" ")}`.trimEnd();
    })
    .toSorted((one, other) => (one < other ? -1 : 1))
    .join(" | ");
}

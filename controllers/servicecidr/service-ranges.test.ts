import { describe, expect, test } from "vitest";
import type { Stored } from "../../pkg/api/object.ts";
import { formatCidr, lastOf, numberOfIp, parseCidr, textOfIp } from "../../pkg/endpoints/cidr.ts";
import { parseIp } from "../../pkg/endpoints/ip-address.ts";
import { stored } from "../../test/harness/stored.ts";
import { type Address, addressOfService, type CachedRange, givenOf, gives, without } from "./ranges.ts";
import { ServiceRanges } from "./service-ranges.ts";

type Facts = readonly [name: string, ...cidrs: readonly string[]];

const MANAGED = { "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io" };
const FAMILY = "ipaddress.kubernetes.io/ip-family";

function rangeOf([name, ...cidrs]: Facts, isLeaving = true): Stored<CachedRange> {
  const deletion = isLeaving ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {};
  return stored({ metadata: { name, ...deletion }, spec: { cidrs } });
}

function addressObject(name: string) {
  return stored({ metadata: { name, labels: { ...MANAGED, [FAMILY]: parseIp(name)?.family ?? "" } } });
}

function addressOf(text: string): Address {
  const { family, text: proper } = parseIp(text) ?? { family: "IPv4", text: "0.0.0.0" };
  return { family, value: numberOfIp(proper, family) };
}

/** Of ServiceCIDRs that are all being deleted, or none but the first. */
function rangesOf(
  facts: readonly Facts[],
  addresses: readonly string[] = [],
  areLeaving = true,
): ServiceRanges {
  const ranges = new ServiceRanges();
  for (const [index, each] of facts.entries()) ranges.keep(rangeOf(each, areLeaving || index === 0));
  for (const each of addresses) ranges.keepAddress(addressObject(each));
  return ranges;
}

const own: Facts = ["kubernetes", "192.168.0.0/24", "2001:db2::/64"];

// upstream: pkg/controller/servicecidrs/servicecidrs_controller_test.go#TestController_canDeleteCIDR
describe("the address that is in this ServiceCIDR alone", () => {
  test.each<[string, readonly Facts[], readonly string[], string | undefined]>([
    ["none where there is nothing", [], [], undefined],
    ["none without addresses", [own], [], undefined],
    ["one of it", [own], ["192.168.0.24"], "192.168.0.24"],
    ["none of others", [own], ["192.168.1.24"], undefined],
    ["not the address of the network", [own], ["192.168.0.0"], undefined],
    ["not the one for broadcasts", [own], ["192.168.0.255"], undefined],
    ["the last of IPv6", [own], ["2001:db2::ffff:ffff:ffff:ffff"], "2001:db2::ffff:ffff:ffff:ffff"],
    [
      "none beside the same ranges",
      [own, ["overlapping", "192.168.0.0/24", "2001:db2::/64"]],
      ["192.168.0.23"],
      undefined,
    ],
    [
      "none that is in a smaller one",
      [own, ["overlapping", "192.168.0.0/26", "2001:db2::/64"]],
      ["192.168.0.23"],
      undefined,
    ],
    [
      "one behind a smaller one",
      [own, ["overlapping", "192.168.0.0/28", "2001:db2::/64"]],
      ["192.168.0.23"],
      "192.168.0.23",
    ],
    [
      "none within a larger one",
      [own, ["overlapping", "192.168.0.0/16", "2001:db2::/64"]],
      ["192.168.0.23"],
      undefined,
    ],
    // Ours: addresses that a smaller one does not give, and those between smaller ones.
    [
      "one that a smaller one has for broadcasts",
      [own, ["overlapping", "192.168.0.0/28"]],
      ["192.168.0.15"],
      "192.168.0.15",
    ],
    [
      "one between smaller ones that are in each other",
      [own, ["a", "192.168.0.64/26"], ["b", "192.168.0.0/28"], ["c", "192.168.0.0/29"]],
      ["192.168.0.3", "192.168.0.9", "192.168.0.100", "192.168.0.30"],
      "192.168.0.30",
    ],
    ["one beside one that gives none", [own, ["a", "192.168.0.7/32"]], ["192.168.0.7"], "192.168.0.7"],
  ])("%s", (_, facts, addresses, expected) => {
    expect(rangesOf(facts, addresses, false).addressOfOnly(rangeOf(own))).toBe(expected);
  });
});

test.each<[string, stays: Facts, goes: Facts]>([
  ["the larger", ["a", "10.0.0.0/16"], ["b", "10.0.0.0/24"]],
  ["the last of equal ones", ["b", "10.0.0.0/24"], ["a", "10.0.0.0/24"]],
])("of two that are being deleted %s stays for the address that both have", (_, stays, goes) => {
  const ranges = rangesOf([goes, stays], ["10.0.0.7"]);
  expect([stays, goes].map((each) => ranges.addressOfOnly(rangeOf(each)))).toEqual(["10.0.0.7", undefined]);
});

const unrelated: readonly Facts[] = [
  ["unrelated", "10.0.0.0/24"],
  ["unrelated2", "10.0.0.0/16"],
];
const overlapping: Facts = ["overlapping", "192.168.0.0/24", "2001:db2::/64"];
const three = [own, overlapping, ["overlapping2", "192.168.0.0/26", "2001:db2::/96"] as const, ...unrelated];
const two = [own, ["overlapping", "192.168.0.0/24", "2001:db2::/96"] as const, ...unrelated];

// upstream: the same file, TestController_ipToCidrs
test.each<[string, readonly Facts[], string, readonly string[]]>([
  ["nobody", [], "192.168.0.23", []],
  ["one", [own, ...unrelated], "192.168.0.23", ["kubernetes"]],
  ["two", two, "192.168.0.23", ["kubernetes", "overlapping"]],
  ["three", three, "192.168.0.23", ["kubernetes", "overlapping", "overlapping2"]],
  ["of the network", three, "192.168.0.0", []],
  ["for broadcasts of one", three, "192.168.0.63", ["kubernetes", "overlapping"]],
  ["of the network of IPv6", three, "2001:db2::", []],
  ["the last of IPv6", three, "2001:db2::ffff:ffff:ffff:ffff", ["kubernetes", "overlapping"]],
])("an address is of: %s", (_, facts, address, expected) => {
  expect(rangesOf(facts).leavingThatGive(addressOf(address))).toEqual(expected);
});

// upstream: the same file, TestController_cidrToCidrs
test.each<[string, readonly Facts[], readonly string[]]>([
  ["nobody", [], []],
  ["itself", [own, ...unrelated], ["kubernetes"]],
  ["the same", two, ["kubernetes", "overlapping"]],
  ["a part", three, ["kubernetes", "overlapping", "overlapping2"]],
])("a ServiceCIDR has addresses in common with: %s", (_, facts, expected) => {
  expect(rangesOf(facts).leavingBeside(rangeOf(own))).toEqual(expected);
});

const kubernetes: Facts = ["kubernetes", "10.0.0.0/24", "2001:db8::/96"];
const second: Facts = ["kubernetes2", "10.0.0.0/24", "2001:db8::/96"];
const secondary: Facts = ["secondary", "10.0.0.0/16", "2001:db8::/64"];
const [one, both, all] = [[kubernetes], [kubernetes, secondary], [kubernetes, second, secondary]];
const names = (facts: readonly Facts[]): readonly string[] => facts.map(([name]) => name);

// upstream: pkg/api/servicecidr/servicecidr_test.go#TestOverlapsPrefix, TestContainsPrefix
test.each<[string, readonly Facts[], overlaps: readonly Facts[], holds: readonly Facts[]]>([
  ["10.0.0.0/26", one, one, one],
  ["10.0.0.0/24", one, one, one],
  ["10.0.0.0/16", one, one, []],
  ["192.168.0.0/24", one, [], []],
  ["2001:db8::/112", one, one, one],
  ["2001:db8::/96", one, one, one],
  ["2001:db8::/64", one, one, []],
  ["2001:db2::/112", one, [], []],
  ["10.0.0.0/24", both, both, both],
  ["10.0.0.0/18", both, both, [secondary]],
  ["10.0.0.0/8", both, both, []],
  ["192.168.0.0/24", both, [], []],
  ["2001:db8::/96", both, both, both],
  ["2001:db8::/72", both, both, [secondary]],
  ["2001:db8::/52", both, both, []],
  ["2001:db2::/64", both, [], []],
  ["10.0.0.0/28", all, all, all],
  ["10.0.0.0/8", all, all, []],
])("what overlaps %s, and leaves nothing of it", (text, facts, overlaps, holds) => {
  expect(rangesOf(facts).leavingBeside(rangeOf(["prefix", text]))).toEqual(names(overlaps));
  const cidr = parseCidr(text);
  if (cidr === undefined) throw new Error(text);
  const givenBy = ([, ...cidrs]: Facts) => cidrs.flatMap((each) => parseCidr(each) ?? []).map(givenOf);
  expect(names(facts.filter((each) => without(givenOf(cidr), givenBy(each)).length === 0))).toEqual(
    names(holds),
  );
});

// upstream: the same file, TestContainsAddress
test.each<[string, readonly Facts[], readonly Facts[]]>([
  ["10.0.0.1", one, one],
  ["10.0.0.255", one, []],
  ["10.0.0.0", one, []],
  ["192.0.0.1", one, []],
  ["2001:db8::2:3", one, one],
  ["2001:db8::ffff:ffff", one, one],
  ["2001:db8::", one, []],
  ["2002:1:2:3::2", one, []],
  ["10.0.0.1", both, both],
  ["10.0.0.255", both, [secondary]],
  ["10.0.0.0", both, []],
  ["192.0.0.1", both, []],
  ["2001:db8::2:3", both, both],
  ["2001:db8::ffff:ffff", both, both],
  ["2001:db8::", both, []],
  ["2002:1:2:3::2", both, []],
  ["10.0.0.2", all, all],
])("who has %s", (text, facts, expected) => {
  expect(rangesOf(facts).leavingThatGive(addressOf(text))).toEqual(names(expected));
});

// upstream: the same file, Test_PrefixContainIP
test.each<[string, string, boolean]>([
  ["192.168.0.0/24", "192.168.0.1", true],
  ["192.168.0.0/24", "192.168.0.0", false],
  ["192.168.0.0/24", "192.168.0.255", false],
  ["192.168.0.0/24", "192.168.1.2", false],
  ["2001:db2::/96", "2001:db2::1", true],
  ["2001:db2::/96", "2001:db2::", false],
  ["2001:db2::/96", "2001:db2::ffff:ffff", true],
  ["2001:db2::/96", "2001:db2:1:2:3::1", false],
  ["::/96", "0.0.0.1", false],
])("whether Services of %s are given %s", (text, address, expected) => {
  const cidr = parseCidr(text);
  expect(cidr && formatCidr(cidr)).toBe(text);
  expect(cidr && gives(cidr, addressOf(address))).toBe(expected);
});

// upstream: the same file, TestBroadcastAddress
test.each([
  ["192.168.0.0/24", "192.168.0.255"],
  ["192.168.0.0/23", "192.168.1.255"],
  ["fd00:1:2:3::/64", "fd00:1:2:3:ffff:ffff:ffff:ffff"],
  ["fd00:1:2:3::/57", "fd00:1:2:7f:ffff:ffff:ffff:ffff"],
])("the last address of %s is %s", (text, expected) => {
  const cidr = parseCidr(text);
  expect(cidr && textOfIp(lastOf(cidr), cidr.family)).toBe(expected);
});

test.each<[string, Record<string, string>]>([
  ["somebody else's", { ...MANAGED, "ipaddress.kubernetes.io/managed-by": "me", [FAMILY]: "IPv4" }],
  ["nobody's", { [FAMILY]: "IPv4" }],
  ["of no family", MANAGED],
  ["of another family", { ...MANAGED, [FAMILY]: "IPv6" }],
])("an address that is %s is not of a Service", (_, labels) => {
  expect(addressOfService({ metadata: { name: "10.0.0.1", labels } })).toBeUndefined();
});

test("what goes is forgotten, and what comes again is known", () => {
  const ranges = rangesOf([own, overlapping], ["192.168.0.23"]);
  ranges.forget(rangeOf(overlapping));
  expect(ranges.leavingBeside(rangeOf(own))).toEqual(["kubernetes"]);
  expect(ranges.addressOfOnly(rangeOf(own))).toBe("192.168.0.23");
  ranges.forgetAddress(addressObject("192.168.0.23"));
  expect(ranges.addressOfOnly(rangeOf(own))).toBeUndefined();
  ranges.keepAddress(addressObject("192.168.0.23"));
  expect(ranges.addressOfOnly(rangeOf(own))).toBe("192.168.0.23");
});

test("a ServiceCIDR does not stay for itself, be it that nothing has told of its deletion yet", () => {
  const ranges = new ServiceRanges();
  ranges.keep(rangeOf(own, false));
  ranges.keepAddress(addressObject("192.168.0.23"));
  expect(ranges.addressOfOnly(rangeOf(own))).toBe("192.168.0.23");
});

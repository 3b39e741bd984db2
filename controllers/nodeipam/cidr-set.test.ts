import { describe, expect, test } from "vitest";
import { formatCidr, parseCidr, type Cidr } from "../../pkg/endpoints/cidr.ts";
import { CidrSet } from "./cidr-set.ts";

// upstream: pkg/controller/nodeipam/ipam/cidrset/cidr_set_test.go

function cidr(text: string): Cidr {
  const found = parseCidr(text);
  if (found === undefined) throw new Error(`${text} is no range`);
  return found;
}

function setOf(cluster: string, length: number): CidrSet {
  return new CidrSet(cidr(cluster), length);
}

/** The next free range, as text. */
function next(set: CidrSet): string | undefined {
  const index = set.allocate();
  return index === undefined ? undefined : formatCidr(set.cidrAt(index));
}

function all(set: CidrSet, most = set.size): readonly string[] {
  return Array.from({ length: most }, () => next(set)).filter((text) => text !== undefined);
}

// upstream: #TestCIDRSetFullyAllocated
test.each([
  ["127.123.234.0/30", 30, "127.123.234.0/30"],
  ["beef:1234::/30", 30, "beef:1234::/30"],
])("the one range of %s is given out once, and again when it is free", (cluster, length, only) => {
  const set = setOf(cluster, length);
  expect([next(set), next(set)]).toEqual([only, undefined]);
  set.release(set.spanOf(cidr(only)));
  expect([next(set), next(set)]).toEqual([only, undefined]);
});

// upstream: #TestIndexToCIDRBlock
test.each([
  ["127.123.3.0/16", 24, 0, "127.123.0.0/24"],
  ["127.123.0.0/16", 24, 15, "127.123.15.0/24"],
  ["192.168.5.219/28", 32, 5, "192.168.5.213/32"],
  ["2001:0db8:1234:3::/48", 64, 0, "2001:db8:1234::/64"],
  ["2001:0db8:1234::/48", 64, 15, "2001:db8:1234:f::/64"],
  ["2001:0db8:85a3::8a2e:0370:7334/50", 63, 6_425, "2001:db8:85a3:3232::/63"],
  ["2001:0db8::/32", 48, 0, "2001:db8::/48"],
  ["2001:0db8::/32", 48, 15, "2001:db8:f::/48"],
  ["2001:0db8:85a3::8a2e:0370:7334/32", 48, 6_425, "2001:db8:1919::/48"],
  ["2001:0db8:1234:ff00::/56", 72, 0, "2001:db8:1234:ff00::/72"],
  ["2001:0db8:1234:ff00::/56", 72, 15, "2001:db8:1234:ff00:f00::/72"],
  ["2001:0db8:1234:ff00::0370:7334/56", 72, 6_425, "2001:db8:1234:ff19:1900::/72"],
  ["2001:0db8:1234:0:1234::/80", 96, 0, "2001:db8:1234:0:1234::/96"],
  ["2001:0db8:1234:0:1234::/80", 96, 15, "2001:db8:1234:0:1234:f::/96"],
  ["2001:0db8:1234:ff00::0370:7334/80", 96, 6_425, "2001:db8:1234:ff00:0:1919::/96"],
])("of %s in ranges of /%i number %i is %s", (cluster, length, index, expected) => {
  expect(formatCidr(setOf(cluster, length).cidrAt(index))).toBe(expected);
});

describe.each(["127.123.234.0/16", "beef:1234::/16"])("the 256 ranges of %s", (cluster) => {
  // upstream: #TestCIDRSet_RandomishAllocation
  test("are given out in order, and in the same order when all are free again", () => {
    const set = setOf(cluster, 24);
    const given = all(set);
    expect([new Set(given).size, next(set)]).toEqual([256, undefined]);
    for (const each of given) set.release(set.spanOf(cidr(each)));
    expect([all(set), next(set)]).toEqual([given, undefined]);
  });

  // upstream: #TestCIDRSet_AllocationOccupied
  test("are not given out when they are taken, be it twice", () => {
    const set = setOf(cluster, 24);
    const given = all(set);
    set.release({ begin: 0, end: 255 });
    for (const each of [...given.slice(128), given[128] ?? ""]) set.occupy(set.spanOf(cidr(each)));
    expect([all(set, 128), next(set)]).toEqual([given.slice(0, 128), undefined]);
  });
});

// upstream: #TestDoubleOccupyRelease
test("what is taken or free already counts once", () => {
  const set = setOf("10.42.0.0/16", 24);
  const steps: readonly (readonly ["occupy" | "release", string, number])[] = [
    ["occupy", "10.42.5.0/24", 1],
    ["occupy", "10.42.9.0/24", 2],
    ["occupy", "10.42.8.0/22", 5],
    ["occupy", "10.42.9.0/24", 5],
    ["release", "10.42.9.0/24", 4],
    ["release", "10.42.9.0/24", 4],
    ["release", "10.42.4.0/22", 3],
  ];
  for (const [act, range, used] of steps) {
    set[act](set.spanOf(cidr(range)));
    expect([range, set.used]).toEqual([range, used]);
  }
  expect([all(set).length, next(set)]).toEqual([253, undefined]);
});

// upstream: #TestGetBitforCIDR, #TestOccupy
describe("the numbers of", () => {
  test.each<[cluster: string, length: number, range: string, begin: number, end?: number]>([
    ["127.0.0.0/8", 16, "127.0.0.0/16", 0],
    ["be00::/8", 16, "be00::/16", 0],
    ["127.0.0.0/8", 16, "127.123.0.0/16", 123],
    ["be00::/8", 16, "beef::/16", 0xef],
    ["127.0.0.0/8", 16, "127.168.0.0/16", 168],
    ["be00::/8", 16, "be68::/16", 0x68],
    ["127.0.0.0/8", 16, "127.224.0.0/16", 224],
    ["be00::/8", 16, "be24::/16", 0x24],
    ["192.168.0.0/16", 24, "192.168.12.0/24", 12],
    ["beef::/16", 24, "beef:1200::/24", 0x12],
    ["192.168.0.0/16", 24, "192.168.151.0/24", 151],
    ["beef::/16", 24, "beef:9700::/24", 0x97],
    ["127.0.0.0/8", 16, "127.0.0.0/8", 0, 255],
    ["2001:beef:1200::/40", 48, "2001:beef:1200::/40", 0, 255],
    ["127.0.0.0/8", 16, "127.0.0.0/2", 0, 255],
    ["2001:beef:1200::/40", 48, "2001:beef:1234::/34", 0, 255],
    ["127.0.0.0/8", 16, "127.0.0.0/16", 0, 0],
    ["2001:beef:1200::/40", 48, "2001:beef:1200::/48", 0, 0],
    ["127.0.0.0/8", 32, "127.0.0.0/16", 0, 65_535],
    ["2001:beef:1200::/48", 64, "2001:beef:1200::/48", 0, 65_535],
    ["127.0.0.0/7", 16, "127.0.0.0/15", 256, 257],
    ["2001:beef:7f00::/39", 48, "2001:beef:7f00::/47", 256, 257],
    ["127.0.0.0/7", 15, "127.0.0.0/15", 128, 128],
    ["2001:beef:7f00::/39", 47, "2001:beef:7f00::/47", 128, 128],
    ["127.0.0.0/7", 18, "127.0.0.0/15", 1_024, 1_031],
    ["2001:beef:7f00::/39", 50, "2001:beef:7f00::/47", 1_024, 1_031],
    // Smaller than the ranges of Nodes, and at the very end.
    ["10.0.0.0/8", 24, "10.0.1.128/25", 1],
    ["10.0.0.0/8", 24, "10.255.255.255/32", 65_535],
    ["0.0.0.0/0", 32, "255.255.255.255/32", 2 ** 32 - 1],
    ["0.0.0.0/0", 32, "0.0.0.0/0", 0, 2 ** 32 - 1],
  ])("%s in ranges of /%i: %s is from %i", (...[cluster, length, range, begin, end = begin]) => {
    const set = setOf(cluster, length);
    const span = set.spanOf(cidr(range));
    expect(span).toEqual({ begin, end });
    set.occupy(span);
    expect([set.used, set.isTaken(begin), set.isTaken(end)]).toEqual([end - begin + 1, true, true]);
    expect([begin > 0 && set.isTaken(begin - 1), end < set.size - 1 && set.isTaken(end + 1)]).toEqual([
      false,
      false,
    ]);
  });

  test.each([
    ["192.168.0.0/16", 24, "127.168.224.0/24"],
    ["beef::/16", 24, "2001:db00::/24"],
    ["10.0.0.0/8", 24, "a00::/8"],
  ])("%s in ranges of /%i: %s has none", (cluster, length, range) => {
    expect(() => setOf(cluster, length).spanOf(cidr(range))).toThrow(
      `cidr ${range} is out the range of cluster cidr ${cluster}`,
    );
  });
});

// upstream: #TestCIDRSetv6
test.each([
  ["127.0.0.0/8", 32, "127.0.0.0/32", "127.0.0.1/32"],
  ["2001:beef:1234:369b::/60", 64, "2001:beef:1234:3690::/64", "2001:beef:1234:3691::/64"],
])("the first of %s in ranges of /%i", (cluster, length, first, second) => {
  expect(all(setOf(cluster, length), 2)).toEqual([first, second]);
});

test("an IPv6 range is split into at most 2^16", () => {
  expect(() => setOf("beef:1234::/32", 49)).toThrow("New CIDR set failed; the node CIDR size is too big");
  expect(setOf("beef:1234::/32", 48).size).toBe(65_536);
});

// upstream: #Test_getMaxCIDRs
test.each([
  ["10.0.0.0/16", 24, 256],
  ["2001:db8::/48", 64, 65_536],
])("%s has as many ranges of /%i as fit", (cluster, length, size) => {
  expect(setOf(cluster, length).size).toBe(size);
});

/** Sums of what an observer is told. */
function observed(cluster: string, length: number) {
  const seen = { allocations: 0, releases: 0, usage: 0, tries: 0 };
  const set = new CidrSet(cidr(cluster), length, {
    changed: (allocated, released, usedShare) => {
      seen.allocations += allocated;
      seen.releases += released;
      seen.usage = usedShare;
    },
    searched: (tries) => (seen.tries += tries),
  });
  return { set, seen };
}

// upstream: #TestCidrSetMetrics, #TestCidrSetMetricsDual
test.each([
  ["10.0.0.0/16", 24],
  ["2001:db8::/48", 64],
])("what is taken and freed of %s is told", (cluster, length) => {
  const { set, seen } = observed(cluster, length);
  const { size } = set;
  for (let count = 1; count <= size; count++) {
    set.allocate();
    if (count % (size / 256) === 0)
      expect(seen).toEqual({ usage: count / size, allocations: count, releases: 0, tries: 0 });
  }
  const whole = set.spanOf(cidr(cluster));
  set.release(whole);
  expect(seen).toEqual({ usage: 0, allocations: size, releases: size, tries: 0 });
  set.occupy(whole);
  expect(seen).toEqual({ usage: 1, allocations: 2 * size, releases: size, tries: 0 });
});

// upstream: #TestCidrSetMetricsHistogram
test("what is taken already is counted as tries, from behind the last range that was given out", () => {
  const { set, seen } = observed("10.0.0.0/16", 24);
  set.occupy(set.spanOf(cidr("10.0.0.0/17")));
  expect(seen).toEqual({ usage: 0.5, allocations: 128, releases: 0, tries: 0 });
  expect(next(set)).toBe("10.0.128.0/24");
  expect(seen).toEqual({ usage: 129 / 256, allocations: 129, releases: 0, tries: 128 });
  set.release({ begin: 0, end: 0 });
  expect(next(set)).toBe("10.0.129.0/24");
  expect(seen.tries).toBe(128);
});

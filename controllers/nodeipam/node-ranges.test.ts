import fc from "fast-check";
import { describe, expect, test } from "vitest";
import "../../test/harness/property-seed.ts";
import { overlap, parseCidr } from "../../pkg/endpoints/cidr.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { NodeRanges, type NodeView } from "./node-ranges.ts";
import { type NodeIpamSettings, planRanges } from "./range-plan.ts";

// upstream: pkg/controller/nodeipam/ipam/range_allocator_test.go

type Masks = Partial<Pick<NodeIpamSettings, "maskSize" | "maskSizeIpv4" | "maskSizeIpv6">>;

function rangesOf(
  clusterCidr: string,
  masks: Masks = {},
  services = "",
  onFree?: (count: number) => void,
): NodeRanges {
  const none = { maskSize: 0, maskSizeIpv4: 0, maskSizeIpv6: 0 };
  const allocatorType = "RangeAllocator";
  const settings = { clusterCidr, serviceClusterIpRange: services, allocatorType, ...none, ...masks };
  return new NodeRanges(planRanges(settings), onFree && { onFree });
}

function node(name: string, ...podCIDRs: readonly string[]): NodeView {
  return { metadata: { name, uid: `uid of ${name}`, resourceVersion: "1" }, spec: { podCIDRs } };
}

/** What the Node gets; "" for nothing. */
function given(ranges: NodeRanges, name: string): string {
  const assignment = ranges.assign(node(name));
  return assignment.kind === "reserved" ? assignment.cidrs.join() : "";
}

// upstream: #TestOccupyPreExistingCIDR
describe("a Node at the start", () => {
  const dual = "10.10.0.0/16,ace:cab:deca::/16";
  test.each<[what: string, cluster: string, masks: Masks, podCIDRs: readonly string[], problem?: string]>([
    ["without a range", "10.10.0.0/16", {}, []],
    ["without ranges of two families", dual, { maskSizeIpv6: 24 }, []],
    ["with a range", "10.10.0.0/16", {}, ["10.10.0.1/24"]],
    ["with ranges of two families", dual, { maskSizeIpv6: 24 }, ["10.10.0.1/24", "ace::/86"]],
    [
      "with a range from elsewhere",
      "10.10.0.0/16",
      {},
      ["172.10.0.1/24"],
      "failed to mark cidr[172.10.0.0/24] at idx [0] as occupied for node: n: cidr 172.10.0.0/24 is out the range of cluster cidr 10.10.0.0/16",
    ],
    [
      "with two ranges where the cluster has one",
      "10.10.0.0/16",
      {},
      ["10.10.0.1/24", "a00::/86"],
      "node:n has an allocated cidr: a00::/86 at index:1 that does not exist in cluster cidrs configuration",
    ],
    [
      "with an IPv4 range from elsewhere",
      dual,
      { maskSizeIpv6: 24 },
      ["172.10.0.1/24", "ace::/86"],
      "failed to mark cidr[172.10.0.0/24] at idx [0] as occupied for node: n: cidr 172.10.0.0/24 is out the range of cluster cidr 10.10.0.0/16",
    ],
    [
      "with an IPv6 range from elsewhere",
      dual,
      { maskSizeIpv6: 24 },
      ["10.10.0.1/24", "cdd::/86"],
      "failed to mark cidr[cdd::/86] at idx [1] as occupied for node: n: cidr cdd::/86 is out the range of cluster cidr ace::/16",
    ],
    // Not upstream's.
    ["with something else", "10.10.0.0/16", {}, ["all"], "failed to parse node n, CIDR all"],
    [
      "with ranges in the other order",
      dual,
      { maskSizeIpv6: 24 },
      ["ace::/24", "10.10.0.0/24"],
      "failed to mark cidr[ace::/24] at idx [0] as occupied for node: n: cidr ace::/24 is out the range of cluster cidr 10.10.0.0/16",
    ],
  ])("%s", (...[, cluster, masks, podCIDRs, problem]) => {
    const ranges = rangesOf(cluster, masks);
    ranges.show(node("n", ...podCIDRs));
    expect(ranges.problemOf("uid of n")).toBe(problem);
    expect(ranges.size).toBe(podCIDRs.length === 0 ? 0 : 1);
  });

  test("keeps of two ranges the one that can be its own", () => {
    const ranges = rangesOf("10.10.0.0/23");
    ranges.show(node("n", "10.10.0.0/24", "a00::/86"));
    expect([given(ranges, "b"), given(ranges, "c")]).toEqual(["10.10.1.0/24", ""]);
    ranges.release("uid of n");
    expect(given(ranges, "c")).toBe("10.10.0.0/24");
  });
});

// upstream: #TestAllocateOrOccupyCIDRSuccess, #TestAllocateOrOccupyCIDRFailure
describe("a new Node gets", () => {
  test.each<
    [what: string, cluster: string, masks: Masks, services: string, taken: readonly string[], got: string]
  >([
    ["the first range", "127.123.234.0/24", { maskSize: 30 }, "", [], "127.123.234.0/30"],
    [
      "the first behind Services",
      "127.123.234.0/24",
      { maskSize: 30 },
      "127.123.234.0/26",
      [],
      "127.123.234.64/30",
    ],
    [
      "the first that is not taken",
      "127.123.234.0/24",
      { maskSize: 30 },
      "127.123.234.0/26",
      ["127.123.234.64/30", "127.123.234.68/30", "127.123.234.72/30", "127.123.234.80/30"],
      "127.123.234.76/30",
    ],
    [
      "an IPv4 range and an IPv6 range",
      "127.123.234.0/8,ace:cab:deca::/84",
      { maskSizeIpv4: 24, maskSizeIpv6: 98 },
      "127.123.234.0/26",
      [],
      "127.0.0.0/24,ace:cab:deca::/98",
    ],
    [
      "an IPv6 range and an IPv4 range",
      "ace:cab:deca::/84,127.123.234.0/8",
      { maskSizeIpv4: 24, maskSizeIpv6: 98 },
      "127.123.234.0/26",
      [],
      "ace:cab:deca::/98,127.0.0.0/24",
    ],
    ["what is between others", "10.10.0.0/22", {}, "", ["10.10.0.0/24", "10.10.2.0/24"], "10.10.1.0/24"],
    [
      "nothing where all is taken",
      "127.123.234.0/28",
      { maskSize: 30 },
      "",
      ["127.123.234.0/30", "127.123.234.4/30", "127.123.234.8/30", "127.123.234.12/30"],
      "",
    ],
    ["nothing where Services have all", "10.10.0.0/22", {}, "10.0.0.0/8", [], ""],
    [
      "nothing of Services of both families",
      "10.0.0.0/23,fd00::/63",
      {},
      "10.0.0.0/24,fd00::/64",
      [],
      "10.0.1.0/24,fd00:0:0:1::/64",
    ],
    ["what Services of another family do not touch", "10.0.0.0/23", {}, "fd00::/64", [], "10.0.0.0/24"],
    ["no IPv4 range where there is no IPv6 range", "10.0.0.0/8,fd00::/64", {}, "fd00::/64", [], ""],
  ])("%s", (...[, cluster, masks, services, taken, got]) => {
    const ranges = rangesOf(cluster, masks, services);
    for (const [index, cidr] of taken.entries()) ranges.show(node(`old-${index}`, cidr));
    expect(given(ranges, "n")).toBe(got);
  });

  test("an error that says which of the cluster's ranges is full, and nothing of the other", () => {
    const ranges = rangesOf("10.0.0.0/22,fd00::/64", {});
    expect(given(ranges, "a")).toBe("10.0.0.0/24,fd00::/64");
    for (const name of ["b", "c", "d", "e", "f"]) {
      expect(ranges.assign(node(name))).toEqual({
        kind: "exhausted",
        problem:
          "failed to allocate cidr from cluster cidr at idx:1: CIDR allocation failed; there are no remaining CIDRs left to allocate in the accepted range",
      });
    }
    ranges.release("uid of a");
    expect(given(ranges, "b")).toBe("10.0.1.0/24,fd00::/64");
  });
});

// upstream: #TestReleaseCIDRSuccess
test.each<[what: string, taken: readonly string[], first: string, second: string]>([
  [
    "a range of a Node that is gone is given to the next",
    ["127.123.234.0/30", "127.123.234.4/30", "127.123.234.8/30", "127.123.234.12/30"],
    "",
    "127.123.234.4/30",
  ],
  [
    "so is one that was given out before",
    ["127.123.234.4/30", "127.123.234.8/30", "127.123.234.12/30"],
    "127.123.234.0/30",
    "127.123.234.0/30",
  ],
])("%s", (_, taken, first, second) => {
  const ranges = rangesOf("127.123.234.0/28", { maskSize: 30 });
  for (const cidr of taken) ranges.show(node(cidr, cidr));
  expect(given(ranges, "first")).toBe(first);
  ranges.release(first === "" ? `uid of ${second}` : "uid of first");
  expect(given(ranges, "second")).toBe(second);
});

// upstream: pkg/controller/nodeipam/ipam/controller_test.go#TestOccupyServiceCIDR
test.each(["10.0.255.0/24", "10.1.0.0/24", "10.1.255.0/24", "10.2.0.0/24"])(
  "no Node gets a range that Services have, which is %s",
  (services) => {
    const ranges = rangesOf("10.1.0.0/16", {}, services);
    const all = Array.from({ length: 257 }, (_, index) => given(ranges, `n-${index}`)).filter(
      (text) => text !== "",
    );
    expect(all.length).toBe(services.startsWith("10.1.") ? 255 : 256);
    const service = parseCidr(services);
    for (const text of all) {
      const cidr = parseCidr(text);
      expect(cidr && service && overlap(cidr, service)).toBe(false);
    }
  },
);

describe("what is meant for a Node", () => {
  test("stays its own until it shows it, however often it is asked for", () => {
    const ranges = rangesOf("10.0.0.0/22");
    expect([given(ranges, "a"), given(ranges, "a"), given(ranges, "b")]).toEqual([
      "10.0.0.0/24",
      "10.0.0.0/24",
      "10.0.1.0/24",
    ]);
    ranges.show(node("a", "10.0.0.0/24"));
    expect(ranges.assign(node("a"))).toEqual({ kind: "shown", problem: undefined });
    ranges.release("uid of a");
    expect([given(ranges, "c"), given(ranges, "d")]).toEqual(["10.0.2.0/24", "10.0.3.0/24"]);
    expect(given(ranges, "e")).toBe("10.0.0.0/24");
  });

  test("is free when the Node shows another, and only that", () => {
    let freed = 0;
    const ranges = rangesOf("10.0.0.0/22", {}, "", (count) => (freed += count));
    expect(given(ranges, "a")).toBe("10.0.0.0/24");
    ranges.show(node("a", "10.0.2.0/24"));
    expect(freed).toBe(1);
    expect(["b", "c", "d", "e"].map((name) => given(ranges, name))).toEqual([
      "10.0.1.0/24",
      "10.0.3.0/24",
      "10.0.0.0/24",
      "",
    ]);
  });

  test("is free when it was refused, but not when a write may have stored it", () => {
    const ranges = rangesOf("10.0.0.0/23");
    expect(given(ranges, "a")).toBe("10.0.0.0/24");
    ranges.giveBack("uid of a");
    expect(given(ranges, "b")).toBe("10.0.1.0/24");
    ranges.mayBeStored("uid of b");
    ranges.giveBack("uid of b");
    expect([given(ranges, "c"), given(ranges, "b"), given(ranges, "d")]).toEqual([
      "10.0.0.0/24",
      "10.0.1.0/24",
      "",
    ]);
    // A Node that shows its range keeps it, whatever is said of late.
    ranges.show(node("c", "10.0.0.0/24"));
    ranges.mayBeStored("uid of c");
    ranges.giveBack("uid of c");
    expect(ranges.assign(node("c")).kind).toBe("shown");
  });

  test("is not that of another Node of the name", () => {
    const ranges = rangesOf("10.0.0.0/23");
    expect(given(ranges, "a")).toBe("10.0.0.0/24");
    const other: NodeView = { ...node("a"), metadata: { ...node("a").metadata, uid: "another" } };
    expect(ranges.assign(other)).toEqual({ kind: "reserved", cidrs: ["10.0.1.0/24"] });
    ranges.release("uid of a");
    expect([given(ranges, "b"), given(ranges, "c")]).toEqual(["10.0.0.0/24", ""]);
  });
});

describe("ranges that several have", () => {
  test("are free when the last of them is gone", () => {
    const ranges = rangesOf("10.0.0.0/24", { maskSize: 25 });
    for (const name of ["a", "b"]) ranges.show(node(name, "10.0.0.0/25"));
    ranges.show(node("c", "10.0.0.128/25"));
    ranges.release("uid of a");
    expect(given(ranges, "n")).toBe("");
    ranges.release("uid of b");
    expect(given(ranges, "n")).toBe("10.0.0.0/25");
  });

  test("stay those of Services and of smaller and larger ranges", () => {
    const ranges = rangesOf("10.0.0.0/21", {}, "10.0.0.0/24");
    ranges.show(node("wide", "10.0.0.0/22"));
    ranges.show(node("other", "10.0.2.0/23"));
    ranges.show(node("within", "10.0.1.0/24"));
    ranges.show(node("small", "10.0.1.128/25"));
    for (const rest of ["10.0.4.0/24", "10.0.5.0/24", "10.0.6.0/24", "10.0.7.0/24"])
      expect(given(ranges, rest)).toBe(rest);
    for (const [gone, got] of [
      ["wide", ""],
      ["within", ""],
      ["small", "10.0.1.0/24"],
      ["other", "10.0.2.0/24"],
    ] as const) {
      ranges.release(`uid of ${gone}`);
      expect([gone, given(ranges, `after ${gone}`)]).toEqual([gone, got]);
    }
    ranges.release("uid of after small");
    expect([given(ranges, "x"), given(ranges, "y"), given(ranges, "z")]).toEqual([
      "10.0.3.0/24",
      "10.0.1.0/24",
      "",
    ]);
  });
});

test("over whatever comes, goes and fails no two Nodes get one range, and what is free is given out", () => {
  const cluster = "10.0.0.0/26,fd00::/60";
  const services = "10.0.0.16/30,fd00:0:0:3::/64";
  const masks = { maskSizeIpv4: 30, maskSizeIpv6: 64 };
  const names = fc.nat(19).map((index) => `n-${index}`);
  const step = fc.record({
    name: names,
    act: fc.constantFrom("assign", "assign", "write", "lose", "refuse", "delete", "own", "wide"),
    place: fc.nat(15),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
      const ranges = rangesOf(cluster, masks, services);
      /** By name: what the server has, what is meant for a Node, and whether that may be stored. */
      const stored = new Map<string, readonly string[]>();
      const meant = new Map<string, readonly string[]>();
      const lost = new Set<string>();
      const taken = (): readonly string[] => [...stored.values(), ...meant.values()].flat();
      const clash = (cidrs: readonly string[], others: readonly string[]): boolean =>
        cidrs.some((text) => others.some((other) => meets(text, other)));
      for (const { name, act, place } of steps) {
        if (act === "delete") {
          stored.delete(name);
          meant.delete(name);
          lost.delete(name);
          ranges.release(`uid of ${name}`);
        } else if ((act === "own" || act === "wide") && !stored.has(name) && !meant.has(name)) {
          const cidrs =
            act === "own"
              ? [`10.0.0.${place * 4}/30`, `fd00:0:0:${place.toString(16)}::/64`]
              : [`10.0.0.${place * 4}/28`];
          stored.set(name, cidrs);
          ranges.show(node(name, ...cidrs));
        } else if (act === "assign" && !stored.has(name)) {
          const assignment = ranges.assign(node(name));
          const others = [
            ...taken().filter((text) => !(meant.get(name) ?? []).includes(text)),
            ...services.split(","),
          ];
          if (assignment.kind === "exhausted") {
            meant.delete(name);
            const full = (all: readonly string[]): boolean => all.every((text) => clash([text], others));
            expect(full(ALL_V4) || full(ALL_V6)).toBe(true);
          } else if (assignment.kind === "reserved") {
            // What may be stored stays the Node's, even if another Node has come with it since.
            if (lost.has(name)) expect(assignment.cidrs).toEqual(meant.get(name));
            else expect(clash(assignment.cidrs, others)).toBe(false);
            meant.set(name, assignment.cidrs);
          }
        } else if (meant.has(name)) {
          const cidrs = meant.get(name) ?? [];
          if (act === "write") {
            stored.set(name, cidrs);
            meant.delete(name);
            lost.delete(name);
            ranges.show(node(name, ...cidrs));
          } else if (act === "lose") {
            ranges.mayBeStored(`uid of ${name}`);
            lost.add(name);
          } else if (act === "refuse") {
            ranges.giveBack(`uid of ${name}`);
            if (!lost.has(name)) meant.delete(name);
          }
        }
        expect(ranges.size).toBe(stored.size + meant.size);
      }
    }),
    { numRuns: 300 },
  );
});

const ALL_V4 = Array.from({ length: 16 }, (_, index) => `10.0.0.${index * 4}/30`);
const ALL_V6 = Array.from({ length: 16 }, (_, index) => `fd00:0:0:${index.toString(16)}::/64`);

function meets(one: string, other: string): boolean {
  const [a, b] = [parseCidr(one), parseCidr(other)];
  return a !== undefined && b !== undefined && overlap(a, b);
}

test("thousands of Nodes with ranges as large as the cluster's come and go in a moment", () => {
  const ranges = rangesOf("10.0.0.0/8", { maskSize: 32 });
  const startMs = realClock.monotonicMs();
  const count = 5_000;
  for (let index = 0; index < count; index++)
    ranges.show(node(`n-${index}`, index % 2 === 0 ? "0.0.0.0/0" : "10.0.0.0/9"));
  expect(ranges.assign(node("new")).kind).toBe("exhausted");
  for (let index = 0; index < count; index++) ranges.release(`uid of n-${index}`);
  expect(given(ranges, "new")).toBe("10.0.0.0/32");
  // Address by address it would be many minutes.
  expect(realClock.monotonicMs() - startMs).toBeLessThan(4_000);
});

import { describe, expect, test } from "vitest";
import { formatCidr } from "../../pkg/endpoints/cidr.ts";
import { type NodeIpamSettings, planRanges } from "./range-plan.ts";

const defaults: NodeIpamSettings = {
  clusterCidr: "10.0.0.0/16",
  serviceClusterIpRange: "",
  maskSize: 0,
  maskSizeIpv4: 0,
  maskSizeIpv6: 0,
  allocatorType: "RangeAllocator",
};

// upstream: cmd/kube-controller-manager/app/core.go#setNodeCIDRMaskSizes, #newNodeIpamController
test.each<[what: string, settings: Partial<NodeIpamSettings>, lengths: string]>([
  ["one IPv4 range", {}, "10.0.0.0/16: 24"],
  ["one IPv6 range", { clusterCidr: "fd00::/48" }, "fd00::/48: 64"],
  ["both", { clusterCidr: "fd00::/48,10.0.0.0/16" }, "fd00::/48: 64, 10.0.0.0/16: 24"],
  ["a length", { maskSize: 20 }, "10.0.0.0/16: 20"],
  ["a length for IPv6", { clusterCidr: "fd00::/48", maskSize: 50 }, "fd00::/48: 50"],
  ["a length for the only family", { maskSizeIpv4: 16 }, "10.0.0.0/16: 16"],
  ["the same for IPv6", { clusterCidr: "fd00::/48", maskSizeIpv6: 60 }, "fd00::/48: 60"],
  [
    "lengths for both",
    { clusterCidr: "10.0.0.0/16,fd00::/48", maskSizeIpv4: 20, maskSizeIpv6: 50 },
    "10.0.0.0/16: 20, fd00::/48: 50",
  ],
  [
    "a length for one of both",
    { clusterCidr: "10.0.0.0/16,fd00::/48", maskSizeIpv4: 20 },
    "10.0.0.0/16: 20, fd00::/48: 64",
  ],
  ["blanks around all", { clusterCidr: " 10.0.0.0/16 " }, "10.0.0.0/16: 24"],
])("%s: prefixes of Nodes' ranges", (_, settings, expected) => {
  const { ranges } = planRanges({ ...defaults, ...settings });
  expect(ranges.map(({ cidr, length }) => `${formatCidr(cidr)}: ${length}`).join(", ")).toBe(expected);
});

describe("settings that do not go together", () => {
  const dual = "10.0.0.0/16,fd00::/48";
  test.each<[what: string, settings: Partial<NodeIpamSettings>, message: string]>([
    [
      "no range",
      { clusterCidr: "" },
      "Controller: Must specify --cluster-cidr if --allocate-node-cidrs is set",
    ],
    ["no range but a comma", { clusterCidr: "," }, "invalid CIDR[0]: <nil> (invalid CIDR address: )"],
    [
      "no range at all",
      { clusterCidr: "10.0.0.0/16,all" },
      "invalid CIDR[1]: <nil> (invalid CIDR address: all)",
    ],
    [
      "a blank behind the comma",
      { clusterCidr: "10.0.0.0/16, fd00::/48" },
      "invalid CIDR[1]: <nil> (invalid CIDR address:  fd00::/48)",
    ],
    [
      "two of one family",
      { clusterCidr: "10.0.0.0/16,10.1.0.0/16" },
      "len of ClusterCIDRs==2 and they are not configured as dual stack (at least one from each IPFamily",
    ],
    [
      "three",
      { clusterCidr: `${dual},10.1.0.0/16` },
      "length of clusterCIDRs is:3 more than max allowed of 2",
    ],
    [
      "one length for two families",
      { clusterCidr: dual, maskSize: 24 },
      "usage of --node-cidr-mask-size is not allowed with dual-stack clusters",
    ],
    [
      "a length and one for IPv4",
      { maskSize: 24, maskSizeIpv4: 24 },
      "is not allowed if --node-cidr-mask-size is set",
    ],
    [
      "a length and one for IPv6",
      { maskSize: 24, maskSizeIpv6: 24 },
      "is not allowed if --node-cidr-mask-size is set",
    ],
    [
      "a length for IPv4 alone",
      { clusterCidr: "fd00::/48", maskSizeIpv4: 24 },
      "usage of --node-cidr-mask-size-ipv4 is not allowed for a single-stack IPv6 cluster",
    ],
    [
      "a length for IPv6 alone",
      { maskSizeIpv6: 64 },
      "usage of --node-cidr-mask-size-ipv6 is not allowed for a single-stack IPv4 cluster",
    ],
    [
      "a range that is too small",
      { clusterCidr: "10.0.0.0/25" },
      "Controller: Invalid --cluster-cidr, mask size of cluster CIDR must be less than or equal to",
    ],
    [
      "the same of IPv6",
      { clusterCidr: "10.0.0.0/16,fd00::/65" },
      "Controller: Invalid --cluster-cidr, mask size",
    ],
    ["a negative length", { maskSize: -1 }, "Controller: Invalid --cluster-cidr, mask size"],
    ["a prefix longer than an address", { maskSize: 33 }, "cannot have a prefix of 33 bits: IPv4 has 32"],
    [
      "Services of one family",
      { serviceClusterIpRange: "10.96.0.0/16,10.97.0.0/16" },
      "serviceCIDR and secondaryServiceCIDR are not dualstack (from different IPfamiles)",
    ],
    ["no allocator", { allocatorType: "" }, "invalid CIDR allocator type: "],
  ])("%s", (_, settings, message) => {
    expect(() => planRanges({ ...defaults, ...settings })).toThrow(message);
  });
});

test.each<[given: string, services: readonly string[], unreadable: readonly string[]]>([
  ["", [], []],
  ["10.96.0.0/12", ["10.96.0.0/12"], []],
  ["10.96.0.0/12,fd01::/108", ["10.96.0.0/12", "fd01::/108"], []],
  ["10.96.0.0/12, ", ["10.96.0.0/12"], []],
  [",fd01::/108", ["fd01::/108"], []],
  // Upstream warns, and starts.
  ["services,fd01::/108", ["fd01::/108"], ["services"]],
])("Services have %j", (serviceClusterIpRange, services, unreadable) => {
  const plan = planRanges({ ...defaults, serviceClusterIpRange });
  expect([plan.services.map(formatCidr), plan.unreadable]).toEqual([services, unreadable]);
});

import type { ApiObject } from "../../../pkg/api/object.ts";
import { inArea, type Scenario, type Step } from "../scenario.ts";

const ALLOCATE = "--allocate-node-cidrs";

function node(name: string, ...podCIDRs: readonly string[]): Step {
  const own = podCIDRs.length === 0 ? {} : { podCIDR: podCIDRs[0], podCIDRs };
  const object: ApiObject & { readonly spec: unknown } = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: `.${name}` },
    spec: own,
  };
  return { do: "create", object };
}

/** A Node comes and gets its range, so that each comes when the one before it has its own. */
function comes(name: string): readonly Step[] {
  return [node(name), { do: "until present", target: `nodes/.${name}`, path: "spec.podCIDR" }];
}

function goes(name: string): readonly Step[] {
  return [
    { do: "delete", target: `nodes/.${name}` },
    { do: "until gone", target: `nodes/.${name}` },
  ];
}

/** Nodes are everybody's: each scenario has a manager of its own, and no other beside it. */
function ranges(name: string, flags: readonly string[], steps: readonly (readonly Step[])[]): Scenario {
  return { name, alone: true, flags: [ALLOCATE, ...flags], steps: steps.flat() };
}

export const nodeRanges: readonly Scenario[] = inArea("ranges", [
  ranges(
    "ranges-of-one-family",
    ["--cluster-cidr=10.20.0.0/21"],
    [...["a", "b", "c"].map(comes), goes("b"), ...["d", "e", "f", "g", "h", "i"].map(comes)],
  ),
  ranges(
    "ranges-of-two-families",
    [
      "--cluster-cidr=10.20.0.0/20,fd00:20::/58",
      "--service-cluster-ip-range=10.20.0.0/23,fd00:20:0:3::/64",
      "--node-cidr-mask-size-ipv4=23",
      "--node-cidr-mask-size-ipv6=62",
    ],
    [...["a", "b"].map(comes), goes("a"), ...["c", "d", "e"].map(comes)],
  ),
  ranges(
    "ranges-after-a-restart",
    ["--cluster-cidr=10.20.0.0/21"],
    [...["a", "b", "c"].map(comes), goes("b"), [{ do: "restart manager" }], ...["d", "e"].map(comes)],
  ),
  ranges(
    "ranges-of-two-families-after-a-restart",
    [
      "--cluster-cidr=10.20.0.0/20,fd00:20::/58",
      "--node-cidr-mask-size-ipv4=23",
      "--node-cidr-mask-size-ipv6=62",
    ],
    [
      ...["a", "b", "c"].map(comes),
      goes("b"),
      [node("own", "10.20.6.0/23", "fd00:20:0:c::/62")],
      [{ do: "restart manager" }],
      ...["d", "e"].map(comes),
    ],
  ),
  ranges(
    "ranges-that-run-out",
    ["--cluster-cidr=10.20.0.0/22", "--service-cluster-ip-range=10.20.2.0/23"],
    [
      ...["a", "b"].map(comes),
      [node("c")],
      goes("a"),
      [{ do: "until present", target: "nodes/.c", path: "spec.podCIDR" }],
    ],
  ),
  ranges(
    "ranges-that-nodes-bring",
    ["--cluster-cidr=fd00:20::/62", "--node-cidr-mask-size=64"],
    [[node("own", "fd00:20:0:1::/64")], ...["a", "b"].map(comes), goes("own"), comes("c"), comes("d")],
  ),
]);

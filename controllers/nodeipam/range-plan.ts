import { type Cidr, formatCidr, parseCidr, widthOf } from "../../pkg/endpoints/cidr.ts";
import { NodeRangeError } from "./cidr-set.ts";

export interface NodeIpamSettings {
  /** One range of Pod addresses, or two joined by a comma. */
  readonly clusterCidr: string;
  /** None, one or two ranges of Service addresses, joined by a comma. */
  readonly serviceClusterIpRange: string;
  /** Prefix lengths of Nodes' ranges; 0 where they are not given. */
  readonly maskSize: number;
  readonly maskSizeIpv4: number;
  readonly maskSizeIpv6: number;
  readonly allocatorType: string;
}

export interface ClusterRange {
  readonly cidr: Cidr;
  /** Of the prefixes of Nodes' ranges. */
  readonly length: number;
}

/** What the settings come to. */
export interface RangePlan {
  readonly ranges: readonly ClusterRange[];
  readonly services: readonly Cidr[];
  /** Texts that should be ranges of Services and are none: nothing is kept free for them. */
  readonly unreadable: readonly string[];
}

const RANGE_ALLOCATOR = "RangeAllocator";
const DEFAULT_LENGTHS = { IPv4: 24, IPv6: 64 };

/**
 * Throws a NodeRangeError when the settings do not go together, in upstream's words.
 * upstream: cmd/kube-controller-manager/app/core.go#newNodeIpamController
 */
export function planRanges(settings: NodeIpamSettings): RangePlan {
  const cidrs = clusterRanges(settings.clusterCidr);
  const texts = settings.serviceClusterIpRange
    .split(",")
    .slice(0, 2)
    .filter((text) => text.trim() !== "");
  const services = texts.flatMap((text) => parseCidr(text) ?? []);
  const [service, secondary] = services;
  if (service !== undefined && service.family === secondary?.family)
    throw new NodeRangeError(
      "serviceCIDR and secondaryServiceCIDR are not dualstack (from different IPfamiles)",
    );
  const lengths = nodeLengths(settings, cidrs);
  const ranges = cidrs.map((cidr) => ({ cidr, length: lengths[cidr.family] }));
  for (const range of ranges) checkLength(range);
  if (settings.allocatorType !== RANGE_ALLOCATOR)
    throw new NodeRangeError(`invalid CIDR allocator type: ${settings.allocatorType}`);
  return { ranges, services, unreadable: texts.filter((text) => parseCidr(text) === undefined) };
}

function clusterRanges(text: string): readonly Cidr[] {
  if (text.trim() === "")
    throw new NodeRangeError("Controller: Must specify --cluster-cidr if --allocate-node-cidrs is set");
  const cidrs = text
    .trim()
    .split(",")
    .map((each, index) => {
      const cidr = parseCidr(each);
      if (cidr === undefined)
        throw new NodeRangeError(
          `--cluster-cidr: invalid CIDR[${index}]: <nil> (invalid CIDR address: ${each})`,
        );
      return cidr;
    });
  const families = new Set(cidrs.map(({ family }) => family));
  if (cidrs.length > 1 && families.size < 2)
    throw new NodeRangeError(
      `--cluster-cidr: len of ClusterCIDRs==${cidrs.length} and they are not configured as dual stack (at least one from each IPFamily`,
    );
  if (cidrs.length > 2)
    throw new NodeRangeError(
      `--cluster-cidr: length of clusterCIDRs is:${cidrs.length} more than max allowed of 2`,
    );
  return cidrs;
}

/** upstream: cmd/kube-controller-manager/app/core.go#setNodeCIDRMaskSizes */
function nodeLengths(
  { maskSize, maskSizeIpv4, maskSizeIpv6 }: NodeIpamSettings,
  cidrs: readonly Cidr[],
): Readonly<Record<Cidr["family"], number>> {
  const own = {
    IPv4: maskSizeIpv4 === 0 ? DEFAULT_LENGTHS.IPv4 : maskSizeIpv4,
    IPv6: maskSizeIpv6 === 0 ? DEFAULT_LENGTHS.IPv6 : maskSizeIpv6,
  };
  if (cidrs.length > 1) {
    if (maskSize !== 0)
      throw new NodeRangeError("usage of --node-cidr-mask-size is not allowed with dual-stack clusters");
    return own;
  }
  if (maskSize !== 0) {
    if (maskSizeIpv4 === 0 && maskSizeIpv6 === 0) return { IPv4: maskSize, IPv6: maskSize };
    throw new NodeRangeError(
      "usage of --node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6 is not allowed if --node-cidr-mask-size is set. For dual-stack clusters please unset it and use IPFamily specific flags",
    );
  }
  const family = cidrs[0]?.family;
  if (maskSizeIpv4 !== 0 && family === "IPv6")
    throw new NodeRangeError(
      "usage of --node-cidr-mask-size-ipv4 is not allowed for a single-stack IPv6 cluster",
    );
  if (maskSizeIpv6 !== 0 && family === "IPv4")
    throw new NodeRangeError(
      "usage of --node-cidr-mask-size-ipv6 is not allowed for a single-stack IPv4 cluster",
    );
  return own;
}

function checkLength({ cidr, length }: ClusterRange): void {
  if (cidr.length > length)
    throw new NodeRangeError(
      "Controller: Invalid --cluster-cidr, mask size of cluster CIDR must be less than or equal to --node-cidr-mask-size configured for CIDR family",
    );
  // Upstream starts, and gives all Nodes one range that the server then refuses.
  if (length > widthOf(cidr.family))
    throw new NodeRangeError(
      `the ranges of Nodes in ${formatCidr(cidr)} cannot have a prefix of ${length} bits: ${cidr.family} has ${widthOf(cidr.family)}`,
    );
}

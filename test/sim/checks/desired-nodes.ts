import { isPodActive, podCondition } from "../../../pkg/api/pod.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Node } from "../../../pkg/api/types/core-v1.gen.ts";
import { nodeFailures } from "../../../pkg/cluster/hollow/node-failure.ts";
import { parseCidr } from "../../../pkg/endpoints/cidr.ts";
import { objectsIn, podsIn } from "../world/objects.ts";
import { NODE_MASK_IPV4, type NodeSettings, UNHEALTHY_ZONE_THRESHOLD } from "../world/node-settings.ts";
import { RANGE_GIVEN_ANNOTATION as GIVEN } from "../world/node-operations.ts";
import type { World } from "../world/world.ts";
import type { Differences } from "./differences.ts";
import {
  isOfReady,
  keyOfReady,
  keysOf,
  keysThatKeepAway,
  OF_SYSTEM,
  rangesOf,
  readyOf,
} from "./node-facts.ts";
import { haveCommon } from "./range-safety.ts";

const FEWEST_OF_A_ZONE = 3;
const REGION = "topology.kubernetes.io/region";
const ZONE = "topology.kubernetes.io/zone";

interface Zone {
  readonly nodes: number;
  readonly down: number;
}

/** What nodes and the pods on them are, some time after the last of them has changed, be they well or not. */
export function checkNodes(found: Differences, world: World): void {
  const { nodeSettings } = world;
  const { store } = world.server.parts;
  if (nodeSettings === undefined) return;
  const nodes = objectsIn<Node>(store, resources.nodes);
  const zones = zonesOf(nodes);
  const areAllDown = zones.size > 0 && [...zones.values()].every(({ nodes: all, down }) => down === all);
  for (const node of nodes) {
    const ready = statusToBe(node);
    found.compare(node, "Ready", readyOf(node), ready);
    const keepAway = keysOf(node, "NoSchedule").filter((key) => key.startsWith(OF_SYSTEM));
    found.compare(
      node,
      "taints that keep away",
      keepAway.toSorted().join(),
      keysThatKeepAway(node).toSorted().join(),
    );
    const evicting = keysOf(node, "NoExecute").filter(isOfReady).join();
    const key = keyOfReady(ready) ?? "";
    // A zone in which too many are down is not emptied, but nobody takes back what it has.
    const mayBeSpared = isSpared(zones.get(zoneOf(node)), nodeSettings);
    if (areAllDown) found.compare(node, "taints that evict, with all nodes down", evicting, "");
    else if (evicting !== key && !(mayBeSpared && evicting === ""))
      found.compare(node, "taints that evict", evicting, key);
    const { "kubernetes.io/os": os, "beta.kubernetes.io/os": oldOs } = node.metadata.labels ?? {};
    if (os !== undefined) found.compare(node, "beta.kubernetes.io/os", oldOs, os);
    found.compare(node, "TTL", node.metadata.annotations?.["node.alpha.kubernetes.io/ttl"], "0");
  }
  for (const pod of podsIn(store)) {
    const node = nodes.find(({ metadata }) => metadata.name === pod.spec?.nodeName);
    // A kubelet that lives says itself of its pods how they are.
    if (node === undefined || readyOf(node) !== "Unknown" || !isPodActive(pod)) continue;
    if (podCondition(pod, "Ready")?.status === "True")
      found.add(pod, `is ready, and ${node.metadata.name} is not`);
  }
  checkRanges(found, nodes, nodeSettings);
}

/** What is known of it: nothing, what its kubelet says, or that it is well. */
function statusToBe(node: Node): string {
  const failures = nodeFailures(node);
  const isRun = /^node-\d+$/.test(node.metadata.name ?? "");
  if (!isRun || failures.has("silent")) return "Unknown";
  return failures.has("not-ready") ? "False" : "True";
}

function zoneOf({ metadata: { labels = {} } }: Node): string {
  return `${labels[REGION] ?? ""} ${labels[ZONE] ?? ""}`;
}

function zonesOf(nodes: readonly Node[]): ReadonlyMap<string, Zone> {
  const counted = nodes.filter(
    ({ metadata }) => metadata.labels?.["node.kubernetes.io/exclude-disruption"] === undefined,
  );
  return new Map(
    [...Map.groupBy(counted, zoneOf)].map(([zone, all]) => {
      const down = all.filter((node) => statusToBe(node) !== "True").length;
      return [zone, { nodes: all.length, down }];
    }),
  );
}

/** Too many nodes of a small zone are down, but not all. */
function isSpared(zone: Zone | undefined, { largeClusterSizeThreshold }: NodeSettings): boolean {
  if (zone === undefined) return false;
  const isPartial =
    zone.down < zone.nodes &&
    zone.down >= FEWEST_OF_A_ZONE &&
    zone.down / zone.nodes >= UNHEALTHY_ZONE_THRESHOLD;
  return isPartial && zone.nodes <= largeClusterSizeThreshold;
}

/** All have one, or there is none left; and none has what another has, unless a user has said so. */
function checkRanges(
  found: Differences,
  nodes: readonly Node[],
  { clusterCidr, serviceClusterIpRange }: NodeSettings,
): void {
  const [cluster, service] = [clusterCidr.split(",")[0] ?? "", serviceClusterIpRange].map(parseCidr);
  const takesOne = cluster !== undefined && service !== undefined && haveCommon([cluster], [service]);
  const all = 2 ** (NODE_MASK_IPV4 - (cluster?.length ?? 0)) - (takesOne ? 1 : 0);
  const used = new Set(nodes.flatMap(({ spec }) => spec?.podCIDR ?? [])).size;
  for (const [index, node] of nodes.entries()) {
    if (rangesOf(node).length === 0) {
      if (used < all) found.add(node, `has no range, and ${all - used} are free`);
      continue;
    }
    for (const other of nodes.slice(index + 1)) {
      const isOfUser = [node, other].some(({ metadata }) => metadata.annotations?.[GIVEN] !== undefined);
      if (!isOfUser && haveCommon(rangesOf(node), rangesOf(other)))
        found.add(node, `has the range of ${other.metadata.name}`);
    }
  }
}

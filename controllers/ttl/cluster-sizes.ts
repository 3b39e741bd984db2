/** A size of clusters, and how long kubelets of such clusters may keep what they have read of Secrets and ConfigMaps. */
interface ClusterSize {
  readonly leastNodes: number;
  readonly mostNodes: number;
  readonly ttlSeconds: number;
}

/** Neighbours overlap, so that a node that comes and goes does not have all others rewritten. */
const SIZES: readonly [ClusterSize, ...ClusterSize[]] = [
  { leastNodes: 0, mostNodes: 100, ttlSeconds: 0 },
  { leastNodes: 90, mostNodes: 500, ttlSeconds: 15 },
  { leastNodes: 450, mostNodes: 1_000, ttlSeconds: 30 },
  { leastNodes: 900, mostNodes: 2_000, ttlSeconds: 60 },
  { leastNodes: 1_800, mostNodes: Infinity, ttlSeconds: 300 },
];

/**
 * The TTL for so many nodes, where it was this one before: it stays as long as it may. E.g. between 90 and 100 nodes
 * it is 0 s in a cluster that has grown, and 15 s in one that has shrunk.
 */
export function nextTtlSeconds(nodes: number, beforeSeconds: number): number {
  const fitting = SIZES.filter(({ leastNodes, mostNodes }) => leastNodes <= nodes && nodes <= mostNodes);
  const { ttlSeconds } = fitting.find((size) => size.ttlSeconds === beforeSeconds) ?? fitting[0] ?? SIZES[0];
  return ttlSeconds;
}

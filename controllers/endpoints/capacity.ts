import type { EndpointSubset } from "../../pkg/api/types/core-v1.gen.ts";

export const CAPACITY = 1_000;
export const OVER_CAPACITY_ANNOTATION = "endpoints.kubernetes.io/over-capacity";

/**
 * At most CAPACITY addresses. Not ready ones go first; of those that compete each subset keeps its share, rounded up, so
 * that the last subset may get less. E.g. 1,200 ready ones as 900 and 300 become 750 and 250.
 */
export function truncate(subsets: readonly EndpointSubset[]): {
  readonly subsets: readonly EndpointSubset[];
  readonly truncated: boolean;
} {
  const ready = count(subsets, "addresses");
  const notReady = count(subsets, "notReadyAddresses");
  if (ready + notReady <= CAPACITY) return { subsets, truncated: false };
  const competing = ready > CAPACITY ? "addresses" : "notReadyAddresses";
  const total = competing === "addresses" ? ready : notReady;
  const places = competing === "addresses" ? CAPACITY : CAPACITY - ready;
  let left = places;
  const cut = subsets.map((subset) => {
    const own = subset[competing] ?? [];
    const kept = own.slice(0, Math.min(left, Math.ceil((own.length / total) * places)));
    left -= kept.length;
    const { addresses, notReadyAddresses: _, ...others } = subset;
    const unchanged = competing === "addresses" || addresses === undefined ? {} : { addresses };
    return { ...others, ...unchanged, ...(kept.length > 0 && { [competing]: kept }) };
  });
  return { subsets: cut, truncated: true };
}

function count(subsets: readonly EndpointSubset[], list: "addresses" | "notReadyAddresses"): number {
  return subsets.reduce((total, subset) => total + (subset[list] ?? []).length, 0);
}

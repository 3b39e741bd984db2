import type { Node } from "../../pkg/api/types/core-v1.gen.ts";
import type { Family } from "./address-families.ts";
import { isOverloaded, type ZoneCounts, type ZoneShares, zoneShares } from "./zone-shares.ts";

/** What is remembered between syncs for hints by topology: the zones' shares, and who has hints for how many. */
export class TopologyCache {
  #shares: ZoneShares | undefined;
  readonly #counts = new Map<string, Map<Family, ZoneCounts>>();
  readonly #hinted = new Set<string>();

  get shares(): ZoneShares | undefined {
    return this.#shares;
  }

  setNodes(nodes: readonly Node[]): void {
    this.#shares = zoneShares(nodes);
  }

  hasHints(serviceKey: string): boolean {
    return this.#hinted.has(serviceKey);
  }

  setHints(serviceKey: string, family: Family, counts: ZoneCounts): void {
    const families = this.#counts.get(serviceKey) ?? new Map<Family, ZoneCounts>();
    this.#counts.set(serviceKey, families.set(family, counts));
    this.#hinted.add(serviceKey);
  }

  removeHints(serviceKey: string, family: Family): void {
    const families = this.#counts.get(serviceKey);
    families?.delete(family);
    if (families?.size === 0) this.#counts.delete(serviceKey);
    this.#hinted.delete(serviceKey);
  }

  /** The Services that have too few endpoints for some zone, now that nodes have changed. */
  overloadedServices(): readonly string[] {
    return [...this.#counts]
      .filter(([, families]) => [...families.values()].some((counts) => isOverloaded(counts, this.#shares)))
      .map(([key]) => key);
  }
}

import { keyOf, type StoredObject } from "../../pkg/api/object.ts";
import type { Family } from "./address-families.ts";
import { isOverloaded, type ZoneCounts, type ZoneShares, zoneShares } from "./zone-shares.ts";
import type { CachedNode } from "./fields.ts";

interface Hints {
  /** Of the Service: another of its name has had none. */
  readonly uid: string;
  readonly counts: Map<Family, ZoneCounts>;
  isHinted: boolean;
}

/** What is remembered between syncs for hints by topology: the zones' shares, and who has hints for how many. */
export class TopologyCache {
  #shares: ZoneShares | undefined;
  readonly #byKey = new Map<string, Hints>();

  get shares(): ZoneShares | undefined {
    return this.#shares;
  }

  setNodes(nodes: readonly CachedNode[]): void {
    this.#shares = zoneShares(nodes);
  }

  hasHints(service: StoredObject): boolean {
    return this.#of(service)?.isHinted ?? false;
  }

  setHints(service: StoredObject, family: Family, counts: ZoneCounts): void {
    const { uid } = service.metadata;
    const hints = this.#of(service) ?? { uid, counts: new Map<Family, ZoneCounts>(), isHinted: true };
    hints.counts.set(family, counts);
    hints.isHinted = true;
    this.#byKey.set(keyOf(service), hints);
  }

  removeHints(service: StoredObject, family: Family): void {
    const hints = this.#of(service);
    hints?.counts.delete(family);
    // Also when it is another's, or the other family still counts: that is looked at before hints are given again.
    if (hints === undefined || hints.counts.size === 0) this.forgetService(keyOf(service));
    else hints.isHinted = false;
  }

  forgetService(serviceKey: string): void {
    this.#byKey.delete(serviceKey);
  }

  /** The Services that have too few endpoints for some zone, now that nodes have changed. */
  overloadedServices(): readonly string[] {
    return [...this.#byKey]
      .filter(([, { counts }]) => [...counts.values()].some((each) => isOverloaded(each, this.#shares)))
      .map(([key]) => key);
  }

  #of(service: StoredObject): Hints | undefined {
    const hints = this.#byKey.get(keyOf(service));
    return hints?.uid === service.metadata.uid ? hints : undefined;
  }
}

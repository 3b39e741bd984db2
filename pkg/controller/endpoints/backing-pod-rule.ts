import { keyOf } from "../../api/object.ts";
import {
  affectedServices,
  entriesOf,
  SELECTOR_INDEX,
  selectorEntry,
  type BackingPod,
  type BackedService,
} from "../../endpoints/backing-pods.ts";
import type { Cache, WakeRule } from "../cache.ts";

/**
 * Wakes the Services that select the pod, or did before the change. They wait for `batchMs`, so that several changes go
 * into one write.
 */
export function backingPodRule(
  services: Pick<Cache<BackedService>, "lister" | "addIndex">,
  batchMs: number,
): WakeRule<BackingPod> {
  services.addIndex(SELECTOR_INDEX, selectorEntry);
  return (change, wake) => {
    const now = change.type === "deleted" ? undefined : change.object;
    const before = change.type === "updated" ? change.before : undefined;
    const old = change.type === "deleted" ? change.object : before;
    const candidates: BackedService[] = [];
    for (const entry of entriesOf(old, now))
      for (const service of services.lister.byIndex(SELECTOR_INDEX, entry)) candidates.push(service);
    // Each change of each pod comes by here, and most pods back no Service.
    if (candidates.length === 0) return;
    for (const service of affectedServices(candidates, old, now)) wake(keyOf(service), batchMs);
  };
}

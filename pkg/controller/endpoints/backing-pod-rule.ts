import { keyOf } from "../../api/object.ts";
import type { Pod, Service } from "../../api/types/core-v1.gen.ts";
import { affectedServices, entriesOf, SELECTOR_INDEX, selectorEntry } from "../../endpoints/backing-pods.ts";
import type { Cache, WakeRule } from "../cache.ts";

/**
 * Wakes the Services that select the pod, or did before the change. They wait for `batchMs`, so that several changes go
 * into one write.
 */
export function backingPodRule(
  services: Pick<Cache<Service>, "lister" | "addIndex">,
  batchMs: number,
): WakeRule<Pod> {
  services.addIndex(SELECTOR_INDEX, selectorEntry);
  return (change, wake) => {
    const before = change.type === "updated" ? change.before : undefined;
    const [old, now] = change.type === "deleted" ? [change.object, undefined] : [before, change.object];
    const candidates = [...entriesOf(old, now)].flatMap((entry) =>
      services.lister.byIndex(SELECTOR_INDEX, entry),
    );
    for (const service of affectedServices(candidates, old, now)) wake(keyOf(service), batchMs);
  };
}

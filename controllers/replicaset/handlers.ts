import { isPodReady } from "../../pkg/api/pod.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { WakeRule } from "../../pkg/controller/cache.ts";
import { itsOwner, type OwnerRule } from "../../pkg/controller/wake-rules.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import { minReadySeconds, podSelector, type ReplicaOwner } from "./replica-owner.ts";

type PodRule = OwnerRule<ReplicaOwner, Pod>;

/** Wakes the owner of a pod that changed; for a pod that became ready once more, when it counts as available. */
export function podRule(
  owners: PodRule["owners"],
  observer: NonNullable<PodRule["observer"]>,
  log: Logger,
): WakeRule<Pod> {
  return itsOwner<ReplicaOwner, Pod>({
    owners,
    observer,
    log,
    selects: (owner, pod) => podSelector(owner).matches(pod.metadata.labels),
    againAfterMs: (owner, before, after) => {
      const seconds = minReadySeconds(owner);
      return seconds > 0 && !isPodReady(before) && isPodReady(after) ? seconds * 1_000 : undefined;
    },
  });
}

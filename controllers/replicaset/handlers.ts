import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { WakeRule } from "../../pkg/controller/cache.ts";
import { itsPodOwner, type PodRule } from "../../pkg/controller/pod-rule.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import { minReadySeconds, podSelector, type ReplicaOwner } from "./replica-owner.ts";

type Rule = PodRule<ReplicaOwner>;

/** Wakes the owner of a pod that changed; for a pod that became ready once more, when it counts as available. */
export function podRule(
  owners: Rule["owners"],
  observer: NonNullable<Rule["observer"]>,
  log: Logger,
): WakeRule<Pod> {
  return itsPodOwner({ owners, observer, selector: podSelector, minReadySeconds, log });
}

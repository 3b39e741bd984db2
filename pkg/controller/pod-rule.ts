import type { LabelSelector } from "../api/labels.ts";
import type { ApiObject } from "../api/object.ts";
import { isPodReady } from "../api/pod.ts";
import type { Pod } from "../api/types/core-v1.gen.ts";
import type { WakeRule } from "./cache.ts";
import { itsOwner, type OwnerRule } from "./wake-rules.ts";

export interface PodRule<O extends ApiObject> extends Pick<OwnerRule<O, Pod>, "owners" | "observer" | "log"> {
  /** Which pods the owner would adopt; with an empty selector none. May throw a SelectorError. */
  readonly selector: (owner: O) => LabelSelector;
  readonly minReadySeconds: (owner: O) => number;
  /** Added to the wait for a pod to count as available, for clocks that differ a little. */
  readonly slackMs?: number;
}

/** Wakes the owner of a pod that changed; for a pod that became ready once more, when it counts as available. */
export function itsPodOwner<O extends ApiObject>(rule: PodRule<O>): WakeRule<Pod> {
  const { selector, minReadySeconds, slackMs = 0, ...rest } = rule;
  return itsOwner<O, Pod>({
    ...rest,
    selects: selectsBy(selector),
    againAfterMs: (owner, before, after) => {
      const seconds = minReadySeconds(owner);
      return seconds > 0 && !isPodReady(before) && isPodReady(after) ? seconds * 1_000 + slackMs : undefined;
    },
  });
}

/** Whether an owner would adopt an object: one whose selector is empty adopts nothing, and not everything. */
export function selectsBy<O extends ApiObject>(
  selector: (owner: O) => LabelSelector,
): (owner: O, object: ApiObject) => boolean {
  return (owner, { metadata }) => {
    const labels = selector(owner);
    return !labels.empty && labels.matches(metadata.labels);
  };
}

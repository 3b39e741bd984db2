import type { LabelSelector } from "../api/labels.ts";
import type { PartialObject } from "../api/object.ts";
import { isPodReady, type PodWithReadiness } from "../api/pod.ts";
import type { OwningRule } from "./wake-rules.ts";

/** What an owner of pods says of them. */
export interface PodOwner<O extends PartialObject> {
  /** Which pods the owner would adopt; with an empty selector none. May throw a SelectorError. */
  readonly selector: (owner: O) => LabelSelector;
  readonly minReadySeconds: (owner: O) => number;
  /** Added to the wait for a pod to count as available, for clocks that differ a little. */
  readonly slackMs?: number;
}

/** A pod that became ready wakes its owner once more, when it counts as available. */
export function itsPodOwner<O extends PartialObject>({
  selector,
  minReadySeconds,
  slackMs = 0,
}: PodOwner<O>): OwningRule<O, PodWithReadiness & PartialObject> {
  return {
    selects: selectsBy(selector),
    againAfterMs: (owner, before, after) => {
      const seconds = minReadySeconds(owner);
      return seconds > 0 && !isPodReady(before) && isPodReady(after) ? seconds * 1_000 + slackMs : undefined;
    },
  };
}

/** Whether an owner would adopt an object: one whose selector is empty adopts nothing, and not everything. */
export function selectsBy<O extends PartialObject>(
  selector: (owner: O) => LabelSelector,
): (owner: O, object: PartialObject) => boolean {
  return (owner, { metadata }) => {
    const labels = selector(owner);
    return !labels.empty && labels.matches(metadata.labels);
  };
}

import { semanticEqual } from "../../pkg/api/equality.ts";
import { keyOf } from "../../pkg/api/object.ts";
import type { HorizontalPodAutoscaler } from "../../pkg/api/types/autoscaling-v2.gen.ts";
import type { WakeRule } from "../../pkg/controller/cache.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import { untilNextTurnMs } from "./next-turn.ts";

const SPEC_TYPE = "autoscaling.v2.HorizontalPodAutoscalerSpec";

/**
 * What somebody has just asked for is done at once. Those that were there when the caches were filled have their turns
 * over the first period, and not all in its first second; what this controller tells of them wakes nobody.
 */
export function autoscalerRule(
  clock: Pick<Clock, "monotonicMs">,
  periodMs: number,
): WakeRule<HorizontalPodAutoscaler> {
  return (change, wake) => {
    const key = keyOf(change.object);
    if (change.type === "added" && change.listed)
      wake(key, untilNextTurnMs(key, periodMs, clock.monotonicMs()));
    else if (change.type !== "updated") wake(key);
    else if (!change.resync && !semanticEqual(change.before.spec, change.object.spec, SPEC_TYPE)) wake(key);
  };
}

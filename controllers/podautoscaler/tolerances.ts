import { parseQuantity } from "../../pkg/api/quantity-parse.ts";
import { approximateNumber } from "../../pkg/api/quantity-int64.ts";
import type { HorizontalPodAutoscalerBehavior } from "../../pkg/api/types/autoscaling-v2.gen.ts";

/** How far the ratio of what is to what should be may be from 1 before anything is scaled. */
export interface Tolerances {
  readonly down: number;
  readonly up: number;
}

export function isTolerated({ down, up }: Tolerances, ratio: number): boolean {
  return 1 - down <= ratio && ratio <= 1 + up;
}

/** Those of the autoscaler, where it has its own and may. */
export function tolerancesOf(
  behavior: HorizontalPodAutoscalerBehavior | undefined,
  usual: number,
  isConfigurable: boolean,
): Tolerances {
  const own = (text: string | undefined): number =>
    isConfigurable && text !== undefined ? approximateNumber(parseQuantity(text)) : usual;
  return { down: own(behavior?.scaleDown?.tolerance), up: own(behavior?.scaleUp?.tolerance) };
}

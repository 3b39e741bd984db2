import type { Clock } from "../../clock/clock.ts";
import type { ControllerSet } from "../../controller/controller-set.ts";
import { controllerCheck } from "./controller-health.ts";
import type { HealthCheck } from "./health.ts";
import { informerCheck } from "./informer-health.ts";

export interface SetChecksOptions {
  readonly clock: Clock;
  readonly maxSyncMs: number;
  /** Name of the check of the informers, where it is not the usual one. */
  readonly informerCheck?: string | undefined;
}

/** One check for each controller, under its name as upstream, and one for the caches that they share. */
export function checksOf(
  set: Pick<ControllerSet, "names" | "health" | "informerHealth">,
  { clock, maxSyncMs, informerCheck: name }: SetChecksOptions,
): readonly HealthCheck[] {
  const informers = informerCheck({ health: () => set.informerHealth(), clock, maxSyncMs });
  return [
    ...set.names.map((controller) =>
      controllerCheck({ name: controller, clock, maxSyncMs, health: () => set.health().get(controller) }),
    ),
    { ...informers, ...(name === undefined ? {} : { name }) },
  ];
}

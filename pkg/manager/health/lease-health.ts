import type { LeaderElector } from "../../leader/elector.ts";
import type { HealthCheck } from "./health.ts";

/** Whether a leader renews its Lease: one that does not is stuck, and ought to have ended. */
export function leaseCheck(name: string, elector: Pick<LeaderElector, "checkHealth">): HealthCheck {
  return { name, concern: "life", check: () => elector.checkHealth()?.message };
}

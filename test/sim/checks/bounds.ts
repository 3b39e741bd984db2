import type { IntOrString } from "../../../pkg/api/int-or-string.ts";
import type { Deployment } from "../../../pkg/api/types/apps-v1.gen.ts";

export interface Bounds {
  readonly desired: number;
  /** Pods that there may be. */
  readonly most: number;
  /** Pods that must be available. */
  readonly least: number;
}

/** From the API's documentation: surge is rounded up, unavailability down; when both come to 0, one may be missing. */
export function boundsOf(deployment: Deployment): Bounds {
  const desired = deployment.spec?.replicas ?? 1;
  const { type, rollingUpdate } = deployment.spec?.strategy ?? {};
  if (type !== "RollingUpdate") return { desired, most: desired, least: desired };
  const surge = Math.ceil(amount(rollingUpdate?.maxSurge, desired));
  const unavailable = Math.floor(amount(rollingUpdate?.maxUnavailable, desired));
  const missing = surge === 0 && unavailable === 0 ? 1 : unavailable;
  return { desired, most: desired + surge, least: Math.max(0, desired - missing) };
}

function amount(value: IntOrString | undefined, whole: number): number {
  if (typeof value === "number") return value;
  return value === undefined ? 0 : (Number.parseInt(value, 10) * whole) / 100;
}

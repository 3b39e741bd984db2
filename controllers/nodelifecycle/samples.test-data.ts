import type { NodeLifecycleSettings } from "./context.ts";

/** As upstream has them by default. */
export const settings: NodeLifecycleSettings = {
  monitorPeriodMs: 5_000,
  monitorGracePeriodMs: 50_000,
  startupGracePeriodMs: 60_000,
  evictionRate: 0.1,
  secondaryEvictionRate: 0.01,
  largeClusterSizeThreshold: 50,
  unhealthyZoneThreshold: 0.55,
};

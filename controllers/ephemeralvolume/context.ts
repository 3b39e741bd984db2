import { claimKeysOf, CLAIMS_OF_PODS } from "../../pkg/api/pod-claims.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import type { Metrics } from "../../pkg/metrics/metrics.ts";
import { POD_FIELDS } from "./claim-of-volume.ts";

/** All that a sync works with. */
export type EphemeralVolumeContext = ReturnType<typeof ephemeralVolumeContext>;

export function ephemeralVolumeContext(kit: Kit) {
  const pods = kit.reads(resources.pods, { fields: POD_FIELDS });
  pods.addIndex(CLAIMS_OF_PODS, claimKeysOf);
  const { events, metrics } = kit.env;
  return {
    pods,
    claims: kit.reads(resources.persistentVolumeClaims, { fields: [] }),
    claimWrites: kit.writes(resources.persistentVolumeClaims),
    events,
    ...counters(metrics),
  };
}

function counters(metrics: Metrics) {
  const counter = (name: string, help: string) =>
    metrics.counter({ name: `ephemeral_volume_controller_${name}`, help, stability: "ALPHA" });
  return {
    attempts: counter("create_total", "Claims of ephemeral volumes that were tried to be created."),
    failures: counter("create_failures_total", "Claims of ephemeral volumes that could not be created."),
  };
}

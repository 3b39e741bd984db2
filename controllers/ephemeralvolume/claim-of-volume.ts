import { newControllerRef } from "../../pkg/api/owner-references.ts";
import { ephemeralClaimName, POD_CLAIM_FIELDS } from "../../pkg/api/pod-claims.ts";
import type { Stored } from "../../pkg/api/object.ts";
import type { Projected } from "../../pkg/api/projected.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { PersistentVolumeClaim, Pod, Volume } from "../../pkg/api/types/core-v1.gen.ts";

/** What is read of pods: of ephemeral volumes the whole. */
export const POD_FIELDS = POD_CLAIM_FIELDS;
export type CachedPod = Projected<Pod, typeof POD_FIELDS>;

type PodVolume = NonNullable<NonNullable<CachedPod["spec"]>["volumes"]>[number];
export type EphemeralVolume = Required<Pick<Volume, "name" | "ephemeral">>;

export function ephemeralVolumes({ spec }: CachedPod): readonly EphemeralVolume[] {
  return (spec?.volumes ?? []).filter(isEphemeral);
}

function isEphemeral(volume: PodVolume): volume is PodVolume & EphemeralVolume {
  return volume.ephemeral !== undefined;
}

/** The claim that the pod brings with the volume, and takes along when it goes. */
export function claimOfVolume(
  pod: Stored<CachedPod>,
  { name, ephemeral: { volumeClaimTemplate } }: EphemeralVolume,
): PersistentVolumeClaim {
  const { labels, annotations } = volumeClaimTemplate?.metadata ?? {};
  return {
    metadata: {
      name: ephemeralClaimName(pod, { name }),
      namespace: pod.metadata.namespace,
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ownerReferences: [newControllerRef(pod, resources.pods)],
    },
    spec: volumeClaimTemplate?.spec ?? {},
  };
}

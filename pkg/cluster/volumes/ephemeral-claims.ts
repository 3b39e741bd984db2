import { keyOf, type Stored } from "../../api/object.ts";
import { isPodTerminal } from "../../api/pod.ts";
import { newControllerRef } from "../../api/owner-references.ts";
import type { Projected } from "../../api/projected.ts";
import { resources } from "../../api/resources.ts";
import type { PersistentVolumeClaim, Pod, Volume } from "../../api/types/core-v1.gen.ts";
import { isAlreadyExists } from "../../client/errors.ts";
import type { ControllerDescriptor } from "../../controller/env.ts";
import { wired } from "../../controller/kit.ts";
import { claimKeysOf, CLAIMS_OF_PODS, isMadeFor } from "./claim-facts.ts";

const POD_FIELDS = ["spec.volumes", "status.phase"] as const;
type CachedPod = Stored<Projected<Pod, typeof POD_FIELDS>>;

/** Makes the claims of pods' ephemeral volumes, which go with the pods. */
export function ephemeralClaims(): ControllerDescriptor {
  return {
    name: "ephemeral-volume-controller",
    clientName: "ephemeral-volume-controller",
    eventSource: "ephemeral_volume",
    build: wired((kit) => {
      const pods = kit.reads(resources.pods, { fields: POD_FIELDS });
      const claims = kit.reads(resources.persistentVolumeClaims, { fields: ["metadata.ownerReferences"] });
      pods.addIndex(CLAIMS_OF_PODS, claimKeysOf);
      const { client, events } = kit.env;
      const claimClient = client.clientFor<PersistentVolumeClaim>(resources.persistentVolumeClaims);
      const make = async (pod: CachedPod, volume: Volume, signal: AbortSignal): Promise<void> => {
        const claim = ephemeralClaim(pod, volume);
        const known = claims.lister.getByKey(keyOf(claim));
        if (known !== undefined && isMadeFor(known, pod)) return;
        const foreign = `PVC ${keyOf(claim)} was not created for pod ${keyOf(pod)} (pod is not owner)`;
        try {
          if (known !== undefined) throw new Error(foreign);
          await claimClient.create(claim, {}, signal);
        } catch (error) {
          if (isAlreadyExists(error)) return;
          const message = `ephemeral volume ${volume.name}: ${error instanceof Error ? error.message : String(error)}`;
          events.event(pod, "Warning", "FailedBinding", message);
          throw error;
        }
      };
      const queue = kit.ownerQueue({
        name: "ephemeral_volume",
        workers: 4,
        owners: pods,
        wakes: ({ type, object }, wake) => {
          if (type !== "deleted" && object.spec?.volumes?.some(({ ephemeral }) => ephemeral !== undefined))
            wake(keyOf(object));
        },
        sync: async ({ owner: pod, signal }) => {
          if (pod.metadata.deletionTimestamp !== undefined || isPodTerminal(pod)) return {};
          for (const volume of pod.spec?.volumes ?? [])
            if (volume.ephemeral !== undefined) await make(pod, volume, signal);
          return {};
        },
      });
      claims.wakes(queue, ({ type, object }, wake) => {
        if (type !== "deleted") return;
        for (const pod of pods.lister.byIndex(CLAIMS_OF_PODS, keyOf(object))) wake(keyOf(pod));
      });
    }),
  };
}

function ephemeralClaim(pod: CachedPod, { name, ephemeral }: Volume): PersistentVolumeClaim {
  const { metadata, spec } = ephemeral?.volumeClaimTemplate ?? {};
  const { namespace } = pod.metadata;
  return {
    metadata: {
      name: `${pod.metadata.name}-${name}`,
      ...(namespace !== undefined && { namespace }),
      ...(metadata?.labels && { labels: metadata.labels }),
      ...(metadata?.annotations && { annotations: metadata.annotations }),
      ownerReferences: [newControllerRef(pod, resources.pods)],
    },
    ...(spec && { spec }),
  };
}

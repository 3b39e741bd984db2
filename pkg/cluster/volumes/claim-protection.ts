import { keyOf, type PartialObject } from "../../api/object.ts";
import { isPodTerminal } from "../../api/pod.ts";
import { resources } from "../../api/resources.ts";
import type { Projected } from "../../api/projected.ts";
import type { Pod } from "../../api/types/core-v1.gen.ts";
import type { ControllerDescriptor } from "../../controller/env.ts";
import { wired } from "../../controller/kit.ts";
import { protectionQueue } from "./protection-queue.ts";
import { claimKeysOf, CLAIMS_OF_PODS, FIELDS_OF_PODS, isMadeFor, podClaims } from "./claim-facts.ts";

export const CLAIM_FINALIZER = "kubernetes.io/pvc-protection";
/** Lets claims go that are being deleted, once no pod that has a node names them any more. */
export function claimProtection(): ControllerDescriptor {
  return {
    name: "persistentvolumeclaim-protection-controller",
    clientName: "pvc-protection-controller",
    build: wired((kit) => {
      const pods = kit.reads(resources.pods, { fields: FIELDS_OF_PODS });
      pods.addIndex(CLAIMS_OF_PODS, claimKeysOf);
      const podClient = kit.env.client.clientFor(resources.pods);
      const queue = protectionQueue(kit, {
        name: "pvcprotection",
        resource: resources.persistentVolumeClaims,
        finalizer: CLAIM_FINALIZER,
        isUsed: async (claim, signal) => {
          const known = pods.lister.byIndex(CLAIMS_OF_PODS, keyOf(claim));
          if (known.some((pod) => usesClaim(pod, claim))) return true;
          // The cache may not know yet of a pod that has just got its node.
          const { namespace = "" } = claim.metadata;
          const { items } = await podClient.list({ namespace }, signal);
          return items.some((pod) => usesClaim(pod, claim));
        },
      });
      pods.wakes(queue, ({ type, object }, wake) => {
        const mayHaveLetGo =
          type === "deleted" || isPodTerminal(object) || object.spec?.nodeName === undefined;
        if (mayHaveLetGo) for (const key of claimKeysOf(object)) wake(key);
      });
    }),
  };
}

type CachedPod = Projected<Pod, typeof FIELDS_OF_PODS>;

/** A pod without a node does not hold its claim: it gets none while that is being deleted. */
export function usesClaim(pod: CachedPod, claim: PartialObject): boolean {
  if ((pod.spec?.nodeName ?? "") === "") return false;
  return podClaims(pod).some(
    ({ name, isEphemeral }) =>
      name === claim.metadata.name && (!isEphemeral || (!isShutDown(pod) && isMadeFor(claim, pod))),
  );
}

/** The kubelet is done with it; it waits for its own finalizers only. */
function isShutDown({ metadata }: PartialObject): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0;
}

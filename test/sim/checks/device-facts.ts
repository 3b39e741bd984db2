import { isPodTerminal } from "../../../pkg/api/pod.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import type { ResourceClaim, ResourceSlice } from "../../../pkg/api/types/resource-v1.gen.ts";
import { controllerOf } from "../../../pkg/api/owner-references.ts";
import type { Store } from "../../../pkg/apiserver/storage/store.ts";
import { objectsIn, podsIn } from "../world/objects.ts";

export const claimsIn = (store: Store): readonly ResourceClaim[] =>
  objectsIn<ResourceClaim>(store, resources.resourceClaims);

/** None of its containers runs, or ever will. */
export function isOver(pod: Pod): boolean {
  const isNowhere = pod.metadata.deletionTimestamp !== undefined && !pod.spec?.nodeName;
  return isPodTerminal(pod) || isNowhere;
}

/** The very pod, if it still needs what it has. */
export function userOf(store: Store, uid: string): Pod | undefined {
  return podsIn(store).find((pod) => pod.metadata.uid === uid && !isOver(pod));
}

/** The pod that a claim was made for, and what that calls it. */
export function madeFor({
  metadata,
}: ResourceClaim): { readonly uid: string; readonly name: string } | undefined {
  const owner = controllerOf({ metadata });
  const name = metadata.annotations?.["resource.kubernetes.io/pod-claim-name"];
  return owner?.kind === "Pod" && name !== undefined ? { uid: owner.uid, name } : undefined;
}

/** Whether a device of the claim has a taint that evicts, and that the claim does not tolerate. */
export function isBroken(store: Store, { status }: ResourceClaim): boolean {
  const slices = objectsIn<ResourceSlice>(store, resources.resourceSlices);
  return (status?.allocation?.devices?.results ?? []).some((result) =>
    slices.some(
      ({ spec }) =>
        spec.driver === result.driver &&
        spec.pool.name === result.pool &&
        spec.devices?.some(
          ({ name, taints = [] }) =>
            name === result.device &&
            taints.some(
              ({ key, effect }) =>
                effect === "NoExecute" && !(result.tolerations ?? []).some((each) => each.key === key),
            ),
        ),
    ),
  );
}

/** "driver/pool/device key" for each taint that evicts. */
export function evictingTaintsIn(store: Store): readonly string[] {
  return objectsIn<ResourceSlice>(store, resources.resourceSlices).flatMap(({ spec }) =>
    (spec.devices ?? []).flatMap(({ name, taints = [] }) =>
      taints.flatMap(({ key, effect }) =>
        effect === "NoExecute" ? [`${spec.driver}/${spec.pool.name}/${name} ${key}`] : [],
      ),
    ),
  );
}

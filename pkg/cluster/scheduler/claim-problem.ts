import type { PersistentVolumeClaim, Pod } from "../../api/types/core-v1.gen.ts";
import type { Lister } from "../../cache/store/lister.ts";

/**
 * Why a pod has to wait for a claim, in the words of the real scheduler. A pod that is on a node keeps its claims; one that
 * came to a node after its claim was deleted would lose it.
 */
export function claimProblem(
  { metadata, spec }: Pod,
  claims: Pick<Lister<PersistentVolumeClaim>, "get">,
): string | undefined {
  for (const { name, persistentVolumeClaim, ephemeral } of spec?.volumes ?? []) {
    const claimName =
      persistentVolumeClaim?.claimName ?? (ephemeral === undefined ? undefined : `${metadata.name}-${name}`);
    if (claimName === undefined) continue;
    const claim = claims.get(metadata.namespace, claimName);
    if (claim === undefined) {
      return ephemeral === undefined
        ? `persistentvolumeclaim "${claimName}" not found`
        : `waiting for ephemeral volume controller to create the persistentvolumeclaim "${claimName}"`;
    }
    if (claim.metadata.deletionTimestamp !== undefined)
      return `persistentvolumeclaim "${claimName}" is being deleted`;
  }
  return undefined;
}

import type { Stored } from "../../pkg/api/object.ts";
import { ephemeralClaimName, isClaimOfPod } from "../../pkg/api/pod-claims.ts";
import { isPodTerminal } from "../../pkg/api/pod.ts";
import type { OwnerSync, SyncResult } from "../../pkg/controller/sync.ts";
import { messageOfConflict } from "./conflict.ts";
import type { SELinuxContext } from "./context.ts";
import type { CachedPod, PodVolume } from "./fields.ts";
import { labelsOfMounts } from "./mounts.ts";
import { identityOfInline, identityOfVolume, type VolumeIdentity } from "./volume-identity.ts";
import type { VolumeUse } from "./volume-uses.ts";

type PodSync = OwnerSync<CachedPod>;
const RECURSIVE = "Recursive";
/** Conflicts that are told of at once. Of a pod no more than 25 events are kept in any case. */
const MOST_TOLD = 500;

/** Takes note of how the pod uses its volumes, and tells it and others of what does not go together. */
export function syncPod(sync: PodSync, context: SELinuxContext): SyncResult {
  const { owner: pod, key } = sync;
  const { uses, pods, events } = context;
  if (isPodTerminal(pod)) {
    uses.delete(key);
    return {};
  }
  for (const conflict of uses.set(key, usesOf(pod, context)).take(MOST_TOLD)) {
    sync.decided("Two pods use a volume in ways that do not go together", { ...conflict });
    const told = pods.lister.getByKey(conflict.pod);
    if (told !== undefined)
      events.event(told, "Normal", `${conflict.property}Conflict`, messageOfConflict(conflict));
  }
  return {};
}

/** Of volumes that are not known yet nothing is said: what makes them known wakes the pod. */
function usesOf(pod: Stored<CachedPod>, context: SELinuxContext): readonly VolumeUse[] {
  const { volumes = [], securityContext } = pod.spec ?? {};
  const { seLinuxChangePolicy = "MountOption" } = securityContext ?? {};
  const labels = labelsOfMounts(pod);
  return volumes.flatMap((volume): readonly VolumeUse[] => {
    const own = labels.get(volume.name);
    if (own === undefined) return [];
    const found = findVolume(pod, volume, context);
    if (found === undefined) return [];
    if (own.size > 1) {
      const twice = `Volume ${JSON.stringify(volume.name)} is mounted twice with different SELinux labels inside this pod`;
      context.events.event(pod, "Warning", "MultipleSELinuxLabels", twice);
      return [];
    }
    const { identity } = found;
    if (identity === undefined) return [];
    const isMounted = isMountedWithLabel(identity, context) && seLinuxChangePolicy !== RECURSIVE;
    const [label = ""] = isMounted ? own : [];
    return [{ volume: identity, label, policy: label === "" ? RECURSIVE : seLinuxChangePolicy }];
  });
}

function isMountedWithLabel({ driver }: VolumeIdentity, { drivers }: SELinuxContext): boolean {
  return driver === undefined || drivers.lister.get(undefined, driver)?.spec.seLinuxMount === true;
}

/** Undefined while it is not known which volume it is. Most volumes have no identity that matters. */
function findVolume(
  pod: Stored<CachedPod>,
  volume: PodVolume,
  { claims, volumes }: SELinuxContext,
): { readonly identity: VolumeIdentity | undefined } | undefined {
  const { ephemeral, persistentVolumeClaim } = volume;
  const name = ephemeral ? ephemeralClaimName(pod, volume) : persistentVolumeClaim?.claimName;
  if (name === undefined) return { identity: identityOfInline(volume) };
  const claim = claims.lister.get(pod.metadata.namespace, name);
  if (claim?.status?.phase !== "Bound" || (ephemeral && !isClaimOfPod(claim, pod))) return undefined;
  const bound = volumes.lister.get(undefined, claim.spec?.volumeName ?? "");
  return bound?.spec?.claimRef?.uid === claim.metadata.uid
    ? { identity: identityOfVolume(bound) }
    : undefined;
}

import { keyOf, refKey } from "../../pkg/api/object.ts";
import { CLAIMS_OF_PODS } from "../../pkg/api/pod-claims.ts";
import { isPodTerminal } from "../../pkg/api/pod.ts";
import type { Wake, WakeRule } from "../../pkg/controller/cache.ts";
import type { SELinuxContext } from "./context.ts";
import type { CachedClaim, CachedDriver, CachedPod, CachedVolume } from "./fields.ts";

/** What counts of a pod never changes, but that it ends. */
export const podRule: WakeRule<CachedPod> = (change, wake) => {
  if (change.type === "updated" && isPodTerminal(change.before) === isPodTerminal(change.object)) return;
  wake(keyOf(change.object));
};

type Wired = Pick<SELinuxContext, "pods">;

function wakeUsers(claim: string, { pods }: Wired, wake: Wake): void {
  for (const pod of pods.lister.byIndex(CLAIMS_OF_PODS, claim)) wake(keyOf(pod));
}

/** A claim that gets its volume wakes its pods. */
export function claimRule(wired: Wired): WakeRule<CachedClaim> {
  return (change, wake) => {
    if (change.type === "deleted" || change.object.status?.phase !== "Bound") return;
    const before = change.type === "updated" ? change.before : undefined;
    const { spec } = change.object;
    if (before?.status?.phase === "Bound" && before.spec?.volumeName === spec?.volumeName) return;
    wakeUsers(keyOf(change.object), wired, wake);
  };
}

/** A volume that gets its claim wakes the pods of that. */
export function volumeRule(wired: Wired): WakeRule<CachedVolume> {
  return (change, wake) => {
    const { namespace, name, uid } = change.object.spec?.claimRef ?? {};
    if (change.type === "deleted" || name === undefined || (uid ?? "") === "") return;
    if (change.type === "updated" && change.before.spec?.claimRef?.uid === uid) return;
    wakeUsers(refKey(namespace, name), wired, wake);
  };
}

/** Whether volumes of the driver can be mounted with labels: when that changes, all of its pods are looked at anew. */
export function driverRule({ uses }: Pick<SELinuxContext, "uses">): WakeRule<CachedDriver> {
  const mounts = ({ spec }: CachedDriver): boolean => spec.seLinuxMount === true;
  return (change, wake) => {
    const before = change.type === "updated" && mounts(change.before);
    const changes = change.type === "updated" ? before !== mounts(change.object) : mounts(change.object);
    if (changes) for (const pod of uses.forgetDriver(change.object.metadata.name)) wake(pod);
  };
}

import type { LabelSelector } from "../../pkg/api/labels.ts";
import { parseLabelSelector } from "../../pkg/api/labels-parse.ts";
import { controllerOf } from "../../pkg/api/owner-references.ts";
import type { Lister } from "../../pkg/cache/store/lister.ts";
import { attemptEach } from "../../pkg/controller/attempts.ts";
import { managerOf } from "../../pkg/controller/owner-lookup.ts";
import type { Sync, SyncResult } from "../../pkg/controller/sync.ts";
import type { JobContext } from "./context.ts";
import { hasFinalizer, isForsaken, uidOf, type PodOfJob, type CachedPod } from "./job-pods.ts";
import { externalManager } from "./job-spec.ts";
import type { OrphanKey } from "./keys.ts";
import { TRACKED_PODS_INDEX, trackedPodsValue } from "./tracked-pods.ts";

/** Takes the finalizer off pods whose Job is gone, has finished, or has nothing to do with them any more. */
export async function syncOrphans(sync: Sync<OrphanKey>, context: JobContext): Promise<SyncResult> {
  const orphans = podsOf(sync.key, context.pods.lister).filter((pod) => isOrphan(context, pod));
  if (orphans.length > 0) sync.decided("No Job looks after these pods", { pods: orphans.length });
  const takeOff = async (pod: PodOfJob): Promise<void> => context.owned.takeOffFinalizer(pod, sync.signal);
  if (typeof sync.key === "string") {
    for (const pod of orphans) await takeOff(pod);
  } else {
    const failed = (): string => "finalizers of orphans could not be taken off";
    await attemptEach(orphans, takeOff, { signal: sync.signal, failed });
  }
  return {};
}

function podsOf(key: OrphanKey, pods: Lister<CachedPod>): readonly PodOfJob[] {
  if (typeof key !== "string") return trackedPods(pods, key.namespace, parseLabelSelector(key.selector));
  const pod = pods.getByKey(key);
  return pod === undefined ? [] : [pod];
}

/** The pods of the namespace that have the finalizer and are selected. */
export function trackedPods(
  pods: Lister<CachedPod>,
  namespace: string,
  selector: LabelSelector,
): readonly PodOfJob[] {
  const value = trackedPodsValue(namespace, selector);
  if (value === undefined) return pods.inNamespace(namespace, selector).filter(hasFinalizer);
  return pods.byIndex(TRACKED_PODS_INDEX, value).filter((pod) => selector.matches(pod.metadata.labels));
}

function isOrphan(context: JobContext, pod: PodOfJob): boolean {
  if (!hasFinalizer(pod)) return false;
  const manager = controllerOf(pod);
  if (manager === undefined) return true;
  // Whoever else uses the finalizer does so on purpose.
  if (manager.kind !== "Job" || manager.apiVersion !== "batch/v1") return false;
  const job = managerOf(context.jobs.lister, "Job", pod);
  if (job === undefined) return true;
  // Its Job has let go of it just now.
  if (context.finalizers.isAwaited(job, uidOf(pod))) return false;
  return externalManager(job) === undefined && isForsaken(pod, job);
}

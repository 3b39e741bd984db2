import type { LabelSelector } from "../../pkg/api/labels.ts";
import { parseLabelSelector } from "../../pkg/api/labels-parse.ts";
import { controllerOf } from "../../pkg/api/owner-references.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { Lister } from "../../pkg/cache/lister.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import { managerOf } from "../../pkg/controller/owner-lookup.ts";
import type { SyncResult } from "../../pkg/controller/sync.ts";
import { releaseOrphan } from "./apply.ts";
import type { JobContext } from "./context.ts";
import { hasFinalizer, isForsaken, uidOf } from "./job-pods.ts";
import { externalManager } from "./job-spec.ts";
import { TRACKED_PODS_INDEX, trackedPodsValue } from "./tracked-pods.ts";

/** Takes the finalizer off pods whose Job is gone, has finished, or has nothing to do with them any more. Keys: see JobQueues. */
export async function syncOrphans(
  key: string,
  context: JobContext,
  log: Logger,
  signal: AbortSignal,
): Promise<SyncResult> {
  const [kind, ...rest] = key.split(" ");
  if (kind === "pod") {
    const pod = context.pods.getByKey(rest.join(" "));
    if (pod !== undefined && isOrphan(context, pod)) await releaseOrphan(context, pod, signal);
    return {};
  }
  const [namespace = "", ...selector] = rest;
  const pods = trackedPods(context.pods, namespace, parseLabelSelector(selector.join(" ")));
  const errors: unknown[] = [];
  for (const pod of pods.filter((each) => isOrphan(context, each))) {
    try {
      await releaseOrphan(context, pod, signal);
    } catch (error) {
      signal.throwIfAborted();
      errors.push(error);
    }
  }
  log.verbose(8, "Looked for orphans of a Job", { namespace, found: pods.length });
  if (errors.length > 0) throw new AggregateError(errors, "finalizers of orphans could not be taken off");
  return {};
}

/** The pods of the namespace that have the finalizer and are selected. */
export function trackedPods(pods: Lister<Pod>, namespace: string, selector: LabelSelector): readonly Pod[] {
  const value = trackedPodsValue(namespace, selector);
  if (value === undefined) return pods.inNamespace(namespace, selector).filter(hasFinalizer);
  return pods.byIndex(TRACKED_PODS_INDEX, value).filter((pod) => selector.matches(pod.metadata.labels));
}

function isOrphan(context: JobContext, pod: Pod): boolean {
  if (!hasFinalizer(pod)) return false;
  const manager = controllerOf(pod);
  if (manager === undefined) return true;
  // Whoever else uses the finalizer does so on purpose.
  if (manager.kind !== "Job" || manager.apiVersion !== "batch/v1") return false;
  const job = managerOf(context.jobs, "Job", pod);
  if (job === undefined) return true;
  // Its Job has let go of it just now.
  if (context.finalizers.isAwaited(job, uidOf(pod))) return false;
  return externalManager(job) === undefined && isForsaken(pod, job);
}

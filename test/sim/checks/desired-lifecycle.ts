import { isJobFinished } from "../../../pkg/api/job.ts";
import { hasCondition } from "../../../pkg/api/conditions.ts";
import type { ApiObject } from "../../../pkg/api/object.ts";
import { isPodTerminal } from "../../../pkg/api/pod.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { CronJob, Job } from "../../../pkg/api/types/batch-v1.gen.ts";
import type { ResourceQuota } from "../../../pkg/api/types/core-v1.gen.ts";
import type { Store } from "../../../pkg/apiserver/storage/store.ts";
import {
  controllersIn,
  cronJobsIn,
  deploymentsIn,
  jobsIn,
  objectsIn,
  ownedBy,
  podsIn,
  replicaSetsIn,
} from "../world/objects.ts";
import type { Differences } from "./differences.ts";

/** What a cluster at rest has of namespaces, quotas, scheduled Jobs, and nothing of: garbage. */
export function checkLifecycles(found: Differences, store: Store): void {
  checkNamespaces(found, store);
  checkGarbage(found, store);
  const jobs = jobsIn(store);
  for (const job of jobs) {
    if (isJobFinished(job) && job.spec?.ttlSecondsAfterFinished !== undefined)
      found.add(job, "has outlived its time");
  }
  for (const cronJob of cronJobsIn(store)) checkCronJob(found, cronJob, ownedBy(jobs, cronJob));
  for (const quota of objectsIn<ResourceQuota>(store, resources.resourceQuotas))
    checkQuota(found, quota, store);
}

function checkNamespaces(found: Differences, store: Store): void {
  const has = (objects: readonly ApiObject[], namespace: string, name: string): boolean =>
    objects.some(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
  const accounts = objectsIn(store, resources.serviceAccounts);
  const configMaps = objectsIn(store, resources.configMaps);
  for (const namespace of objectsIn(store, resources.namespaces)) {
    const { name = "", deletionTimestamp } = namespace.metadata;
    if (deletionTimestamp !== undefined) found.add(namespace, "is still being deleted");
    if (!has(accounts, name, "default")) found.add(namespace, "has no service account");
    if (!has(configMaps, name, "kube-root-ca.crt")) found.add(namespace, "has no certificates");
  }
}

/** Whatever names owners has them: those that are gone are struck off, or it goes with them. */
function checkGarbage(found: Differences, store: Store): void {
  const objects: readonly ApiObject[] = [
    ...podsIn(store),
    ...replicaSetsIn(store),
    ...jobsIn(store),
    ...cronJobsIn(store),
    ...deploymentsIn(store),
    ...controllersIn(store),
    ...[resources.statefulSets, resources.daemonSets, resources.controllerRevisions].flatMap((resource) =>
      objectsIn<ApiObject>(store, resource),
    ),
    // One that is in use stays for a while after its owner.
    ...objectsIn<ApiObject>(store, resources.persistentVolumeClaims).filter(
      ({ metadata }) => metadata.deletionTimestamp === undefined,
    ),
    ...objectsIn<ApiObject>(store, resources.services),
    ...objectsIn<ApiObject>(store, resources.endpoints),
    ...objectsIn<ApiObject>(store, resources.endpointSlices),
  ];
  const uids = new Set(objects.map(({ metadata }) => metadata.uid ?? ""));
  for (const object of objects) {
    const gone = (object.metadata.ownerReferences ?? []).filter(({ uid }) => !uids.has(uid));
    if (gone.length > 0)
      found.add(object, `names owners that are gone: ${gone.map(({ name }) => name).join(", ")}`);
  }
}

function checkCronJob(found: Differences, cronJob: CronJob, jobs: readonly Job[]): void {
  const { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 } = cronJob.spec ?? {};
  const endedAs = (type: string): number =>
    jobs.filter(({ status }) => hasCondition(status?.conditions, type, "True")).length;
  if (endedAs("Complete") > successfulJobsHistoryLimit)
    found.add(cronJob, `keeps ${endedAs("Complete")} successes, more than ${successfulJobsHistoryLimit}`);
  if (endedAs("Failed") > failedJobsHistoryLimit)
    found.add(cronJob, `keeps ${endedAs("Failed")} failures, more than ${failedJobsHistoryLimit}`);
  const running = jobs.filter((job) => !isJobFinished(job));
  // Who dies before it has listed what it started leaves it unlisted, as upstream does.
  const ended = (cronJob.status?.active ?? []).filter(
    ({ uid }) => !running.some(({ metadata }) => metadata.uid === uid),
  );
  found.compare(cronJob, "what has ended in status.active", ended, []);
}

function checkQuota(found: Differences, quota: ResourceQuota, store: Store): void {
  const { namespace } = quota.metadata ?? {};
  const inNamespace = (object: ApiObject): boolean => object.metadata.namespace === namespace;
  const used: Readonly<Record<string, number>> = {
    pods: podsIn(store).filter((pod) => inNamespace(pod) && !isPodTerminal(pod)).length,
    "count/jobs.batch": jobsIn(store).filter(inNamespace).length,
  };
  for (const name of Object.keys(quota.spec?.hard ?? {}))
    found.compare(quota, `used ${name}`, Number(quota.status?.used?.[name]), used[name]);
  found.compare(quota, "status.hard", quota.status?.hard, quota.spec?.hard);
}

import { type Mutant, mutantsOf } from "./mutant.ts";

/** What upstream has done wrong, by the number of kubernetes/kubernetes: see controllers/UPSTREAM.md. */
const row = (number: number, tests: readonly string[]): ReturnType<typeof mutantsOf> =>
  mutantsOf(`as upstream #${number}`, tests);

const CRON_FAULTS = ["controllers/cronjob/faults.test.ts"];

const batch: readonly Mutant[] = [
  row(136920, ["controllers/cronjob/sync.test.ts"])(
    "a Job that is there already is looked for in no namespace",
    "controllers/cronjob/apply.ts",
    'const { namespace = "", name = "" } = draft.metadata;',
    'const [namespace, { name = "" }] = ["", draft.metadata];',
  ),
  {
    ...row(133313, CRON_FAULTS)(
      "Jobs are a CronJob's by its name",
      "controllers/cronjob/context.ts",
      "manager === undefined ? [] : [manager.uid];",
      "manager === undefined ? [] : [manager.name];",
    ),
    also: {
      file: "controllers/cronjob/sync.ts",
      find: "byIndex(JOB_MANAGER_INDEX, sync.owner.metadata.uid)",
      replace: "byIndex(JOB_MANAGER_INDEX, sync.owner.metadata.name)",
    },
  },
  row(139457, ["controllers/job/sync.test.ts"])(
    "no pod of a Job is active while one is waited for",
    "controllers/job/sync-pods.ts",
    'return { ...nothing, action: "pods_created", waitMs: plan.forMs };',
    'return { ...nothing, active: 0, action: "pods_created", waitMs: plan.forMs };',
  ),
  {
    ...row(130333, ["controllers/job/stale-caches.test.ts"])(
      "a Job that has ended is synced until the cache shows it",
      "controllers/job/sync.ts",
      "if (finished.get(job)) return false;",
      "",
    ),
    also: {
      file: "controllers/job/context.ts",
      find: 'kit.readYourWrites({ featureGate: "StaleControllerConsistencyJob", skipsOf: resources.jobs });',
      replace: "kit.consistency.switchOff();",
    },
  },
];

const workloads: readonly Mutant[] = [
  row(136833, ["controllers/statefulset/status.test.ts", "controllers/statefulset/sync.test.ts"])(
    "an update on deletion is never complete",
    "controllers/statefulset/status.ts",
    "const complete = [",
    'const complete = set.spec?.updateStrategy?.type !== "OnDelete" && [',
  ),
  row(138451, ["controllers/statefulset/stale-caches.test.ts"])(
    "nobody sees that syncs are put off",
    "controllers/statefulset/context.ts",
    "    skipsOf: resources.statefulSets,\n",
    "",
  ),
  row(129301, ["pkg/api/controller-revision.test.ts"])(
    "a history's limit may be below zero",
    "pkg/api/controller-revision.ts",
    "if (limit < 0 || sorted.length <= limit) return [];",
    "if (sorted.length <= limit) return [];",
  ),
  row(129795, ["controllers/replicaset/stale-caches.test.ts"])(
    "what was written is not waited for long",
    "pkg/controller/consistency.ts",
    "if (stale === undefined) {",
    "if (stale === undefined || written.waits > 5) {",
  ),
];

const services: readonly Mutant[] = [
  row(138736, ["controllers/endpoints/desired-subsets.test.ts"])(
    "a Service has a family",
    "controllers/endpoints/desired-subsets.ts",
    "const [family] = service.spec?.ipFamilies ?? [];",
    "const [family] = service.spec?.ipFamilies as readonly string[];",
  ),
  row(133474, ["controllers/endpointslice/plan.test.ts"])(
    "no ports are others than an empty list of ports",
    "pkg/endpoints/slice-ports.ts",
    "return slicePortsText(inWireOrder(ports ?? []));",
    'return ports ? slicePortsText(inWireOrder(ports)) : "none";',
  ),
];

const lifecycle: readonly Mutant[] = [
  row(132632, ["controllers/garbagecollector/sync.test.ts"])(
    "an object that has got other owners meanwhile goes",
    "controllers/garbagecollector/apply.ts",
    "if (!semanticEqual(live.metadata.ownerReferences, read.ownerReferences)) throw error;",
    "",
  ),
  row(125796, ["controllers/garbagecollector/known.test.ts"])(
    "nothing is collected while one resource cannot be listed",
    "pkg/controller/monitors.ts",
    "const endMs = clock.monotonicMs() + PERIOD_MS;",
    "const endMs = clock.monotonicMs() + 1_000 * PERIOD_MS;",
  ),
  row(128305, ["controllers/nodeipam/sync.test.ts"])(
    "the range of a Node that is being deleted is free",
    "controllers/nodeipam/controller.ts",
    'if (change.type === "deleted") ranges.release(change.object.metadata.uid);',
    'if (change.type === "deleted" || change.object.metadata.deletionTimestamp) ranges.release(change.object.metadata.uid);',
  ),
  row(132947, ["controllers/certificates/cleaner/stale-requests.test.ts"])(
    "a request that was approved and never signed stays for ever",
    "controllers/certificates/cleaner/stale-requests.ts",
    'return isOldIn("Approved", PENDING_MS) ? "it is approved for more than a day, and not issued" : undefined;',
    "return undefined;",
  ),
];

export const upstreamMistakesMutants: readonly Mutant[] = [...batch, ...workloads, ...services, ...lifecycle];

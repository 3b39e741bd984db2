import { defineController, type Kit } from "../../pkg/controller/kit.ts";
import type { BackOff } from "../../pkg/workqueue/rate-limiter.ts";
import { type JobContext, jobContext } from "./context.ts";
import * as rules from "./handlers.ts";
import { namespaceOfOrphans, type OrphanKey } from "./keys.ts";
import { syncOrphans } from "./sync-orphans.ts";
import { syncJob } from "./sync.ts";

export interface JobSettings {
  /** For Jobs, and as many again for orphaned pods. */
  readonly workers: number;
}

const BACK_OFF: BackOff = { firstMs: 1_000, longestMs: 60_000, unlimited: true };

/** Runs pods until as many have succeeded as a Job asks for. */
export const jobController = defineController(
  { name: "job-controller", eventSource: "job-controller" },
  (kit, settings: JobSettings) => void setUp(kit, settings),
);

/** Gives what its syncs work with, for tests to look at. */
export function setUp(kit: Kit, { workers }: JobSettings): JobContext {
  const context = jobContext(kit);
  const { jobs, pods, namespaces, owned, finalizers, backoffs, finished } = context;
  const queue = kit.ownerQueue({
    name: "job",
    workers,
    backOff: BACK_OFF,
    owners: jobs,
    remembers: [owned, finalizers, backoffs, finished],
    wakes: rules.jobRule(context),
    sync: async (sync) => syncJob(sync, context),
  });
  const orphans = kit.queue<OrphanKey>({
    name: "job_orphan_pod",
    workers,
    backOff: BACK_OFF,
    groupOf: namespaceOfOrphans,
    sync: async (sync) => syncOrphans(sync, context),
  });
  jobs.hears(rules.jobListener(context));
  jobs.wakes(orphans, rules.orphansOfJobs(context));
  pods.hears(rules.podListener(context));
  pods.wakes(queue, owned.rule(rules.itsJob));
  pods.wakes(orphans, rules.orphanRule(context));
  namespaces.wakes(queue, rules.namespaceRule(jobs.lister));
  return context;
}

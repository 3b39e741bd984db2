import type { ControllerDescriptor } from "../../pkg/controller/env.ts";
import { type Kit, wired } from "../../pkg/controller/kit.ts";
import { exponentialLimiter } from "../../pkg/workqueue/rate-limiter.ts";
import { type JobContext, jobContext } from "./context.ts";
import * as rules from "./handlers.ts";
import { namespaceOfOrphans, type OrphanKey } from "./keys.ts";
import { syncOrphans } from "./sync-orphans.ts";
import { syncJob } from "./sync.ts";

export interface JobSettings {
  /** For Jobs, and as many again for orphaned pods. */
  readonly workers: number;
}

const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;

/** Runs pods until as many have succeeded as a Job asks for. */
export function jobController(settings: JobSettings): ControllerDescriptor {
  return {
    name: "job-controller",
    clientName: "job-controller",
    eventSource: "job-controller",
    build: wired((kit) => void setUp(kit, settings)),
  };
}

/** Gives what its syncs work with, for tests to look at. */
export function setUp(kit: Kit, { workers }: JobSettings): JobContext {
  const context = jobContext(kit);
  const { jobs, pods, namespaces, owned, finalizers, backoffs, finished, consistency } = context;
  const queue = kit.ownerQueue({
    name: "job",
    workers,
    rateLimiter: exponentialLimiter(FIRST_RETRY_MS, LAST_RETRY_MS),
    owners: jobs,
    consistency,
    remembers: [owned, finalizers, backoffs, finished],
    wakes: rules.jobRule(context),
    sync: async (sync) => syncJob(sync, context),
  });
  const orphans = kit.queue<OrphanKey>({
    name: "job_orphan_pod",
    workers,
    rateLimiter: exponentialLimiter(FIRST_RETRY_MS, LAST_RETRY_MS),
    groupOf: namespaceOfOrphans,
    sync: async (sync) => syncOrphans(sync, context),
  });
  jobs.hears(rules.jobListener(context));
  jobs.wakes(orphans, rules.orphansOfJobs(context));
  pods.hears(rules.podListener(context));
  pods.wakes(queue, rules.podRule(jobs, owned));
  pods.wakes(orphans, rules.orphanRule(context));
  namespaces.wakes(queue, rules.namespaceRule(jobs.lister));
  return context;
}

import type { Scenario } from "../scenario.ts";
import { accounts } from "./accounts.ts";
import { attachments } from "./attachments.ts";
import { autoscalers } from "./autoscalers.ts";
import { budgets } from "./budgets.ts";
import { certificates } from "./certificates.ts";
import { claims } from "./claims.ts";
import { cronJobs } from "./cron-jobs.ts";
import { daemonSets } from "./daemon-sets.ts";
import { deployments } from "./deployments.ts";
import { devices } from "./devices.ts";
import { evictions } from "./evictions.ts";
import { garbage } from "./garbage.ts";
import { groups } from "./groups.ts";
import { jobs } from "./jobs.ts";
import { nodeRanges } from "./node-ranges.ts";
import { nodes } from "./nodes.ts";
import { podGarbage } from "./pod-garbage.ts";
import { policies } from "./policies.ts";
import { pools } from "./pools.ts";
import { quotas } from "./quotas.ts";
import { replicas } from "./replicas.ts";
import { roles } from "./roles.ts";
import { rollouts } from "./rollouts.ts";
import { statefulSets } from "./stateful-sets.ts";
import { services } from "./services.ts";
import { taintRules } from "./taint-rules.ts";
import { ttls } from "./ttls.ts";
import { volumes } from "./volumes.ts";

export const scenarios: readonly Scenario[] = [
  ...deployments,
  ...rollouts,
  ...replicas,
  ...services,
  ...autoscalers,
  ...daemonSets,
  ...statefulSets,
  ...budgets,
  ...podGarbage,
  ...nodeRanges,
  ...garbage,
  ...accounts,
  ...certificates,
  ...roles,
  ...quotas,
  ...policies,
  ...jobs,
  ...cronJobs,
  ...nodes,
  ...devices,
  ...taintRules,
  ...pools,
  ...groups,
  ...evictions,
  ...attachments,
  ...ttls,
  ...claims,
  ...volumes,
];

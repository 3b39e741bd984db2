import { cronJobKinds } from "./batch/cron-job.ts";
import { jobKinds } from "./batch/job.ts";
import type { KindRules } from "./kind.ts";
import { podKinds } from "./pod/pod.ts";
import { controllerRevisionKinds } from "./workloads/controller-revision.ts";
import { daemonSetKinds } from "./workloads/daemon-set.ts";
import { deploymentKinds } from "./workloads/deployment.ts";
import { replicaSetKinds } from "./workloads/replica-set.ts";
import { replicationControllerKinds } from "./workloads/replication-controller.ts";
import { statefulSetKinds } from "./workloads/stateful-set.ts";

/** Every kind that has rules of its own. The server serves the others with the rules that all kinds share. */
export const allKinds: readonly KindRules[] = [
  ...podKinds,
  ...replicationControllerKinds,
  ...deploymentKinds,
  ...replicaSetKinds,
  ...statefulSetKinds,
  ...daemonSetKinds,
  ...controllerRevisionKinds,
  ...jobKinds,
  ...cronJobKinds,
];

import type { ClientBuilder } from "../../pkg/client/client-builder.ts";
import { unlimited } from "../../pkg/client/limiter.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import type { Random } from "../../pkg/clock/random.ts";
import { type LeaseElection, leaseElection } from "../../pkg/leader/lease-election.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import type { Metrics } from "../../pkg/metrics/metrics.ts";
import { newIdentity } from "./identity.ts";
import type { Options } from "./options/options.ts";

export interface CandidateOptions {
  readonly options: Options;
  readonly leaseName: string;
  readonly clients: ClientBuilder;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** This process as a candidate for a Lease, in the namespace and with the timing that the flags name. */
export function candidateFor({ options, leaseName, clients, ...parts }: CandidateOptions): LeaseElection {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs, resourceNamespace } = options.generic;
  return leaseElection({
    ...parts,
    namespace: resourceNamespace,
    name: leaseName,
    identity: newIdentity(),
    component: "kube-controller-manager",
    timing: { leaseDurationMs, renewDeadlineMs, retryPeriodMs },
    client: clients.client("leader-election", {
      ownConnection: true,
      limiter: unlimited,
      timeoutMs: renewDeadlineMs / 2,
    }),
  });
}

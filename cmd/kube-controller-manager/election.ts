import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { resources } from "../../pkg/api/resources.ts";
import type { ClientBuilder } from "../../pkg/client/client-builder.ts";
import { unlimited } from "../../pkg/client/limiter.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import type { Random } from "../../pkg/clock/random.ts";
import { EventBroadcaster } from "../../pkg/events/broadcaster.ts";
import { LeaderElector } from "../../pkg/leader/elector.ts";
import { LeaseLock } from "../../pkg/leader/lease-lock.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import type { Metrics } from "../../pkg/metrics/metrics.ts";
import type { Options } from "./options/options.ts";

export interface ElectionOptions {
  readonly options: Options;
  readonly leaseName: string;
  /** Not fenced: the election goes on when writing is over. */
  readonly clients: ClientBuilder;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
}

export interface LeaseElection {
  readonly elector: LeaderElector;
  /** Sends the last events; when the election is over. */
  close(): Promise<void>;
}

const EVENT_FLUSH_MS = 2_000;

/** This process as a candidate for a Lease, in the namespace and with the timing that the flags name. */
export function leaseElection({
  options,
  leaseName,
  clients,
  clock,
  random,
  log,
  metrics,
}: ElectionOptions): LeaseElection {
  const { leaseDurationMs, renewDeadlineMs, retryPeriodMs, resourceNamespace } = options.generic;
  const client = clients.client("leader-election", {
    ownConnection: true,
    limiter: unlimited,
    timeoutMs: renewDeadlineMs / 2,
  });
  const events = new EventBroadcaster({
    client: client.writeOnly(resources.events),
    clock,
    random,
    log,
    metrics,
  });
  const lock = new LeaseLock({
    client: client.clientFor(resources.leases),
    namespace: resourceNamespace,
    name: leaseName,
    identity: `${hostname()}_${randomUUID()}`,
    events: events.recorder({ component: "kube-controller-manager" }),
  });
  const elector = new LeaderElector({
    name: leaseName,
    lock,
    timing: { leaseDurationMs, renewDeadlineMs, retryPeriodMs },
    releaseOnStop: true,
    clock,
    random,
    log: log.child({ component: "leaderelection" }),
    metrics,
    onNewLeader: (identity) => log.info("New leader elected", { identity }),
  });
  return { elector, close: async () => events.shutDown(EVENT_FLUSH_MS) };
}

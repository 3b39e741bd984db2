import { resources } from "../api/resources.ts";
import type { ClientSet } from "../client/client-set.ts";
import type { Clock } from "../clock/clock.ts";
import type { Random } from "../clock/random.ts";
import { EventBroadcaster } from "../events/broadcaster.ts";
import type { Logger } from "../log/logger.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { ElectionTiming } from "./election-timing.ts";
import { LeaderElector } from "./elector.ts";
import { LeaseLock } from "./lease-lock.ts";

export interface LeaseElectionOptions {
  readonly namespace: string;
  /** Of the Lease. */
  readonly name: string;
  /** Unique among all candidates, of all times. */
  readonly identity: string;
  /** Source of the events on the Lease. */
  readonly component: string;
  readonly timing: ElectionTiming;
  /** Not fenced: the election goes on when writing is over. */
  readonly client: ClientSet;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Told of every leader that comes to be known, this process included; "" when nobody leads. */
  readonly onNewLeader?: (identity: string) => void;
}

export interface LeaseElection {
  readonly elector: LeaderElector;
  /** Sends the last events; when the election is over. */
  close(): Promise<void>;
}

const EVENT_FLUSH_MS = 2_000;

/** This process as a candidate for a Lease, which it gives back when it is done. */
export function leaseElection(options: LeaseElectionOptions): LeaseElection {
  const { client, namespace, name, identity, component, timing, clock, random, log, metrics } = options;
  const events = new EventBroadcaster({
    client: client.writeOnly(resources.events),
    clock,
    random,
    log,
    metrics,
  });
  const lock = new LeaseLock({
    client: client.clientFor(resources.leases),
    namespace,
    name,
    identity,
    events: events.recorder({ component }),
  });
  const elector = new LeaderElector({
    name,
    lock,
    timing,
    releaseOnStop: true,
    clock,
    random,
    log: log.child({ component: "leaderelection" }),
    metrics,
    onNewLeader: (leader) => {
      log.info("New leader elected", { identity: leader });
      options.onNewLeader?.(leader);
    },
  });
  return { elector, close: async () => events.shutDown(EVENT_FLUSH_MS) };
}

import { nodeCondition } from "../../pkg/api/node.ts";
import type { Stored } from "../../pkg/api/object.ts";
import { parseTime } from "../../pkg/api/time.ts";
import { isConflict, isUnreachable } from "../../pkg/client/errors.ts";
import { isGoneOrReplaced } from "../../pkg/controller/read-live.ts";
import type { Sync } from "../../pkg/controller/sync.ts";
import { ATTEMPTS } from "./apply.ts";
import type { NodeContext } from "./context.ts";
import type { KnownNode } from "./known-nodes.ts";
import { type HealthReport, isRenewed, isSilent, lookAtHealth } from "./node-health.ts";
import { isSilenceNews, silentStatus } from "./silent-status.ts";
import type { CachedNode, CachedLease } from "./fields.ts";

export const LEASE_NAMESPACE = "kube-node-lease";
/** Silence beyond this many grace periods is believed although the server cannot say how it is. */
const UNCONFIRMED_GRACE_PERIODS = 2;

/** What one round finds out about a node. */
export interface Look {
  readonly known: KnownNode;
  /** It has just come to the cluster. */
  readonly isNewcomer: boolean;
  /** As far as it was written in this round: as the server has answered. */
  node: Stored<CachedNode>;
  report: HealthReport;
  /** Status of Ready that was found. A node that has none is unknown. */
  observed: string;
  /** Status of Ready from now on; undefined: there is none. */
  current: string | undefined;
  /** It does not count: there is no such node any more. */
  isGone: boolean;
}

/** Looks at a node as the caches know it. */
export function lookAt(context: NodeContext, known: KnownNode, isNewcomer: boolean): Look {
  const report = reportOf(context, known, known.node);
  const current = nodeCondition(known.node, "Ready")?.status;
  const observed = current ?? "Unknown";
  return { known, isNewcomer, node: known.node, report, current, observed, isGone: false };
}

function reportOf(
  { clock, leases, settings }: NodeContext,
  known: KnownNode,
  node: Stored<CachedNode>,
): HealthReport {
  const { name, creationTimestamp } = node.metadata;
  const nowMs = clock.monotonicMs();
  const lease = leases.lister.get(LEASE_NAMESPACE, name);
  const ageMs = clock.nowMs() - (parseTime(creationTimestamp) ?? 0);
  const report = lookAtHealth(
    { node, nowMs, createdMs: nowMs - ageMs, lease: lease && leaseOf(lease), before: known.health },
    settings,
  );
  known.health = report.health;
  return report;
}

function leaseOf({ spec }: CachedLease): { readonly renewTime: string | null | undefined } {
  return { renewTime: spec?.renewTime };
}

/** The caches make the node out to be silent, and the node does not say so yet. */
export function isSuspect({ report, node }: Look): boolean {
  return isSilent(report) && isSilenceNews(node);
}

/**
 * Whoever seems to be silent is given a hearing before it is said to be: the server is asked for all Leases, past the
 * cache, whose watch may be stuck. It is one list for all, with the rights of the watch.
 */
export async function hear(sync: Sync, context: NodeContext, suspects: readonly Look[]): Promise<void> {
  if (suspects.length === 0) return;
  const byName = new Map(suspects.map((look) => [look.node.metadata.name, look]));
  const nowMs = context.clock.monotonicMs();
  const onLease = ({ metadata: { namespace, name }, spec }: Stored<CachedLease>): void => {
    const look = namespace === LEASE_NAMESPACE ? byName.get(name) : undefined;
    const lease = { renewTime: spec?.renewTime };
    if (look === undefined || !isRenewed(look.report.health.lease, lease)) return;
    signOfLife(look, { ...look.report.health, lease }, nowMs);
  };
  try {
    await context.leases.listLive(onLease, sync.signal);
  } catch (error) {
    sync.signal.throwIfAborted();
    if (isUnreachable(error)) {
      context.memory.isCutOff = true;
      throw error;
    }
    sync.log.error(error, "Leases cannot be listed: nodes that seem to be silent are given more time");
    for (const look of suspects) if (!isBelieved(look.report)) look.report = { ...look.report, silentMs: 0 };
    return;
  }
  if (!context.memory.isCutOff) return;
  context.memory.isCutOff = false;
  sync.log.info("The API server is back: nodes that could not reach it either are not called silent");
  for (const look of suspects) signOfLife(look, look.report.health, nowMs);
}

function isBelieved({ silentMs, graceMs }: HealthReport): boolean {
  return silentMs > UNCONFIRMED_GRACE_PERIODS * graceMs;
}

function signOfLife(look: Look, health: HealthReport["health"], probeMs: number): void {
  look.report = { ...look.report, health: { ...health, probeMs }, silentMs: 0 };
  look.known.health = look.report.health;
}

/** Writes that nothing is known of the node any more, unless it has said something meanwhile. */
export async function markSilent(sync: Sync, context: NodeContext, look: Look): Promise<void> {
  const { nodeWrites, lanes, clock } = context;
  const writer = { owner: look.node, signal: sync.signal };
  for (let attempt = 1; ; attempt++) {
    const { node } = look;
    const status = silentStatus(node, clock.nowMs());
    if (status === undefined) return;
    const { uid, resourceVersion } = node.metadata;
    const body = { metadata: { uid, resourceVersion }, status };
    try {
      look.node = await lanes.run(async () =>
        nodeWrites.patchStatus(writer, node, { type: "strategic", body }),
      );
      look.current = "Unknown";
      return;
    } catch (error) {
      if (isGoneOrReplaced(error)) {
        look.isGone = true;
        return;
      }
      if (!isConflict(error) || attempt === ATTEMPTS) throw error;
    }
    if (!(await lookAgain(sync, context, look))) return;
  }
}

/** Looks at the node as the server has it now. False when it is not silent, or gone. */
async function lookAgain(sync: Sync, context: NodeContext, look: Look): Promise<boolean> {
  const { nodeWrites, lanes } = context;
  const live = await lanes.run(async () => nodeWrites.live(sync, look.node));
  if (live === undefined) {
    look.isGone = true;
    return false;
  }
  look.node = live;
  look.report = reportOf(context, look.known, live);
  look.current = nodeCondition(live, "Ready")?.status;
  look.observed = look.current ?? "Unknown";
  return isSilent(look.report);
}

import { nodeCondition } from "../../pkg/api/node.ts";
import type { Stored } from "../../pkg/api/object.ts";
import { versionOrder } from "../../pkg/api/resource-version.ts";
import { parseMicros, parseTime } from "../../pkg/api/time.ts";
import type { NodeCondition } from "../../pkg/api/types/core-v1.gen.ts";
import type { CachedNode } from "./fields.ts";

/** How long a node may be silent. */
export interface GracePeriods {
  readonly monitorGracePeriodMs: number;
  /** For a node that has not said yet whether it is ready. */
  readonly startupGracePeriodMs: number;
}

/** Signs of life are kept by our own clock, which has nothing to do with those of the nodes. */
export interface NodeHealth {
  /** When there was last a sign of life. All times are of the monotonic clock. */
  readonly probeMs: number;
  /** Of the Ready condition that was seen last, and the version of the node that had it; undefined: there was none. */
  readonly ready: { readonly heartbeat: string | null | undefined; readonly version: string } | undefined;
  /** Of the Lease that was seen last; undefined: there was none. */
  readonly lease: { readonly renewTime: string | null | undefined } | undefined;
}

export interface HealthView {
  readonly node: Stored<CachedNode>;
  /** When the node was created. */
  readonly createdMs: number;
  readonly lease: NodeHealth["lease"];
  /** Undefined when the node is looked at for the first time. */
  readonly before: NodeHealth | undefined;
  readonly nowMs: number;
}

export interface HealthReport {
  readonly health: NodeHealth;
  /** Since the last sign of life. */
  readonly silentMs: number;
  readonly graceMs: number;
}

/**
 * What is known of a node's health after a look at it. E.g. with a grace period of 50 s: seen at 0 s, status changed at
 * 8 s (looked at at 10 s), Lease renewed at 29 s (looked at at 30 s): it is silent too long after 80 s.
 */
export function lookAtHealth(view: HealthView, periods: GracePeriods): HealthReport {
  const { node, nowMs } = view;
  const ready = nodeCondition(node, "Ready");
  const health = withLease(view, withStatus(view, ready));
  const graceMs = ready === undefined ? periods.startupGracePeriodMs : periods.monitorGracePeriodMs;
  return { health, graceMs, silentMs: nowMs - health.probeMs };
}

/** Whether a node has been silent for so long that nothing is known of it any more. */
export function isSilent({ silentMs, graceMs }: HealthReport): boolean {
  return silentMs > graceMs;
}

/**
 * A Ready condition says something new when its heartbeat differs, whatever the clock of the node says; but not to whoever
 * has read a later version of the node already, past the cache.
 */
function withStatus(
  view: HealthView,
  ready: Pick<NodeCondition, "lastHeartbeatTime"> | undefined,
): NodeHealth {
  const { node, before, createdMs, nowMs } = view;
  if (ready === undefined) {
    // Nobody has posted a status yet: its creation is the first sign of life.
    return { probeMs: before?.probeMs ?? createdMs, ready: undefined, lease: before?.lease };
  }
  const heartbeat = ready.lastHeartbeatTime;
  const { resourceVersion: version } = node.metadata;
  if (before?.ready !== undefined) {
    if (isSameTime(before.ready.heartbeat, heartbeat)) return before;
    if ((versionOrder(version, before.ready.version) ?? 0) < 0) return before;
  }
  // upstream: node_lifecycle_controller.go#tryUpdateNodeHealth, which forgets the Lease with a new heartbeat, so that the
  // look after that one counts as a sign of life too.
  return { probeMs: nowMs, ready: { heartbeat, version }, lease: undefined };
}

function withLease({ before, lease, nowMs }: HealthView, health: NodeHealth): NodeHealth {
  return isRenewed(before?.lease, lease) ? { ...health, probeMs: nowMs, lease } : health;
}

/** Whether a Lease says something new. One without a time does so once. */
export function isRenewed(before: NodeHealth["lease"], lease: NodeHealth["lease"]): boolean {
  if (lease === undefined) return false;
  if (before === undefined) return true;
  const { renewTime } = lease;
  if (renewTime === before.renewTime) return false;
  return (parseMicros(renewTime) ?? -Infinity) > (parseMicros(before.renewTime) ?? -Infinity);
}

function isSameTime(one: string | null | undefined, other: string | null | undefined): boolean {
  return one === other || parseTime(one) === parseTime(other);
}

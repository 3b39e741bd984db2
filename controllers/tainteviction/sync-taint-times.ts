import { parseTime } from "../../pkg/api/time.ts";
import type { Taint } from "../../pkg/api/types/core-v1.gen.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import type { Change } from "../../pkg/controller/change.ts";
import { evictingTaints, type TaintSince } from "./eviction-plan.ts";
import type { CachedNode } from "./fields.ts";

/** The node is gone, be it that its kubelet says so or that nobody does: one follows the other in the same outage. */
const OUTAGE: Readonly<Record<string, string>> = {
  "node.kubernetes.io/not-ready": "node.kubernetes.io/unreachable",
  "node.kubernetes.io/unreachable": "node.kubernetes.io/not-ready",
};
/** Times in objects have no fractions: what was at 10.9 s is written as at 10 s. */
const FRACTION_MS = 1_000;

interface Known {
  readonly sinceMs: number;
  /** Another time tells that the taint has gone and come again meanwhile. */
  readonly timeAddedMs: number | undefined;
}

/**
 * Since when nodes have had the taints that evict. What this process has seen come, it knows. Of what was there before it
 * the taint tells, so that nobody begins to count anew when the leader changes.
 */
export class TaintTimes {
  readonly #clock: Clock;
  /** By the uid of the node. */
  readonly #since = new Map<string, ReadonlyMap<string, Known>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  observe(change: Change<CachedNode>): void {
    const { uid } = change.object.metadata;
    if (change.type === "deleted") {
      this.#since.delete(uid);
      return;
    }
    const taints = evictingTaints(change.object.spec?.taints);
    if (taints.length === 0) {
      this.#since.delete(uid);
      return;
    }
    const known = this.#since.get(uid) ?? new Map<string, Known>();
    const wasThere = change.type === "added" && change.listed;
    const next = new Map<string, Known>();
    for (const taint of taints) {
      const timeAddedMs = parseTime(taint.timeAdded);
      const before = known.get(taint.key);
      const cameMs = wasThere ? sinceStamp(this.#clock, taint.timeAdded) : this.#clock.monotonicMs();
      const sinceMs = before !== undefined && before.timeAddedMs === timeAddedMs ? before.sinceMs : undefined;
      next.set(taint.key, { timeAddedMs, sinceMs: Math.min(sinceMs ?? cameMs, outageSince(taint, known)) });
    }
    this.#since.set(uid, next);
  }

  /** With the taints that are given: those that nobody has told of yet have come just now. */
  of({ metadata: { uid = "" }, spec }: CachedNode): readonly TaintSince[] {
    const known = this.#since.get(uid);
    const nowMs = this.#clock.monotonicMs();
    return evictingTaints(spec?.taints).map((taint) => ({
      taint,
      sinceMs: known?.get(taint.key)?.sinceMs ?? nowMs,
    }));
  }
}

/**
 * Since when, at the latest, what an object gives a time of, by the clock that never jumps; since now, if it gives none. A
 * time that is yet to come is that of a clock which is wrong.
 */
export function sinceStamp(clock: Clock, stamp: string | null | undefined): number {
  const atMs = parseTime(stamp);
  const agoMs = atMs === undefined ? 0 : Math.max(0, clock.nowMs() - atMs - FRACTION_MS);
  return clock.monotonicMs() - agoMs;
}

/** The other taint of the same outage came first. */
function outageSince({ key }: Taint, known: ReadonlyMap<string, Known>): number {
  return known.get(OUTAGE[key] ?? "")?.sinceMs ?? Infinity;
}

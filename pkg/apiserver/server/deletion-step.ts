import { secondsToMs } from "../../api/duration.ts";
import { addInt64, type Int64 } from "../../api/int64.ts";
import type { ApiObject } from "../../api/object.ts";
import { formatTime, parseTime } from "../../api/time.ts";
import { asJson } from "../../api/json.ts";
import type { Unstored } from "../storage/store.ts";
import type { Call } from "./call.ts";
import type { DeleteOptions } from "./delete-options.ts";
import { finishObject } from "./object-lifecycle.ts";

/** Kinds whose dependents stay unless the client says otherwise. */
const orphansByDefault = new Set(["replicationcontrollers", "batch/jobs"]);
/** Kinds that nothing can depend on: propagation policies mean nothing to them. */
const withoutDependents = new Set(["events", "events.k8s.io/events"]);

const orphanFinalizer = "orphan";
const foregroundFinalizer = "foregroundDeletion";

export type DeletionStep =
  /** `shown`: what the one who deletes it is told, where that is more than what was stored. */
  | { readonly kind: "remove"; readonly shown?: Unstored }
  | { readonly kind: "mark"; readonly next: Unstored }
  /** The deletion goes on already, and this request changes nothing about it. */
  | { readonly kind: "wait" };

/** What this request does about the object now. */
export function deletionStep(call: Call, stored: ApiObject, options: DeleteOptions): DeletionStep {
  const { served, clock } = call;
  const grace = graceOf(call, stored, options);
  if (grace.kind === "pending") return { kind: "wait" };
  const finalizers = finalizersFor(call, stored, options);
  const hold = served.deletionHold?.(stored, clock.nowMs());
  if (hold !== undefined) {
    const all = [...new Set([...finalizers, ...hold.finalizers])];
    return { kind: "mark", next: holdBack(call, stored, all, hold.members) };
  }
  if (grace.kind === "graceful" && (grace.seconds > 0 || finalizers.length > 0))
    return { kind: "mark", next: withGrace(stored, finalizers, grace) };
  if (finalizers.length > 0) return { kind: "mark", next: markDeleting(call, stored, finalizers) };
  return grace.kind === "graceful"
    ? { kind: "remove", shown: withGrace(stored, finalizers, grace) }
    : { kind: "remove" };
}

type Grace =
  | { readonly kind: "none" }
  | { readonly kind: "pending" }
  | {
      readonly kind: "graceful";
      readonly seconds: Int64;
      readonly deadline: string;
      readonly first: boolean;
    };

/** How much longer the object may live; a deletion under way can only be brought forward. */
function graceOf({ served, clock }: Call, stored: ApiObject, options: DeleteOptions): Grace {
  const { rules } = served;
  if (rules.deletionGraceSeconds === undefined) return { kind: "none" };
  const nowMs = clock.nowMs();
  const { deletionTimestamp, deletionGracePeriodSeconds } = stored.metadata;
  if (deletionTimestamp !== undefined) {
    if ((deletionGracePeriodSeconds ?? 0) === 0) return { kind: "none" };
    const granted = (deletionGracePeriodSeconds ?? 0) < 1 ? 1 : (deletionGracePeriodSeconds ?? 1);
    let seconds = options.gracePeriodSeconds;
    if (seconds === undefined || seconds >= granted) return { kind: "pending" };
    let deadlineMs = (parseTime(deletionTimestamp) ?? nowMs) - secondsToMs(granted) + secondsToMs(seconds);
    if (deadlineMs < nowMs) {
      deadlineMs = nowMs;
      if (seconds !== 0) seconds = 1;
    }
    return { kind: "graceful", seconds, deadline: formatTime(deadlineMs), first: false };
  }
  const seconds = rules.deletionGraceSeconds(stored, options.gracePeriodSeconds);
  if (seconds === undefined) return { kind: "none" };
  return { kind: "graceful", seconds, deadline: formatTime(nowMs + secondsToMs(seconds)), first: true };
}

function withGrace(
  stored: ApiObject,
  finalizers: readonly string[],
  grace: Extract<Grace, { kind: "graceful" }>,
): Unstored {
  const { generation } = stored.metadata;
  return redrafted(
    stored,
    {},
    {
      deletionTimestamp: grace.deadline,
      deletionGracePeriodSeconds: grace.seconds,
      finalizers,
      ...(grace.first && generation !== undefined ? { generation: addInt64(generation, 1) } : {}),
    },
  );
}

function markDeleting({ clock }: Call, stored: ApiObject, finalizers: readonly string[]): Unstored {
  const { deletionTimestamp, generation } = stored.metadata;
  const isFirst = deletionTimestamp === undefined;
  return redrafted(
    stored,
    {},
    {
      deletionTimestamp: deletionTimestamp ?? formatTime(clock.nowMs()),
      deletionGracePeriodSeconds: 0,
      finalizers,
      ...(isFirst && generation !== undefined ? { generation: addInt64(generation, 1) } : {}),
    },
  );
}

/** As `markDeleting`, by kinds that take care of their own contents: no grace, no new generation. */
function holdBack(
  { clock }: Call,
  stored: ApiObject,
  finalizers: readonly string[],
  members: Readonly<Record<string, unknown>>,
): Unstored {
  const deletionTimestamp = stored.metadata.deletionTimestamp ?? formatTime(clock.nowMs());
  return redrafted(stored, members, { deletionTimestamp, finalizers });
}

function redrafted(
  stored: ApiObject,
  members: Readonly<Record<string, unknown>>,
  metadata: Readonly<Record<string, unknown>>,
): Unstored {
  return finishObject({
    ...asJson(stored),
    ...members,
    metadata: { ...stored.metadata, ...metadata },
  });
}

function finalizersFor(
  { served }: Call,
  stored: ApiObject,
  { propagationPolicy, cascadeByOldFlag }: DeleteOptions,
): readonly string[] {
  const present = stored.metadata.finalizers ?? [];
  const others = present.filter((name) => name !== orphanFinalizer && name !== foregroundFinalizer);
  if (withoutDependents.has(served.bucket)) return others;
  // upstream: namespaces read the old flag in their own way.
  const policy = cascadeByOldFlag && served.bucket === "namespaces" ? "Foreground" : propagationPolicy;
  const wanted = wantedFinalizer(served.bucket, present, policy);
  if (wanted === undefined) return others;
  return present.includes(wanted) && present.length === others.length + 1 ? present : [...others, wanted];
}

/** The policy asked for; else the one that a finalizer already stands for; else that of the kind. */
function wantedFinalizer(
  bucket: string,
  present: readonly string[],
  policy: DeleteOptions["propagationPolicy"],
): string | undefined {
  if (policy === "Orphan") return orphanFinalizer;
  if (policy === "Foreground") return foregroundFinalizer;
  if (policy === "Background") return undefined;
  const first = present.find((name) => name === orphanFinalizer || name === foregroundFinalizer);
  return first ?? (orphansByDefault.has(bucket) ? orphanFinalizer : undefined);
}

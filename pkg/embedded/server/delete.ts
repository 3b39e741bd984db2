import type { ApiObject, Status } from "../../api/object.ts";
import { formatTime, parseTime } from "../../api/time.ts";
import { asJson } from "../kinds/json.ts";
import { freezeDeep } from "../storage/freeze.ts";
import type { Unstored } from "../storage/store.ts";
import { admissionAttributes } from "./admit.ts";
import type { Call } from "./call.ts";
import { type DeleteOptions, readDeleteOptions } from "./delete-options.ts";
import { negotiateOutput } from "./negotiate.ts";
import { finishObject, sameObject } from "./object-lifecycle.ts";
import { Output } from "./output.ts";
import { currentObject } from "./read.ts";
import type { ApiResponse } from "./request.ts";
import { readAsServed, storageKey } from "./served-resource.ts";
import { conflict, kindConflict, notFound } from "./status-error.ts";

const deleteAttempts = 8;

/** Kinds whose delete answers with the object; the others answer with a Status. */
const answersWithObject = new Set([
  "deviceclasses",
  "namespaces",
  "persistentvolumeclaims",
  "persistentvolumes",
  "pods",
  "podtemplates",
  "resourceclaims",
  "resourceclaimtemplates",
  "resourcequotas",
  "resourceslices",
  "serviceaccounts",
  "services",
  "csidrivers",
  "csinodes",
  "storageclasses",
  "volumeattachments",
  "volumeattributesclasses",
]);

/** Kinds whose dependents stay unless the client says otherwise. */
const orphansByDefault = new Set(["replicationcontrollers", "batch/jobs"]);
/** Kinds that nothing can depend on: propagation policies mean nothing to them. */
const withoutDependents = new Set(["events", "events.k8s.io/events"]);

const orphanFinalizer = "orphan";
const foregroundFinalizer = "foregroundDeletion";

export async function deleteObject(call: Call): Promise<ApiResponse> {
  const { request, served, clock } = call;
  const form = negotiateOutput(request.headers["accept"], request.query);
  const options = readDeleteOptions(request);
  if (served.bucket === "batch/jobs" && options.propagationPolicy === undefined) {
    call.warnings.push(
      "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or " +
        "set propagationPolicy=Orphan to suppress this warning",
    );
  }
  const { object, gone } = await removeObject(call, options);
  const status = !gone && options.cascadeByOldFlag ? 202 : 200;
  const plainStatus = gone && !answersWithObject.has(served.resource.plural);
  const value = plainStatus
    ? deletedStatus(call, object)
    : new Output(served, form, clock.nowMs()).object(object);
  return { status, headers: {}, body: { kind: "object", value } };
}

function deletedStatus({ served }: Call, object: ApiObject): Status {
  const { group, plural } = served.resource;
  const { name = "", uid = "" } = object.metadata;
  const details = { name, ...(group === "" ? {} : { group }), kind: plural, uid };
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", details };
}

interface Removal {
  readonly object: ApiObject;
  /** False while grace or finalizers keep the object. */
  readonly gone: boolean;
}

/** Deletes the object that the call names, or takes the first step towards it. */
export async function removeObject(call: Call, options: DeleteOptions): Promise<Removal> {
  const { served, info, admission, store, faults } = call;
  const key = storageKey(served.resource.namespaced, info.namespace, info.name);
  for (let attempt = 1; attempt <= deleteAttempts; attempt++) {
    const stored = currentObject(call);
    if (stored === undefined) throw notFound(served.resource, info.name);
    checkPreconditions(call, options, stored);
    const attributes = {
      ...admissionAttributes(call, "DELETE", info.name, readAsServed(served, stored), options),
      options: options.raw,
    };
    await admission.mutate(attributes, undefined);
    await admission.validate(attributes, undefined);
    await faults.beforeWrite(call.subject);
    const step = deletionStep(call, stored, options);
    if (step.kind === "wait") return { object: stored, gone: false };
    if (step.kind === "mark") {
      if (options.dryRun) return { object: freezeDeep(step.next), gone: false };
      if (sameObject(step.next, stored)) return { object: stored, gone: false };
      const marked = store.put(served.bucket, key, stored, step.next);
      if (marked !== undefined) return { object: marked, gone: false };
    } else {
      if (options.dryRun) return { object: stored, gone: true };
      const removed = store.remove(served.bucket, key, stored);
      if (removed !== undefined) return { object: removed, gone: true };
    }
  }
  throw conflict(served.resource, info.name);
}

function checkPreconditions(
  { served }: Call,
  { uid, resourceVersion }: DeleteOptions,
  stored: ApiObject,
): void {
  const { metadata } = stored;
  const name = metadata.name ?? "";
  if (uid !== undefined && uid !== metadata.uid)
    throw kindConflict(
      served.resource,
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid ?? ""}). The object might have been deleted and then recreated`,
    );
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion)
    throw kindConflict(
      served.resource,
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion ?? ""}). The object might have been modified`,
    );
}

type DeletionStep =
  | { readonly kind: "remove" }
  | { readonly kind: "mark"; readonly next: Unstored }
  /** The deletion goes on already, and this request changes nothing about it. */
  | { readonly kind: "wait" };

function deletionStep(call: Call, stored: ApiObject, options: DeleteOptions): DeletionStep {
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
  return { kind: "remove" };
}

type Grace =
  | { readonly kind: "none" }
  | { readonly kind: "pending" }
  | {
      readonly kind: "graceful";
      readonly seconds: number;
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
    const granted = Math.max(deletionGracePeriodSeconds ?? 0, 1);
    let seconds = options.gracePeriodSeconds;
    if (seconds === undefined || seconds >= granted) return { kind: "pending" };
    let deadlineMs = (parseTime(deletionTimestamp) ?? nowMs) - granted * 1000 + seconds * 1000;
    if (deadlineMs < nowMs) {
      deadlineMs = nowMs;
      if (seconds !== 0) seconds = 1;
    }
    return { kind: "graceful", seconds, deadline: formatTime(deadlineMs), first: false };
  }
  const seconds = rules.deletionGraceSeconds(stored, options.gracePeriodSeconds);
  if (seconds === undefined) return { kind: "none" };
  return { kind: "graceful", seconds, deadline: formatTime(nowMs + seconds * 1000), first: true };
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
      ...(grace.first && generation !== undefined ? { generation: generation + 1 } : {}),
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
      ...(isFirst && generation !== undefined ? { generation: generation + 1 } : {}),
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
  { propagationPolicy }: DeleteOptions,
): readonly string[] {
  const present = stored.metadata.finalizers ?? [];
  const others = present.filter((name) => name !== orphanFinalizer && name !== foregroundFinalizer);
  if (withoutDependents.has(served.bucket)) return others;
  const wanted = wantedFinalizer(served.bucket, present, propagationPolicy);
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

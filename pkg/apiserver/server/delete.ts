import { child } from "../../api/json.ts";
import type { ApiObject, Status } from "../../api/object.ts";
import { deepFreeze } from "../../api/freeze.ts";
import type { Unstored } from "../storage/store.ts";
import { admissionAttributes } from "./admit.ts";
import type { Call } from "./call.ts";
import { type DeleteOptions, readDeleteOptions } from "./delete-options.ts";
import { deletionStep } from "./deletion-step.ts";
import { negotiateOutput } from "./negotiate.ts";
import { sameObject } from "./object-lifecycle.ts";
import { Output } from "./output.ts";
import { currentObject } from "./read.ts";
import type { ApiResponse } from "./request.ts";
import { readAsServed, type ServedResource, storageKey } from "./served-resource.ts";
import { asOlder, conflict, kindConflict, notFound } from "./status-error.ts";

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

export async function deleteObject(call: Call): Promise<ApiResponse> {
  const { request, served, clock } = call;
  const form = negotiateOutput(request.headers["accept"], request.query, served);
  const options = readDeleteOptions(request);
  warnOfOrphans(call, options);
  const { object, gone } = await removeObject(call, options);
  const status = !gone && options.cascadeByOldFlag ? 202 : 200;
  const plainStatus = gone && !answersWithObject.has(served.resource.plural);
  const value = plainStatus
    ? deletedStatus(call, object)
    : await new Output(served, form, clock.nowMs()).object(object);
  return { status, headers: {}, body: { kind: "object", value } };
}

export function warnOfOrphans({ served, warnings }: Call, { propagationPolicy }: DeleteOptions): void {
  if (served.bucket !== "batch/jobs" || propagationPolicy !== undefined) return;
  warnings.push(
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or " +
      "set propagationPolicy=Orphan to suppress this warning",
  );
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
    if (deletionStep(call, stored, options).kind === "wait") return { object: stored, gone: false };
    const remote = served.conversion?.remote;
    const attributes = admissionAttributes(call, options, {
      operation: "DELETE",
      // Of many, none is named.
      name: call.verb === "deletecollection" ? "" : info.name,
      before: remote === undefined ? readAsServed(served, stored) : await remote.anew(stored),
      options: optionsAsked(call, options, stored),
    });
    await admission.mutate(attributes, undefined);
    await admission.validate(attributes, undefined);
    await faults.beforeWrite(call.subject);
    const step = deletionStep(call, stored, options);
    if (step.kind === "wait") return { object: stored, gone: false };
    if (step.kind === "mark") {
      if (options.dryRun) return { object: ofVersion(step.next, stored), gone: false };
      if (sameObject(step.next, stored)) return { object: stored, gone: false };
      const marked = store.put(served.bucket, key, stored, step.next);
      if (marked !== undefined) return { object: marked, gone: false };
    } else {
      const { shown } = step;
      const removed = options.dryRun ? stored : store.remove(served.bucket, key, stored);
      if (removed !== undefined)
        return { object: shown === undefined ? removed : ofVersion(shown, removed), gone: true };
    }
  }
  throw conflict(served.resource, info.name);
}

/** upstream: pkg/registry/core/namespace/storage/storage.go#REST.Delete holds the deletion to the namespace that it saw. */
function optionsAsked(
  { served }: Call,
  { raw, uid }: DeleteOptions,
  stored: ApiObject,
): Readonly<Record<string, unknown>> {
  const { kind: _kind, apiVersion: _apiVersion, ...given } = raw;
  const held =
    served.bucket === "namespaces" && uid === undefined
      ? { preconditions: { ...child(given, "preconditions"), uid: stored.metadata.uid } }
      : {};
  return { kind: "DeleteOptions", apiVersion: "meta.k8s.io/v1", ...given, ...held };
}

function ofVersion(object: Unstored, { metadata }: ApiObject): ApiObject {
  object.metadata.resourceVersion = metadata.resourceVersion ?? "";
  return deepFreeze(object);
}

/** Throws a conflict when the object is not the one, or not as old, as the client says. */
export function checkPreconditions(
  { served }: Call,
  { uid, resourceVersion }: Pick<DeleteOptions, "uid" | "resourceVersion">,
  stored: ApiObject,
): void {
  const { metadata } = stored;
  const name = metadata.name ?? "";
  if (served.bucket === "namespaces") {
    checkNamespace(served, { uid, resourceVersion }, stored);
    return;
  }
  const of = asOlder(served.resource);
  if (uid !== undefined && uid !== metadata.uid)
    throw kindConflict(
      of,
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid ?? ""}). The object might have been deleted and then recreated`,
    );
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion)
    throw kindConflict(
      of,
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion ?? ""}). The object might have been modified`,
    );
}

/** upstream: pkg/registry/core/namespace/storage#Delete looks at them itself. */
function checkNamespace(
  { resource }: ServedResource,
  { uid, resourceVersion }: Pick<DeleteOptions, "uid" | "resourceVersion">,
  { metadata }: ApiObject,
): void {
  for (const [what, asked, actual = ""] of [
    ["UID", uid, metadata.uid],
    ["ResourceVersion", resourceVersion, metadata.resourceVersion],
  ] as const)
    if (asked !== undefined && asked !== actual)
      throw conflict(
        resource,
        metadata.name ?? "",
        `Precondition failed: ${what} in precondition: ${asked}, ${what} in object meta: ${actual}`,
      );
}

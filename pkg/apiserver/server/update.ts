import { addInt64 } from "../../api/int64.ts";
import type { ApiObject } from "../../api/object.ts";

import { withTimesOfNoop } from "../apply/managed-object.ts";
import { asJson, text } from "../../api/json.ts";
import type { Draft, RuleContext } from "../kinds/kind.ts";
import { validateMetadataUpdate } from "../kinds/metadata.ts";
import { deepFreeze } from "../../api/freeze.ts";
import type { Unstored } from "../storage/store.ts";
import { admissionAttributes, findings, requireValid } from "./admit.ts";
import type { Call } from "./call.ts";
import { createDraft } from "./create.ts";
import { matchPath } from "./match-namespace.ts";
import { readDraft } from "./draft.ts";
import { copyJson } from "../../api/json-copy.ts";
import { recordOwnership } from "./managed-fields.ts";
import { negotiateOutput, requireObjectBody } from "./negotiate.ts";
import { specChanged, finishObject, keepSystemFields, sameObject } from "./object-lifecycle.ts";
import { Output } from "./output.ts";
import { parseVersion, parseWriteQuery, type WriteQuery } from "./query-options.ts";
import { currentObject } from "./read.ts";
import type { ApiResponse } from "./request.ts";
import { readAsServed, readyToRead, type ServedResource, storageKey } from "./served-resource.ts";
import { formsOf } from "./subresource-forms.ts";
import { conflict, invalid, notFound } from "./status-error.ts";

/** A write to an existing object that loses against another one starts over, this often. */
const updateAttempts = 8;

export async function replaceObject(call: Call): Promise<ApiResponse> {
  const { request, served, info } = call;
  const form = negotiateOutput(request.headers["accept"], request.query, formsOf(call));
  const query = parseWriteQuery(request.query, "UpdateOptions");
  requireObjectBody(request.headers["content-type"]);
  const body = await call.turns.run(readDraft(served, request.body, query, call.warnings));
  matchPath(body, call);
  const created = currentObject(call) === undefined;
  if (created && (served.rules.createOnUpdate !== true || info.subresource !== ""))
    throw notFound(served.resource, info.name);
  const stored = created
    ? await createNamed(call, body, query)
    : await writeExisting(call, query, {
        precondition: (before) => requireUid(call, body, before, query),
        next: () => copyJson(body),
      });
  const output = new Output(served, form, call.clock.nowMs());
  const status = created ? 201 : 200;
  return { status, headers: {}, body: { kind: "object", value: await output.object(stored) } };
}

/** Whoever names a uid means an object that is there. */
async function createNamed(call: Call, body: Draft, query: WriteQuery): Promise<ApiObject> {
  const { name, namespace } = call.info;
  requireUid(call, body, { metadata: { name, namespace } }, query);
  dropVersion(body, query);
  return createDraft(call, body, query);
}

/** A version says nothing of what is not there yet, and a dry run hands it back. */
export function dropVersion({ metadata }: Draft, { dryRun }: Pick<WriteQuery, "dryRun">): void {
  if (!dryRun) delete metadata["resourceVersion"];
}

export function requireUid(
  { served }: Call,
  draft: Draft,
  before: ApiObject,
  { dryRun }: Pick<WriteQuery, "dryRun">,
): void {
  const { uid = "", name = "", namespace = "" } = before.metadata;
  const given = text(draft.metadata, "uid");
  if (given === "" || given === uid) return;
  // upstream: a dry run looks at it before the storage says where it keeps everything.
  const key = `${dryRun ? "" : "/registry"}/${storagePrefix(served)}/${storageKey(served.resource.namespaced, namespace, name)}`;
  throw conflict(
    served.resource,
    name,
    `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ` +
      `UID in precondition: ${given}, UID in object meta: ${uid}`,
  );
}

/** upstream: pkg/kubeapiserver/default_storage_factory_builder.go */
const oldPrefixes: Readonly<Record<string, string>> = {
  endpoints: "services/endpoints",
  ingresses: "ingress",
  nodes: "minions",
  replicationcontrollers: "controllers",
  services: "services/specs",
};

/** Where the real server keeps the objects in its storage, which some of its messages name. */
function storagePrefix({ bucket, custom, resource: { group, plural } }: ServedResource): string {
  if (custom || group === "apiextensions.k8s.io" || group === "apiregistration.k8s.io") return bucket;
  return oldPrefixes[plural] ?? plural;
}

export interface Change {
  /** Throws when the state before must not be changed by this request. */
  precondition?(before: ApiObject): void;
  /** The new state, in the version of the request, as a draft of its own. Runs again after a lost race. */
  next(before: ApiObject): Draft | Promise<Draft>;
  /** A draft without a version is fine, also for kinds whose clients must name one. */
  readonly anyVersion?: true;
  /** "asGiven": managedFields are part of the change (server-side apply). */
  readonly ownership?: "track" | "asGiven";
}

/** Reads, changes and writes until no other write comes between; the object must exist. */
export async function writeExisting(call: Call, query: WriteQuery, change: Change): Promise<ApiObject> {
  const { served, info, faults, turns } = call;
  for (let attempt = 1; ; attempt++) {
    const stored = currentObject(call);
    if (stored === undefined) throw notFound(served.resource, info.name);
    const remote = served.conversion?.remote;
    if (remote !== undefined) await readyToRead(remote, () => [stored]);
    const before = readAsServed(served, stored);
    change.precondition?.(before);
    const draft = await change.next(before);
    const object = await prepareUpdate(call, { before, draft }, query, change);
    const isSame = sameObject(object, before);
    await turns.step();
    await faults.beforeWrite(call.subject);
    const written = await write(call, { stored, before, isSame }, object, query);
    if (written !== undefined) return written;
    // Another write came in between. Whoever named a version finds out when looking at the newer state.
    if (attempt >= updateAttempts) throw conflict(served.resource, info.name);
  }
}

/** Checks the version that the draft names against the state before. */
function requireVersion({ served }: Call, draft: Draft, before: ApiObject, any: boolean): void {
  const given = text(draft.metadata, "resourceVersion");
  const name = before.metadata.name ?? "";
  if (parseVersion(given, "write") === undefined) {
    if (served.rules.unconditionalUpdate === false && !any) {
      const { group, plural } = served.resource;
      const message = "Invalid value: 0: must be specified for an update";
      throw invalid({ group, kind: plural }, name, [
        { type: "FieldValueInvalid", field: "metadata.resourceVersion", message },
      ]);
    }
  } else if (given !== before.metadata.resourceVersion) throw conflict(served.resource, name);
}

/** Admission, rules and validation between the client's new state and the one to be stored. */
async function prepareUpdate(
  call: Call,
  { before, draft }: { readonly before: ApiObject; readonly draft: Draft },
  query: WriteQuery,
  { ownership = "track", anyVersion }: Pick<Change, "ownership" | "anyVersion">,
): Promise<Unstored> {
  const { served, info, admission, clock, user, turns } = call;
  const { rules, resource } = served;
  const name = before.metadata.name ?? "";
  await turns.step();
  rules.setDefaults?.(draft);
  await turns.step();
  if (ownership === "track") await turns.run(recordOwnership(call, before, draft, query));
  const attributes = admissionAttributes(call, query, { operation: "UPDATE", name, before });
  await admission.mutate(attributes, draft);
  // Only now: what those who admit refuse is refused whatever the version is.
  requireVersion(call, draft, before, anyVersion === true);
  await turns.step();
  // Who names none means the newest; those who admit see that.
  if (parseVersion(text(draft.metadata, "resourceVersion"), "write") === undefined)
    draft.metadata["resourceVersion"] = before.metadata.resourceVersion;
  const context: RuleContext = {
    nowMs: clock.nowMs(),
    user: user.username,
    subresource: info.subresource,
  };
  rules.prepareForUpdate?.(draft, before, context);
  keepSystemFields(draft, before);
  // upstream: rest.BeforeUpdate forgets a namespace where there is none.
  if (!resource.namespaced) delete draft.metadata["namespace"];
  if (isNewGeneration(call, draft, before))
    draft.metadata["generation"] = addInt64(before.metadata.generation ?? 0, 1);
  await turns.step();
  const errors = validateMetadataUpdate(draft, before, resource);
  await turns.step();
  const others = await findings(turns, rules.validateUpdate?.(draft, before, context));
  await turns.step();
  requireValid(resource, name, [...errors, ...others]);
  await turns.step();
  for (const warning of rules.warnings?.(draft, before, info.subresource) ?? []) call.warnings.push(warning);
  const next = withTimesOfNoop(before, draft);
  await turns.step();
  await admission.validate(attributes, next);
  await turns.step();
  return finishObject({ ...asJson(next), metadata: { ...next.metadata } });
}

/** To be bound is no change of what a pod is asked to be. */
function isNewGeneration({ served, info }: Call, draft: Draft, before: ApiObject): boolean {
  const { rules, subresources } = served;
  if (
    (!rules.generation && rules.generationChanged === undefined) ||
    info.subresource === "status" ||
    info.subresource === "binding"
  )
    return false;
  return rules.generationChanged?.(draft, before) ?? specChanged(draft, before, !subresources.has("status"));
}

interface LastState {
  readonly stored: ApiObject;
  /** The same in the version of the request. */
  readonly before: ApiObject;
  /** There is nothing to write: the next state is equal to it. */
  readonly isSame: boolean;
}

/** Undefined when another write came in between. */
async function write(
  { served, store, info, clock, turns }: Call,
  { stored, before, isSame }: LastState,
  next: Unstored,
  query: WriteQuery,
): Promise<ApiObject | undefined> {
  const key = storageKey(served.resource.namespaced, info.namespace, info.name);
  const { resourceVersion = "" } = before.metadata;
  const isHeld = served.deletionHold?.(next, clock.nowMs()) !== undefined;
  if (!isHeld && shouldVanish(next, before)) {
    if (!query.dryRun && store.remove(served.bucket, key, stored) === undefined) return undefined;
    next.metadata.resourceVersion = resourceVersion;
    return deepFreeze(next);
  }
  if (isSame && isStoredAsNew(served, stored))
    return store.get(served.bucket, key) === stored ? stored : undefined;
  if (query.dryRun) {
    next.metadata.resourceVersion = resourceVersion;
    return deepFreeze(next);
  }
  const { conversion } = served;
  const toStore =
    conversion === undefined ? next : finishObject(await conversion.toStorage(next as unknown as Draft));
  delete toStore.metadata.selfLink;
  store.prepare(toStore);
  await turns.step();
  return store.put(served.bucket, key, stored, toStore);
}

/** Whoever writes what is there already has it stored in the version of today: storage is migrated so. */
function isStoredAsNew({ conversion }: ServedResource, { apiVersion }: ApiObject): boolean {
  return conversion?.storedVersion === undefined || conversion.storedVersion === apiVersion;
}

/** The last finalizer of an object whose deletion was asked for is gone. */
function shouldVanish(next: ApiObject, before: ApiObject): boolean {
  if ((next.metadata.finalizers ?? []).length > 0) return false;
  if (before.metadata.deletionTimestamp === undefined) return false;
  return (before.metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

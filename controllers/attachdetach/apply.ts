import { messageOf } from "../../pkg/api/errors.ts";
import type { ApiObject, Stored } from "../../pkg/api/object.ts";
import type { Node } from "../../pkg/api/types/core-v1.gen.ts";
import type { VolumeAttachment } from "../../pkg/api/types/storage-v1.gen.ts";
import { ApiError, isAlreadyExists, isNotFound, isUnreachable } from "../../pkg/client/errors.ts";
import { deleteThis } from "../../pkg/controller/delete-this.ts";
import type { ResourceClient } from "../../pkg/client/resource-client.ts";
import type { Sync } from "../../pkg/controller/sync.ts";
import type { AttachDetachContext } from "./context.ts";
import { ATTACHED, attachedMessage, conflictMessage, NOT_ATTACHED, notAttachedMessage } from "./messages.ts";
import type { OperationName } from "./operations.ts";
import { podsOf } from "./sync-pods.ts";
import { volumeKey, type VolumePlace } from "./volume-key.ts";
import type { ForceReason, VolumePlan, VolumeView } from "./volume-plan.ts";
import { pluginOf, type VolumeSpec } from "./volume-spec.ts";

export interface Step {
  readonly place: VolumePlace;
  readonly view: VolumeView;
  readonly plan: Exclude<VolumePlan, { readonly kind: "rest" | "wait" }>;
}

/** Takes a step. Each leaves behind something to decide the next one on. */
export async function carryOut(sync: Sync, context: AttachDetachContext, step: Step): Promise<void> {
  const { attached, operations, reports, desired, wakers } = context;
  const { place, view, plan } = step;
  const { key } = sync;
  switch (plan.kind) {
    case "attach":
      return beginAttaching(sync, context, step);
    case "attached":
      return endAttaching(context, step);
    case "fail":
      return failed(context, step, plan.why);
    case "tellConflict":
      tellConflict(context, step, plan.nodes);
      return desired.tellConflict(key);
    case "keep":
      attached.setDetachSince(key, undefined);
      if (reports.add(place)) wakers.node(place.node);
      return;
    case "giveUp":
      operations.end(key);
      return release(context, place.volume);
    case "lost":
      return forget(context, place);
    case "detach":
      start(context, step, "volume_detach");
      if (reports.remove(place) || view.node.isReported) wakers.node(place.node);
      return;
    case "remove":
      return remove(sync, context, { ...step, force: plan.force });
    case "detached":
      observe(context, step, "success");
      operations.end(key);
      return forget(context, place);
  }
}

function start(context: AttachDetachContext, { place, view }: Step, name: OperationName): void {
  const spec = specOf(view);
  context.operations.start({
    ...place,
    name,
    isExclusive: spec?.isExclusive ?? false,
    startMs: view.nowMs,
    phase: name === "volume_attach" ? "waiting" : "telling",
    firstVersion: view.object?.version,
    isSeen: view.object !== undefined,
  });
}

function specOf({ wanted, attachment }: VolumeView): VolumeSpec | undefined {
  return wanted?.spec ?? attachment?.spec;
}

/** Until the driver has said so, it may be attached or not. */
async function beginAttaching(sync: Sync, context: AttachDetachContext, step: Step): Promise<void> {
  const { attached, attachmentClient, operations } = context;
  const { place, view } = step;
  const spec = view.wanted?.spec;
  if (spec === undefined) return;
  start(context, step, "volume_attach");
  const { csi, source } = spec;
  const { objectName } = view;
  attached.mark(place, { spec, isConfirmed: false, objectName });
  if (csi === undefined || objectName === undefined || source === undefined) return;
  if (view.object !== undefined) return;
  const draft: VolumeAttachment = {
    metadata: { name: objectName },
    spec: { attacher: csi.driver, nodeName: place.node, source },
  };
  try {
    await attachmentClient.create(draft, {}, sync.signal);
  } catch (error) {
    if (isAlreadyExists(error)) return;
    if (!(error instanceof ApiError) || isUnreachable(error)) {
      operations.end(sync.key);
      release(context, place.volume);
      throw error;
    }
    sync.log.error(error, "The volume could not be attached", { ...place });
    failed(context, step, `kubernetes.io/csi: attacher.Attach failed: ${messageOf(error)}`);
  }
}

function endAttaching(context: AttachDetachContext, step: Step): void {
  const { attached, operations, reports, wakers, events } = context;
  const { place, view } = step;
  const { wanted } = view;
  if (wanted === undefined) return;
  observe(context, step, "success");
  operations.end(volumeKey(place));
  const { spec } = wanted;
  attached.mark(place, { spec, isConfirmed: true, objectName: view.objectName });
  attached.setDetachSince(volumeKey(place), undefined);
  if (reports.add(place)) wakers.node(place.node);
  for (const pod of podsOf(context, wanted.pods))
    events.event(pod, "Normal", ATTACHED, attachedMessage(spec.name));
  release(context, place.volume);
}

/** Whether it is attached or not is not known. It is reported when it is known to be. */
function failed(context: AttachDetachContext, step: Step, why: string): void {
  const { attached, operations, events, clock, log } = context;
  const { place, view } = step;
  const key = volumeKey(place);
  const { name } = operations.running(key) ?? {};
  if (name === undefined) return;
  observe(context, step, "fail-unknown");
  operations.fail(key, clock.monotonicMs());
  const { attachment, wanted } = view;
  if (name === "volume_detach") {
    log.warn("The volume could not be detached", { ...place, why });
    if (attachment !== undefined) attached.mark(place, { ...attachment, isConfirmed: false });
  } else if (wanted !== undefined) {
    const message = notAttachedMessage(wanted.spec.name, why);
    for (const pod of podsOf(context, wanted.pods)) events.event(pod, "Warning", NOT_ATTACHED, message);
  }
  release(context, place.volume);
}

function tellConflict(context: AttachDetachContext, { place, view }: Step, nodes: readonly string[]): void {
  const { desired, events } = context;
  const { wanted } = view;
  if (wanted === undefined) return;
  const users = desired.podsOn(nodes, place.volume);
  for (const pod of podsOf(context, wanted.pods)) {
    const message = conflictMessage(wanted.spec.name, pod.metadata.namespace, users);
    events.event(pod, "Warning", NOT_ATTACHED, message);
  }
}

interface Removal extends Step {
  readonly force: ForceReason | undefined;
}

/** Has the driver detach it, once it is known that its node does not use it, or that this does not count. */
async function remove(sync: Sync, context: AttachDetachContext, removal: Removal): Promise<void> {
  const { operations, metrics } = context;
  const { place, view, force } = removal;
  try {
    if (force !== undefined) metrics.forcedDetaches.inc({ reason: force });
    else if (await isInUse(sync, context, removal))
      return failed(context, removal, "volume is still in use by node, according to Node status");
    operations.update(sync.key, { phase: "waiting", startMs: view.nowMs });
    if (view.objectName !== undefined) await deleteAttachment(sync, context, view.objectName);
  } catch (error) {
    if (!(error instanceof ApiError) || isUnreachable(error)) {
      operations.end(sync.key);
      release(context, place.volume);
      throw error;
    }
    sync.log.error(error, "The volume could not be detached", { ...place });
    failed(context, removal, messageOf(error));
  }
}

/** Past the cache, unless what is known of the node is of a time when it did not have the volume any more. */
async function isInUse(
  { signal }: Sync,
  { reports, nodeClient, nodes }: AttachDetachContext,
  { place, view }: Step,
): Promise<boolean> {
  const isKnown = nodes.lister.get(undefined, place.node) !== undefined && reports.isTold(place);
  if (isKnown) return view.node.isInUse;
  const live = await readByName<Node>(nodeClient, place.node, signal);
  return live?.status?.volumesInUse?.includes(place.volume) ?? false;
}

async function deleteAttachment(
  { signal, key }: Sync,
  { attachments, attachmentClient, operations }: AttachDetachContext,
  name: string,
): Promise<void> {
  const known =
    attachments.lister.get(undefined, name) ??
    (await readByName<VolumeAttachment>(attachmentClient, name, signal));
  if (known === undefined) return;
  operations.update(key, { firstVersion: known.metadata.resourceVersion, isSeen: true });
  if (known.metadata.deletionTimestamp !== undefined) return;
  await deleteThis(attachmentClient, known.metadata, signal);
}

/**
 * Past the cache, which may be behind. The name of a VolumeAttachment says what it is of, and volumes are where their node's
 * name is.
 */
async function readByName<T extends ApiObject>(
  client: Pick<ResourceClient<T>, "get">,
  name: string,
  signal: AbortSignal,
): Promise<Stored<T> | undefined> {
  try {
    return await client.get({ name }, {}, signal);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function forget(context: AttachDetachContext, place: VolumePlace): void {
  const { attached, reports, wakers } = context;
  attached.forget(volumeKey(place));
  if (reports.remove(place)) wakers.node(place.node);
  release(context, place.volume);
}

/** Those who wait for the volume try again. */
function release({ waiting, wakers }: AttachDetachContext, volume: string): void {
  for (const key of waiting.take(volume)) wakers.volume(key);
}

function observe(
  { metrics, operations, clock }: AttachDetachContext,
  { place, view }: Step,
  status: "success" | "fail-unknown",
): void {
  const operation = operations.running(volumeKey(place));
  if (operation === undefined) return;
  const spec = specOf(view);
  metrics.operations.observe((clock.monotonicMs() - operation.startMs) / 1_000, {
    volume_plugin: spec?.plugin ?? pluginOf(place.volume),
    operation_name: operation.name,
    status,
    migrated: String(spec?.isMigrated ?? false),
  });
}

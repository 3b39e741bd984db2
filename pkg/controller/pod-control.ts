import type { Labels } from "../api/labels.ts";
import type { ObjectRef, OwnerReference, Status, StoredObject } from "../api/object.ts";
import { controllerOf } from "../api/owner-references.ts";
import { podFromTemplate } from "../api/pod-template.ts";
import type { Pod, PodTemplateSpec } from "../api/types/core-v1.gen.ts";
import { messageOf } from "../api/errors.ts";
import { isNamespaceTerminating } from "../client/errors.ts";
import type { DeleteOptions, Patch, WriteOptions } from "../client/resource-client.ts";
import type { EventRecorder } from "../events/recorder.ts";
import type { Logger } from "../log/logger.ts";
import { isGone, isGoneOrReplaced } from "./read-live.ts";

/** Reasons of events, and of the conditions that ReplicaSets and ReplicationControllers report. */
export const FAILED_CREATE = "FailedCreate";
export const SUCCESSFUL_CREATE = "SuccessfulCreate";
export const FAILED_DELETE = "FailedDelete";
export const SUCCESSFUL_DELETE = "SuccessfulDelete";

/** What pods are written with. Its answers are whole pods, or metadata only. */
export interface PodClient<Created extends StoredObject = StoredObject> {
  create(pod: Pod, options: WriteOptions, signal: AbortSignal): Promise<Created>;
  delete(ref: ObjectRef, options: DeleteOptions, signal: AbortSignal): Promise<StoredObject | Status>;
  patch(ref: ObjectRef, patch: Patch, options: WriteOptions, signal: AbortSignal): Promise<StoredObject>;
}

export interface PodControlOptions<Created extends StoredObject = StoredObject> {
  readonly pods: PodClient<Created>;
  readonly events: Pick<EventRecorder, "event">;
  readonly log: Logger;
  /** Told of each pod that was created, patched or deleted, with its manager: for read-your-writes. */
  readonly onWrite?: (pod: StoredObject, controller: OwnerReference | undefined) => void;
}

/** What one pod is made of. */
export interface PodDraft {
  readonly template: PodTemplateSpec;
  /** In place of the prefix that is made of the owner's name. */
  readonly generateName?: string;
}

/** Writes pods on behalf of their owners, and tells the owners' users about it in events. */
export class PodControl<Created extends StoredObject = StoredObject> {
  readonly #options: PodControlOptions<Created>;

  constructor(options: PodControlOptions<Created>) {
    this.#options = options;
  }

  /** Creates a pod in the owner's namespace. */
  async create(
    { template, generateName }: PodDraft,
    owner: StoredObject,
    controller: OwnerReference,
    signal: AbortSignal,
  ): Promise<Created> {
    const problem = controllerRefProblem(controller);
    if (problem !== undefined) throw new PodControlError(problem);
    const draft = podFromTemplate(template, owner, controller, generateName);
    if (Object.keys(draft.metadata.labels ?? {}).length === 0)
      throw new PodControlError("unable to create pods, no labels");

    const { pods, events, log, onWrite } = this.#options;
    let pod: Created;
    try {
      pod = await pods.create(draft, {}, signal);
    } catch (error) {
      // In a namespace that is going away every create fails, and so would the event.
      if (!signal.aborted && !isNamespaceTerminating(error))
        events.event(owner, "Warning", FAILED_CREATE, `Error creating: ${messageOf(error)}`);
      throw error;
    }
    onWrite?.(pod, controller);
    const { name } = pod.metadata;
    log.verbose(4, "Created a pod", { owner: owner.metadata.name, pod: name });
    events.event(owner, "Normal", SUCCESSFUL_CREATE, `Created pod: ${name}`);
    return pod;
  }

  /** Deletes the very pod. One that is already gone rejects as the server's answer does (isGone); of that no event is made. */
  async delete(pod: StoredObject, owner: StoredObject, signal: AbortSignal): Promise<void> {
    const { namespace = "", name, uid } = pod.metadata;
    const { pods, events, log, onWrite } = this.#options;
    log.verbose(2, "Deleting a pod", { owner: owner.metadata.name, pod: name });
    try {
      const deleted = await pods.delete({ namespace, name }, { preconditions: { uid } }, signal);
      if (isObject(deleted)) onWrite?.(deleted, controllerOf(deleted));
    } catch (error) {
      if (signal.aborted || isGone(error)) throw error;
      events.event(owner, "Warning", FAILED_DELETE, `Error deleting: ${messageOf(error)}`);
      throw new PodControlError(`unable to delete pods: ${messageOf(error)}`, error);
    }
    events.event(owner, "Normal", SUCCESSFUL_DELETE, `Deleted pod: ${name}`);
  }

  /** Adopts or releases. Gives the pod with the metadata that it has then, the rest as it was given. */
  async claim<P extends StoredObject>(pod: P, patch: Patch, signal: AbortSignal): Promise<P> {
    const { namespace = "", name } = pod.metadata;
    const { metadata } = await this.patch({ namespace, name }, patch, signal);
    return { ...pod, metadata };
  }

  /** Gives this very pod labels, beside those that it has. */
  async label(pod: StoredObject, labels: Labels, signal: AbortSignal): Promise<void> {
    await this.#patchMetadata(pod, { labels }, signal);
  }

  /** Takes the finalizer off this very pod. */
  async takeOffFinalizer(pod: StoredObject, finalizer: string, signal: AbortSignal): Promise<void> {
    await this.#patchMetadata(pod, { "$deleteFromPrimitiveList/finalizers": [finalizer] }, signal);
  }

  /**
   * One that is gone needs nothing. The uid makes the server refuse the patch when another pod has taken the name since.
   */
  async #patchMetadata({ metadata }: StoredObject, changes: object, signal: AbortSignal): Promise<void> {
    const { namespace = "", name, uid } = metadata;
    const body = { metadata: { uid, ...changes } };
    try {
      await this.patch({ namespace, name }, { type: "strategic", body }, signal);
    } catch (error) {
      if (!isGoneOrReplaced(error)) throw error;
    }
  }

  async patch(pod: ObjectRef, patch: Patch, signal: AbortSignal): Promise<StoredObject> {
    const { pods, onWrite } = this.#options;
    const patched = await pods.patch(pod, patch, {}, signal);
    onWrite?.(patched, controllerOf(patched));
    return patched;
  }
}

/** A deletion may be answered with a Status, which tells no version. */
function isObject(answer: StoredObject | Status): answer is StoredObject {
  return answer.kind !== "Status";
}

function controllerRefProblem(controller: OwnerReference): string | undefined {
  if (controller.apiVersion === "") return "controllerRef has empty APIVersion";
  if (controller.kind === "") return "controllerRef has empty Kind";
  if (controller.controller !== true) return "controllerRef.Controller is not set to true";
  if (controller.blockOwnerDeletion !== true) return "controllerRef.BlockOwnerDeletion is not set";
  return undefined;
}

export class PodControlError extends Error {
  readonly code = "PodControl";
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "PodControlError";
  }
}

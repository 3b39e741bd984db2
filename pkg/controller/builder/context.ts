import type { NewCondition } from "../../api/conditions.ts";
import type { Labels } from "../../api/labels.ts";
import type { ApiObject, ObjectRef, PartialObject, Stored } from "../../api/object.ts";
import type { TypedResource } from "../../api/resource.ts";
import type { ClientSet } from "../../client/client-set.ts";
import type { EventType } from "../../events/recorder.ts";
import type { LogFields, Logger } from "../../log/logger.ts";
import type { Reason } from "../reasons.ts";
import type { StatusFields } from "./status.ts";

/** One object, by name in the namespace of the object that is reconciled, or by namespace and name. */
export type Ref = string | ObjectRef;

export interface ListWish {
  /** That of the object that is reconciled when left out; "" for all namespaces. */
  readonly namespace?: string;
  readonly labels?: Labels;
  /** Only those that the object controls. */
  readonly owned?: true;
}

export interface ApplyOptions {
  /** Whether the object controls what is applied, so that it goes with it; true when left out. */
  readonly owned?: boolean;
}

/** What is to be: the fields that are given are the controller's, and all others somebody else's. */
export type Desired<R extends ApiObject> = Partial<Omit<R, "apiVersion" | "kind" | "metadata">> & {
  readonly metadata: R["metadata"] & { readonly name: string };
};

/** All that one reconcile works with. */
export interface Context<T extends PartialObject> {
  readonly key: string;
  /** What has woken the object: which object has changed, and which of its fields. Empty for a retry. */
  readonly reasons: readonly Reason[];
  readonly log: Logger;
  /** Aborts when the controller is to end, and when the time of the reconcile is over. */
  readonly signal: AbortSignal;
  readonly nowMs: number;
  /** Past the caches. What is written with it is not waited for by the next reconcile. */
  readonly client: ClientSet;

  /**
   * From a cache, with what this reconcile has written. The object is woken when what was read changes, be it that there
   * was nothing.
   */
  read<R extends ApiObject>(resource: TypedResource<R>, ref: Ref): Promise<Stored<R> | undefined>;
  /** The same for all objects of a namespace, with labels, or that the object controls. */
  list<R extends ApiObject>(resource: TypedResource<R>, wish?: ListWish): Promise<readonly Stored<R>[]>;

  /**
   * Server-side apply, under the name of the controller. Nothing is sent while the server has what was applied, and
   * whatever somebody changes of that is put right. Gives the object as it is then.
   */
  apply<R extends ApiObject>(
    resource: TypedResource<R>,
    desired: Desired<R>,
    options?: ApplyOptions,
  ): Promise<Stored<R>>;
  /** Creates an object that is applied never again: one with a name that the server makes, such as that of a run. */
  create<R extends ApiObject>(
    resource: TypedResource<R>,
    draft: R,
    options?: ApplyOptions,
  ): Promise<Stored<R>>;
  /** Deletes this very object; false when it was gone already. */
  delete<R extends ApiObject>(resource: TypedResource<R>, object: Stored<R>): Promise<boolean>;
  /** Deletes what the object controls and is not to be kept: names, or what `apply` gave. Gives what was deleted. */
  prune<R extends ApiObject>(
    resource: TypedResource<R>,
    keep: readonly (string | ApiObject)[],
  ): Promise<readonly Stored<R>[]>;

  /**
   * Writes the status: fields that are given, conditions with their times of transition, and which generation was looked
   * at. Nothing is written when it says so already. Where only some fields are read, "status" has to be one of them.
   */
  status(fields: StatusFields<T>, ...conditions: readonly NewCondition[]): Promise<void>;
  /** Tells people what happened to the object. */
  event(type: EventType, reason: string, message: string): void;
  /** Puts a decision and its reasons into the log and the history of the controller. */
  decided(what: string, why?: LogFields): void;
}

export interface ReconcileResult {
  /** The object is reconciled again after so long, whatever happens before. */
  readonly requeueAfterMs?: number;
}

/** Brings the world to what the object says, as far as it can now. */
export type Reconcile<T extends PartialObject> = (
  object: Stored<T>,
  ctx: Context<T>,
) => Promise<ReconcileResult | undefined | void>;

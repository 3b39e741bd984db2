import type { ApiObject, ObjectRef, PartialObject, Stored } from "../../api/object.ts";
import type { TypedResource } from "../../api/resource.ts";
import type { Lister } from "../../cache/store/lister.ts";
import type { Seen } from "../../cache/store/projection.ts";
import type { Cache } from "../cache.ts";
import type { Reconcile } from "./context.ts";
import type { ObjectCaches, OwnerReadOptions } from "./object-caches.ts";
import type { ControllerOptions } from "./options.ts";
import type { Predicate } from "./predicates.ts";
import type { OnError } from "./reconciler.ts";
import type { Source } from "./source.ts";

export interface RuleOptions {
  /** Which updates wake the object; all when left out. */
  readonly where?: Predicate;
}

/** Which objects a change concerns; `all` has all objects of the controller. */
export type Concerned<T extends PartialObject, W extends PartialObject> = (
  object: Stored<W>,
  all: Lister<T>,
) => readonly (ObjectRef | PartialObject)[];

/** A rule that wakes objects, as it was said of the controller. */
export type Part<T extends PartialObject> = (wiring: Wiring<T>) => void;

/** What rules are wired to. */
export interface Wiring<T extends PartialObject> {
  owns<C extends ApiObject>(resource: TypedResource<C>, options: RuleOptions): void;
  watches<W extends ApiObject>(
    resource: TypedResource<W>,
    concerned: Concerned<T, W>,
    options: RuleOptions,
  ): void;
  watchesPart<W extends ApiObject, F extends readonly string[]>(
    resource: TypedResource<W>,
    fields: F,
    concerned: Concerned<T, Seen<W, F>>,
    options: RuleOptions,
  ): void;
}

/** What has been said of the controller so far. */
export interface Draft<T extends PartialObject> {
  readonly name: string;
  readonly resource: TypedResource<ApiObject>;
  /** Whether the status of its objects is read, and so can be written: what is said already is not written again. */
  readonly knowsStatus: boolean;
  /** Where its objects are read: whole, or the fields that were asked for. */
  readonly owners: (caches: ObjectCaches, options: OwnerReadOptions) => Cache<T, ApiObject>;
  readonly parts: readonly Part<T>[];
  readonly sources: readonly Source[];
  readonly options: ControllerOptions;
  readonly concerns?: (object: Stored<T>) => boolean;
  readonly finalize?: Reconcile<T>;
  readonly onError?: OnError<T>;
}

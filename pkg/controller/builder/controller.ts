import type { ApiObject, PartialObject, Stored } from "../../api/object.ts";
import type { PathsOf } from "../../api/projected.ts";
import type { TypedResource } from "../../api/resource.ts";
import type { Seen } from "../../cache/store/projection.ts";
import type { ControllerDescriptor } from "../env.ts";
import { wired } from "../kit.ts";
import type { Reconcile } from "./context.ts";
import type { Concerned, Draft, Part, RuleOptions } from "./draft.ts";
import type { ControllerOptions } from "./options.ts";
import type { OnError } from "./reconciler.ts";
import type { Source } from "./source.ts";
import { wire } from "./wiring.ts";

/** A controller that is being described. Every call gives another one, and `reconcile` the finished one. */
export interface ControllerBuilder<T extends PartialObject> {
  /** A change of an object that is controlled by one of the controller's wakes that. */
  owns<C extends ApiObject>(resource: TypedResource<C>, options?: RuleOptions): ControllerBuilder<T>;
  /** A change of any object wakes those that it concerns, before the change or after it. */
  watches<W extends ApiObject>(
    resource: TypedResource<W>,
    concerned: Concerned<T, W>,
    options?: RuleOptions,
  ): ControllerBuilder<T>;
  /** The same, of whose objects nothing but these fields is known, and kept: they are what memory is spent on. */
  watchesPart<W extends ApiObject, const F extends readonly string[]>(
    resource: TypedResource<W>,
    fields: F & PathsOf<W, F>,
    concerned: Concerned<T, Seen<W, F>>,
    options?: RuleOptions,
  ): ControllerBuilder<T>;
  /** Wakes objects for what happens outside of the cluster. */
  reconcileOn(source: Source): ControllerBuilder<T>;
  options(options: ControllerOptions): ControllerBuilder<T>;
  /** All other objects are left alone. One that was the controller's and is no longer is finalized as if it went. */
  only(concerns: (object: Stored<T>) => boolean): ControllerBuilder<T>;
  /** What is to be done before an object goes. It stays until that returns, and does not ask to be called again. */
  finalize(finalize: Reconcile<T>): ControllerBuilder<T>;
  /** Says what becomes of an object whose reconcile failed; undefined: it is tried again, later each time. */
  onError(onError: OnError<T>): ControllerBuilder<T>;
  reconcile(reconcile: Reconcile<T>): ControllerDescriptor;
}

/** A controller of the objects of a resource, whose name is that of its field manager, its events and its metrics. */
export function controller<T extends ApiObject>(
  name: string,
  resource: TypedResource<T>,
): ControllerBuilder<T>;
/** The same, of whose objects nothing but these fields is known, and kept: they are what memory is spent on. */
export function controller<T extends ApiObject, const F extends readonly string[]>(
  name: string,
  resource: TypedResource<T>,
  options: { readonly fields: F & PathsOf<T, F> },
): ControllerBuilder<Seen<T, F>>;
export function controller<T extends ApiObject, F extends readonly string[]>(
  name: string,
  resource: TypedResource<T>,
  { fields }: { readonly fields?: F } = {},
): ControllerBuilder<T> | ControllerBuilder<Seen<T, F>> {
  const knowsStatus = fields?.includes("status") ?? true;
  const facts = { name, resource, knowsStatus, parts: [], sources: [], options: {} };
  if (fields === undefined)
    return builder<T>({ ...facts, owners: (caches, options) => caches.declareOwners(resource, options) });
  return builder<Seen<T, F>>({
    ...facts,
    owners: (caches, options) => caches.declarePart(resource, fields, options),
  });
}

function builder<T extends PartialObject>(draft: Draft<T>): ControllerBuilder<T> {
  const withPart = (part: Part<T>): ControllerBuilder<T> =>
    builder({ ...draft, parts: [...draft.parts, part] });
  return {
    owns: (resource, options = {}) => withPart((wiring) => wiring.owns(resource, options)),
    watches: (resource, concerned, options = {}) =>
      withPart((wiring) => wiring.watches(resource, concerned, options)),
    watchesPart: <W extends ApiObject, const F extends readonly string[]>(
      resource: TypedResource<W>,
      fields: F & PathsOf<W, F>,
      concerned: Concerned<T, Seen<W, F>>,
      options: RuleOptions = {},
    ) => withPart((wiring) => wiring.watchesPart<W, F>(resource, fields, concerned, options)),
    reconcileOn: (source) => builder({ ...draft, sources: [...draft.sources, source] }),
    options: (options) => builder({ ...draft, options: { ...draft.options, ...options } }),
    only: (concerns) => builder({ ...draft, concerns }),
    finalize: (finalize) => builder({ ...draft, finalize }),
    onError: (onError) => builder({ ...draft, onError }),
    reconcile: (reconcile) => ({
      name: draft.name,
      clientName: draft.name,
      eventSource: draft.name,
      build: wired((kit) => wire(kit, draft, reconcile)),
    }),
  };
}

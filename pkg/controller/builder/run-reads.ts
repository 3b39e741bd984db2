import { resourceKey } from "../monitor-plan.ts";
import { selectorFromLabels } from "../../api/labels.ts";
import {
  type ApiObject,
  keyOf,
  type ObjectRef,
  refKey,
  type Stored,
  type StoredObject,
} from "../../api/object.ts";
import { controllerOf } from "../../api/owner-references.ts";
import { groupResource, type Resource, type TypedResource } from "../../api/resource.ts";
import { versionOrder } from "../../api/resource-version.ts";
import type { ListWish, Ref } from "./context.ts";
import type { ReadNotes } from "./interests.ts";
import type { Predicate } from "./predicates.ts";
import { OWNER_INDEX, type Workshop } from "./workshop.ts";

/** What one reconcile reads: the caches, with what it has written itself before they show it. */
export class RunReads {
  readonly #shop: Workshop;
  readonly #owner: StoredObject;
  readonly #notes: ReadNotes;
  /** By resource and key; undefined for what was deleted. */
  readonly #written = new Map<
    string,
    { readonly resource: string; readonly object: Stored<ApiObject>; readonly gone: boolean }
  >();

  constructor(shop: Workshop, owner: StoredObject, notes: ReadNotes) {
    this.#shop = shop;
    this.#owner = owner;
    this.#notes = notes;
  }

  async read<R extends ApiObject>(
    resource: TypedResource<R>,
    ref: Ref,
    signal: AbortSignal,
  ): Promise<Stored<R> | undefined> {
    const { namespace, name } = this.refOf(resource, ref);
    return this.find(resource, { key: refKey(namespace, name), where: undefined }, signal);
  }

  /** With a predicate only such updates wake the object. */
  async find<R extends ApiObject>(
    resource: TypedResource<R>,
    { key, where }: { readonly key: string; readonly where: Predicate | undefined },
    signal: AbortSignal,
  ): Promise<Stored<R> | undefined> {
    const cache = await this.#shop.caches.filled(resource, signal);
    this.note(resource, key, where);
    return this.#latest(resource, key, cache.lister.getByKey(key));
  }

  note(resource: Resource, object: string, where?: Predicate): void {
    this.#notes.note({ resource: resourceKey(resource), object, where });
  }

  async list<R extends ApiObject>(
    resource: TypedResource<R>,
    wish: ListWish,
    signal: AbortSignal,
  ): Promise<readonly Stored<R>[]> {
    const { uid } = this.#owner.metadata;
    const isOwned = wish.owned === true;
    const cache = await (isOwned
      ? this.#shop.ownedCache(resource, signal)
      : this.#shop.caches.filled(resource, signal));
    const selector = selectorFromLabels(wish.labels);
    const home = isOwned ? undefined : this.#owner.metadata.namespace;
    const asked = resource.namespaced ? (wish.namespace ?? home) : undefined;
    const namespace = asked === "" ? undefined : asked;
    this.#notes.note({ resource: resourceKey(resource), within: { namespace, selector } });
    const { lister } = cache;
    const all = isOwned ? lister.byIndex(OWNER_INDEX, uid) : lister.inNamespace(namespace ?? "");
    return this.#withWritten(resource, all).filter(
      (object) =>
        (namespace === undefined || object.metadata.namespace === namespace) &&
        selector.matches(object.metadata.labels ?? {}) &&
        (!isOwned || controllerOf(object)?.uid === uid),
    );
  }

  /** What a write was answered with. */
  wrote(resource: Resource, object: Stored<ApiObject>, gone = false): void {
    const id = resourceKey(resource);
    this.#written.set(`${id} ${keyOf(object)}`, { resource: id, object, gone });
  }

  /** A name alone is one in the namespace of the object that is reconciled. */
  refOf(resource: Resource, ref: Ref): ObjectRef {
    const { namespace: home } = this.#owner.metadata;
    const { name, namespace = home } = typeof ref === "string" ? { name: ref } : ref;
    if (!resource.namespaced) return { name };
    if (namespace === undefined)
      throw new Error(`${groupResource(resource)} are in namespaces: say in which one ${name} is`);
    if (this.#shop.namespaces?.includes(namespace) === false)
      throw new Error(`${groupResource(resource)} of ${namespace} are not read: see the option namespaces`);
    return { namespace, name };
  }

  #latest<R extends ApiObject>(
    resource: TypedResource<R>,
    key: string,
    cached: Stored<R> | undefined,
  ): Stored<R> | undefined {
    const written = this.#written.get(`${resourceKey(resource)} ${key}`);
    if (written === undefined) return cached;
    const { object, gone } = written;
    if (gone) return cached?.metadata.uid === object.metadata.uid ? undefined : cached;
    const isOlder =
      cached === undefined ||
      (versionOrder(cached.metadata.resourceVersion, object.metadata.resourceVersion) ?? 0) < 0;
    // What was written through a resource is of its type.
    return isOlder ? (object as unknown as Stored<R>) : cached;
  }

  #withWritten<R extends ApiObject>(
    resource: TypedResource<R>,
    cached: readonly Stored<R>[],
  ): readonly Stored<R>[] {
    const id = resourceKey(resource);
    const mine = [...this.#written.values()].filter((each) => each.resource === id);
    if (mine.length === 0) return cached;
    const byKey = new Map<string, Stored<R> | undefined>(cached.map((object) => [keyOf(object), object]));
    for (const { object } of mine) {
      const key = keyOf(object);
      byKey.set(key, this.#latest(resource, key, byKey.get(key)));
    }
    return [...byKey.values()].filter((object) => object !== undefined);
  }
}

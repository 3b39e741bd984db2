import { resourceKey } from "../monitor-plan.ts";
import { hash } from "node:crypto";
import { type ApiObject, keyOf, refKey, type Stored, type StoredObject } from "../../api/object.ts";
import { controllerOf, newControllerRef } from "../../api/owner-references.ts";
import { apiVersionOf, groupResource, type TypedResource } from "../../api/resource.ts";
import { appliedBy } from "../../cache/store/applied-fields.ts";
import type { Writer } from "../recorded-writes.ts";
import type { ApplyOptions, Desired } from "./context.ts";
import { appliedFields, isApplied, type OwnedFields, textOf } from "./managed-fields.ts";
import { changed } from "./predicates.ts";
import type { RunReads } from "./run-reads.ts";
import { type Applied, describe, OWNER_INDEX, type Workshop } from "./workshop.ts";

/** What has changed of an object that is applied, where no rule of its own says what matters. */
const drift = changed.any(
  changed.spec,
  changed.labels,
  changed.annotations,
  changed.at("metadata.finalizers"),
);

/** What one reconcile writes of other objects. */
export class RunApplies {
  readonly #shop: Workshop;
  readonly #reads: RunReads;
  readonly #owner: StoredObject;

  constructor(shop: Workshop, owner: StoredObject, reads: RunReads) {
    this.#shop = shop;
    this.#owner = owner;
    this.#reads = reads;
  }

  async apply<R extends ApiObject>(
    resource: TypedResource<R>,
    desired: Desired<R>,
    { owned = true }: ApplyOptions,
    signal: AbortSignal,
  ): Promise<Stored<R>> {
    const { name, namespace } = desired.metadata;
    const ref = this.#reads.refOf(resource, namespace === undefined ? name : { namespace, name });
    const object = this.#named(resource, { ...desired, metadata: { ...desired.metadata, ...ref } }, owned);
    const key = refKey(ref.namespace, ref.name);
    const hasRule = owned && this.#shop.ownedResources.has(resourceKey(resource));
    const live = await this.#reads.find(resource, { key, where: hasRule ? never : drift }, signal);
    if (live !== undefined) {
      if (owned) this.#checkController(resource, live);
      // It comes anew when it is gone, which wakes the object.
      if (live.metadata.deletionTimestamp !== undefined) return live;
      if (await this.#isAtRest(resource, object, live, signal)) return live;
    }
    const writer: Writer = { owner: this.#owner, signal };
    if (live === undefined && owned && this.#memory.has(idOf(resource, object)))
      await this.#checkOwner(signal);
    const how = { fieldManager: this.#shop.name, force: true };
    // The fields beside apiVersion, kind and metadata are those of the resource's objects.
    const wanted = object as unknown as Partial<R> & ApiObject;
    const answer = await this.#shop.writes(resource).apply(writer, wanted, how);
    this.#remember(resource, digest(JSON.stringify(object)), answer);
    this.#reads.wrote(resource, answer);
    return answer;
  }

  async create<R extends ApiObject>(
    resource: TypedResource<R>,
    draft: R,
    { owned = true }: ApplyOptions,
    signal: AbortSignal,
  ): Promise<Stored<R>> {
    const { namespace } = this.#owner.metadata;
    const home = resource.namespaced && namespace !== undefined ? { namespace } : {};
    const object = this.#named(resource, { ...draft, metadata: { ...home, ...draft.metadata } }, owned);
    const created = await this.#shop.writes(resource).create({ owner: this.#owner, signal }, object);
    this.#reads.wrote(resource, created);
    return created;
  }

  async delete<R extends ApiObject>(
    resource: TypedResource<R>,
    object: Stored<R>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const how = { propagationPolicy: "Background" } as const;
    const wasThere = await this.#shop.writes(resource).remove({ owner: this.#owner, signal }, object, how);
    this.#memory.delete(idOf(resource, object));
    this.#reads.wrote(resource, object, true);
    return wasThere;
  }

  async prune<R extends ApiObject>(
    resource: TypedResource<R>,
    keep: readonly (string | ApiObject)[],
    signal: AbortSignal,
  ): Promise<readonly Stored<R>[]> {
    const kept = new Set(
      keep.map((each) => {
        if (typeof each !== "string") return keyOf(each);
        const { namespace, name } = this.#reads.refOf(resource, each);
        return refKey(namespace, name);
      }),
    );
    const cache = await this.#shop.ownedCache(resource, signal);
    const superfluous = cache.lister
      .byIndex(OWNER_INDEX, this.#owner.metadata.uid)
      .filter((object) => !kept.has(keyOf(object)) && object.metadata.deletionTimestamp === undefined);
    for (const object of superfluous) await this.delete(resource, object, signal);
    return superfluous;
  }

  /** With all that the server has to know of it. */
  #named<O extends Pick<ApiObject, "metadata">>(
    resource: TypedResource<ApiObject>,
    object: O,
    owned: boolean,
  ): O & ApiObject {
    const named = { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind };
    if (!owned) return named;
    const { namespace: home } = this.#owner.metadata;
    if (home !== undefined && object.metadata.namespace !== home) {
      const what = describe(resource, object);
      throw new Error(`${what} is outside of its owner's namespace ${home}: apply it with { owned: false }`);
    }
    const others = object.metadata.ownerReferences ?? [];
    const ownerReferences = [...others, newControllerRef(this.#owner, this.#shop.resource)];
    return { ...named, metadata: { ...object.metadata, ownerReferences } };
  }

  /**
   * What was applied and is gone may have gone with its owner, of whose end the cache has yet to hear: made anew it would
   * be collected anew, again and again.
   */
  async #checkOwner(signal: AbortSignal): Promise<void> {
    const { resource } = this.#shop;
    const live = await this.#shop.writes(resource).live({ signal }, this.#owner);
    if (live === undefined || live.metadata.deletionTimestamp !== undefined)
      throw new Error(
        `${describe(resource, this.#owner)} is gone, or about to go: nothing is applied for it`,
      );
  }

  /** Taking over what somebody else controls would set two controllers against each other. */
  #checkController<R extends ApiObject>(resource: TypedResource<R>, live: Stored<R>): void {
    const controller = controllerOf(live);
    if (controller === undefined || controller.uid === this.#owner.metadata.uid) return;
    this.#reads.note(resource, keyOf(live));
    const { kind, name, uid } = controller;
    throw new Error(`${describe(resource, live)} is controlled by ${kind} ${name} (${uid})`);
  }

  /** Whether the server has what is wanted, and nothing of what was wanted before. */
  async #isAtRest<R extends ApiObject>(
    resource: TypedResource<R>,
    object: ApiObject,
    live: Stored<R>,
    signal: AbortSignal,
  ): Promise<boolean> {
    const wanted = digest(JSON.stringify(object));
    const before = this.#memory.get(idOf(resource, live));
    if (before?.uid === live.metadata.uid) {
      if (before.wanted !== wanted) return false;
      if (before.version === live.metadata.resourceVersion) return true;
      return before.values === digest(textOf(live, before.owned));
    }
    // What an earlier process has applied: most caches keep it, and it is asked for once where they do not.
    const kept = appliedBy(live, this.#shop.name) as OwnedFields | undefined;
    const seen = kept === undefined ? await this.#shop.writes(resource).live({ signal }, live) : live;
    const owned = kept ?? (seen && appliedFields(seen, this.#shop.name));
    if (seen === undefined || owned === undefined || !isApplied(object, seen, owned)) return false;
    this.#remember(resource, wanted, seen, owned);
    return true;
  }

  #remember<R extends ApiObject>(
    resource: TypedResource<R>,
    wanted: string,
    seen: Stored<R>,
    fields: OwnedFields = appliedFields(seen, this.#shop.name) ?? {},
  ): void {
    const { uid, resourceVersion: version } = seen.metadata;
    const owned = this.#shop.ownedFields.of(fields);
    const values = digest(textOf(seen, owned));
    this.#memory.set(idOf(resource, seen), { uid, wanted, owned, version, values });
  }

  get #memory(): Map<string, Applied> {
    let memory = this.#shop.applied.get(this.#owner);
    if (memory === undefined) this.#shop.applied.set(this.#owner, (memory = new Map<string, Applied>()));
    return memory;
  }
}

const never = (): boolean => false;

function idOf(resource: TypedResource<ApiObject>, object: ApiObject): string {
  return `${groupResource(resource)} ${keyOf(object)}`;
}

/** Texts are kept for every object that is applied; of each a fingerprint will do. */
function digest(text: string): string {
  return hash("sha256", text, "base64");
}

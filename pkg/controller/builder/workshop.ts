import type { ApiObject, PartialObject } from "../../api/object.ts";
import { PerOwner } from "../../api/per-owner.ts";
import { groupResource, type Resource, type TypedResource } from "../../api/resource.ts";
import { controllerOf } from "../../api/owner-references.ts";
import type { Cache } from "../cache.ts";
import type { Kit } from "../kit.ts";
import { resourceKey } from "../monitor-plan.ts";
import { OnePerValue } from "../one-per-value.ts";
import { RecordedWrites } from "../recorded-writes.ts";
import { ReadInterests } from "./interests.ts";
import type { OwnedFields } from "./managed-fields.ts";
import type { ObjectCaches } from "./object-caches.ts";

/** What was applied last to one object, and what the server made of it. */
export interface Applied {
  readonly uid: string;
  /** Digest of what was wanted. */
  readonly wanted: string;
  readonly owned: OwnedFields;
  /** The version that the server answered with, and a digest of its values of what is owned. */
  readonly version: string;
  readonly values: string;
}

/** What was written last into the status, and what the server made of it. */
export interface WrittenStatus {
  readonly patch: string;
  readonly answer: unknown;
}

/** The name of the index of objects by the uid of the object that controls them. */
export const OWNER_INDEX = "controller-uid";

export function ownerIndex(object: PartialObject): readonly string[] {
  const controller = controllerOf(object);
  return controller === undefined ? [] : [controller.uid];
}

/** What all reconciles of one controller share. */
export class Workshop {
  readonly name: string;
  readonly resource: TypedResource<ApiObject>;
  /** Whether all of the status of its objects is read. */
  readonly knowsStatus: boolean;
  readonly kit: Kit;
  /** What is read; undefined: all. */
  readonly namespaces: readonly string[] | undefined;
  readonly caches: ObjectCaches;
  readonly interests = new ReadInterests();
  /** Of each object, by the applied object's resource and key. */
  readonly applied = new PerOwner<Map<string, Applied>>();
  readonly statuses = new PerOwner<WrittenStatus>();
  readonly failures = new PerOwner<number>();
  /** Many objects are owned alike. */
  readonly ownedFields = new OnePerValue<OwnedFields>();
  /** What wakes its owner by a rule of its own. */
  readonly ownedResources = new Set<string>();
  readonly #writes = new Map<string, RecordedWrites<ApiObject>>();

  constructor(
    { name, resource, knowsStatus }: Pick<Workshop, "name" | "resource" | "knowsStatus">,
    kit: Kit,
    caches: ObjectCaches,
  ) {
    this.name = name;
    this.knowsStatus = knowsStatus;
    this.namespaces = caches.namespaces;
    this.resource = resource;
    this.kit = kit;
    this.caches = caches;
  }

  /** Everything that is written is remembered until the caches show it. */
  writes<R extends ApiObject>(resource: TypedResource<R>): RecordedWrites<R> {
    const name = resourceKey(resource);
    const writes = this.#writes.get(name) ?? new RecordedWrites<ApiObject>(this.kit, resource, this.#writing);
    this.#writes.set(name, writes);
    // Each is kept under the name of its own resource.
    return writes as unknown as RecordedWrites<R>;
  }

  /** With all objects that an owner controls to be found by its uid. */
  async ownedCache<R extends ApiObject>(resource: TypedResource<R>, signal: AbortSignal): Promise<Cache<R>> {
    const cache = await this.caches.filled(resource, signal);
    cache.addIndex(OWNER_INDEX, ownerIndex);
    return cache;
  }

  get #writing(): { readonly fieldManager: string } {
    return { fieldManager: this.name };
  }
}

/** "Website a/b": as errors name an object. */
export function describe(resource: Resource, { metadata: { namespace, name } }: PartialObject): string {
  return `${groupResource(resource)} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}

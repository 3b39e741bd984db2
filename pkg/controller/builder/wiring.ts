import { resourceKey } from "../monitor-plan.ts";
import {
  type ApiObject,
  keyOf,
  type ObjectRef,
  type PartialObject,
  refKey,
  type Stored,
} from "../../api/object.ts";
import { groupResource } from "../../api/resource.ts";
import type { Cache, WakeRule } from "../cache.ts";
import type { Kit } from "../kit.ts";
import type { KeyQueue } from "../key-queue.ts";
import { itself, itsOwner } from "../wake-rules.ts";
import type { Concerned, Draft, Wiring } from "./draft.ts";
import type { Reconcile } from "./context.ts";
import { ObjectCaches } from "./object-caches.ts";
import { DEFAULT_SYNC_TIMEOUT_MS, DEFAULT_WORKERS } from "./options.ts";
import { where } from "./predicates.ts";
import { Reconciler } from "./reconciler.ts";
import { follow } from "./source.ts";
import { Workshop } from "./workshop.ts";

/** Puts what was said of a controller on the kit. */
export function wire<T extends PartialObject>(kit: Kit, draft: Draft<T>, reconcile: Reconcile<T>): void {
  const { name, resource, knowsStatus, options, concerns, finalize, onError } = draft;
  const { workers = DEFAULT_WORKERS, debounceMs, timeoutMs = 0, resyncMs, maxRetries } = options;
  const { labelSelector, syncTimeoutMs = DEFAULT_SYNC_TIMEOUT_MS, namespaces = kit.env.namespaces } = options;
  const caches = new ObjectCaches(kit, {
    namespaces,
    manager: name,
    syncTimeoutMs,
    onNew: (cache) => {
      const id = resourceKey(cache.resource);
      cache.hears((change) => {
        const told = groupResource(cache.resource);
        for (const key of shop.interests.concerned(id, change)) queue.changed(key, told, change, debounceMs);
      });
    },
  });
  const shop = new Workshop({ name, resource, knowsStatus }, kit, caches);
  const reconciler = new Reconciler(shop, { reconcile, concerns, finalize, onError, timeoutMs, workers });
  const owners = draft.owners(caches, {
    ...(resyncMs !== undefined && { resyncMs }),
    ...(labelSelector !== undefined && { labelSelector }),
  });
  const queue: KeyQueue = kit.ownerQueue<T>({
    name,
    workers,
    owners,
    sync: async (sync) => reconciler.sync(sync),
    judge: (key, error) => reconciler.judge(owners.lister.getByKey(key), error),
    wakes: where<T>(options.where, later(debounceMs, itself)),
    remembers: [shop.applied, shop.statuses, shop.failures],
    gone: (key) => shop.interests.deleteName(key),
    ready: async (signal) => caches.fillAll(signal),
    ...(maxRetries !== undefined && { maxRetries }),
  });
  for (const part of draft.parts) part(wiringOf(shop, { owners, queue, debounceMs }));
  for (const source of draft.sources)
    kit.task(async (signal) => follow({ source, env: kit.env, queue, all: owners.lister }, signal));
}

interface Target<T extends PartialObject> {
  readonly owners: Cache<T, ApiObject>;
  readonly queue: KeyQueue;
  readonly debounceMs: number | undefined;
}

function wiringOf<T extends PartialObject>(
  shop: Workshop,
  { owners, queue, debounceMs }: Target<T>,
): Wiring<T> {
  const { log } = shop.kit.env;
  return {
    owns: (resource, options) => {
      shop.ownedResources.add(resourceKey(resource));
      const rule = itsOwner({ owners, log, ...(debounceMs !== undefined && { afterMs: debounceMs }) });
      shop.caches.declare(resource).wakes(queue, where(options.where, rule));
    },
    watches: (resource, concerned, options) => {
      const rule = later(debounceMs, concerning(owners, concerned));
      shop.caches.declare(resource).wakes(queue, where(options.where, rule));
    },
    watchesPart: (resource, fields, concerned, options) => {
      const rule = later(debounceMs, concerning(owners, concerned));
      shop.caches.declarePart(resource, fields).wakes(queue, where(options.where, rule));
    },
  };
}

function concerning<T extends PartialObject, W extends PartialObject>(
  owners: Cache<T, ApiObject>,
  concerned: Concerned<T, W>,
): WakeRule<W> {
  const keysOf = (object: Stored<W>): readonly string[] => concerned(object, owners.lister).map(keyOfEither);
  return (change, wake) => {
    const before = change.type === "updated" && !change.resync ? keysOf(change.before) : [];
    for (const key of new Set([...before, ...keysOf(change.object)])) wake(key);
  };
}

function keyOfEither(named: ObjectRef | PartialObject): string {
  return "metadata" in named ? keyOf(named) : refKey(named.namespace, named.name);
}

/** So that several changes are looked at together. */
function later<T extends PartialObject>(delayMs: number | undefined, rule: WakeRule<T>): WakeRule<T> {
  if (delayMs === undefined) return rule;
  return (change, wake) => rule(change, (key, afterMs = delayMs) => wake(key, afterMs));
}

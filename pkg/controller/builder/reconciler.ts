import type { PartialObject, Stored, StoredObject } from "../../api/object.ts";
import { apiVersionOf } from "../../api/resource.ts";
import { DeadlineError, withDeadline } from "../../clock/wait.ts";
import { isPermanent } from "../permanent-error.ts";
import type { OwnerSync, SyncResult } from "../sync.ts";
import type { Verdict } from "../worker.ts";
import type { Context, Reconcile, ReconcileResult } from "./context.ts";
import { finalizerOf, hasFinalizer, writeFinalizers } from "./finalizer.ts";
import { type ReconcileMetrics, reconcileMetrics } from "./reconcile-metrics.ts";
import { RunApplies } from "./run-applies.ts";
import { RunReads } from "./run-reads.ts";
import { RunStatus } from "./run-status.ts";
import type { Workshop } from "./workshop.ts";

/** What becomes of an object whose reconcile failed for the `attempt`th time in a row; undefined: the usual. */
export type OnError<T extends PartialObject> = (
  error: unknown,
  object: Stored<T>,
  attempt: number,
) => Verdict | undefined;

export interface ReconcilerOptions<T extends PartialObject> {
  readonly reconcile: Reconcile<T>;
  /** Whether an object is one of the controller's; all are when left out. */
  readonly concerns: ((object: Stored<T>) => boolean) | undefined;
  readonly finalize: Reconcile<T> | undefined;
  readonly onError: OnError<T> | undefined;
  /** 0: none. */
  readonly timeoutMs: number;
  readonly workers: number;
}

/** What is done with one object when its turn has come. */
export class Reconciler<T extends PartialObject> {
  readonly #shop: Workshop;
  readonly #options: ReconcilerOptions<T>;
  readonly #metrics: ReconcileMetrics;
  readonly #finalizer: string;

  constructor(shop: Workshop, options: ReconcilerOptions<T>) {
    this.#shop = shop;
    this.#options = options;
    this.#metrics = reconcileMetrics(shop.kit.env.metrics, shop.name, options.workers);
    this.#finalizer = finalizerOf(shop.name, shop.resource.group);
  }

  async sync(sync: OwnerSync<T>): Promise<SyncResult> {
    const { clock } = this.#shop.kit.env;
    const { failures } = this.#shop;
    const startMs = clock.monotonicMs();
    const took = (): number => clock.monotonicMs() - startMs;
    this.#metrics.began();
    try {
      const result = await this.#inTime(sync);
      failures.delete(sync.owner);
      this.#metrics.ended(result.requeueAfterMs === undefined ? "success" : "requeue_after", took());
      return result;
    } catch (error) {
      failures.set(sync.owner, (failures.get(sync.owner) ?? 0) + 1);
      this.#metrics.ended("error", took());
      if (error instanceof DeadlineError) this.#metrics.timedOut();
      throw error;
    }
  }

  /** Asked by the worker about every failure that is not the server's absence. */
  judge(owner: Stored<T> | undefined, error: unknown): Verdict | undefined {
    const attempt = owner && this.#shop.failures.get(owner);
    const asked = owner && this.#options.onError?.(error, owner, attempt ?? 1);
    const verdict = asked ?? (isPermanent(error) ? "drop" : undefined);
    if (verdict === "drop") this.#metrics.terminal();
    return verdict;
  }

  /** A reconcile whose time is over is told so by its signal, and waited for: no object is reconciled twice at a time. */
  async #inTime(sync: OwnerSync<T>): Promise<SyncResult> {
    const { timeoutMs: limitMs } = this.#options;
    if (limitMs === 0) return this.#reconcile(sync, sync.signal);
    const what = `the reconcile of ${sync.key}`;
    const work = async (signal: AbortSignal): Promise<SyncResult> => this.#reconcile(sync, signal);
    return withDeadline(this.#shop.kit.env.clock, { limitMs, what }, work, sync.signal);
  }

  async #reconcile(sync: OwnerSync<T>, signal: AbortSignal): Promise<SyncResult> {
    const { concerns, finalize, reconcile } = this.#options;
    let object = sync.owner;
    const isLeaving = object.metadata.deletionTimestamp !== undefined || concerns?.(object) === false;
    const isHeld = finalize !== undefined && hasFinalizer(object, this.#finalizer);
    // What it owns goes with it.
    if (isLeaving && !isHeld) return {};
    const { finalizers = [] } = object.metadata;
    if (!isLeaving && finalize !== undefined && !isHeld)
      object = held(
        object,
        await writeFinalizers(this.#shop, object, [...finalizers, this.#finalizer], signal),
      );
    const notes = this.#shop.interests.begin(sync.key);
    const status = new RunStatus(this.#shop, object);
    const ctx = this.#context(
      { sync, object, status, reads: new RunReads(this.#shop, object, notes) },
      signal,
    );
    const result = await (isLeaving && finalize ? finalize : reconcile)(object, ctx);
    notes.ended();
    const { requeueAfterMs } = result ?? ({} satisfies ReconcileResult);
    if (requeueAfterMs !== undefined) return { requeueAfterMs };
    if (isLeaving) {
      const others = (status.object.metadata.finalizers ?? []).filter((each) => each !== this.#finalizer);
      await writeFinalizers(this.#shop, status.object, others, signal);
    }
    return {};
  }

  #context({ sync, object, status, reads }: RunParts<T>, signal: AbortSignal): Context<T> {
    const { env } = this.#shop.kit;
    const applies = new RunApplies(this.#shop, object, reads);
    const { kind } = this.#shop.resource;
    const regarding = { ...object, apiVersion: apiVersionOf(this.#shop.resource), kind };
    return {
      key: sync.key,
      reasons: sync.reasons,
      log: sync.log,
      signal,
      nowMs: env.clock.nowMs(),
      client: env.client,
      read: async (resource, ref) => reads.read(resource, ref, signal),
      list: async (resource, wish = {}) => reads.list(resource, wish, signal),
      apply: async (resource, desired, options = {}) => applies.apply(resource, desired, options, signal),
      create: async (resource, draft, options = {}) => applies.create(resource, draft, options, signal),
      delete: async (resource, what) => applies.delete(resource, what, signal),
      prune: async (resource, keep) => applies.prune(resource, keep, signal),
      status: async (fields, ...conditions) => status.write(fields, conditions, signal),
      event: (type, reason, message) => env.events.event(regarding, type, reason, message),
      decided: (what, why) => sync.decided(what, why),
    };
  }
}

/** The object as it was read, which the server has changed in nothing else: its answer has all fields. */
function held<T extends PartialObject>(object: Stored<T>, { metadata }: StoredObject): Stored<T> {
  const { finalizers = [], resourceVersion } = metadata;
  return { ...object, metadata: { ...object.metadata, finalizers, resourceVersion } };
}

interface RunParts<T extends PartialObject> {
  readonly sync: OwnerSync<T>;
  readonly object: Stored<T>;
  readonly status: RunStatus;
  readonly reads: RunReads;
}

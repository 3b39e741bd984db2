import type { ApiObject } from "../../pkg/api/object.ts";
import type { TypedResource } from "../../pkg/api/resource.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { isConflict, isNotFound } from "../../pkg/client/errors.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { HollowKubelet, type HollowKubeletOptions, markPod, type PodFate } from "./hollow-kubelet.ts";

const POLL_MS = 25;
const LIMIT_MS = 90_000;
const STEADY_MS = 1_000;

type KubeletRules = Pick<HollowKubeletOptions, "fateOf" | "hasEnded">;

/** One test's namespace on a server, as the test's own client sees it. Pods do what its kubelet's rules say. */
export class TestSpace {
  readonly namespace: string;
  readonly client: ClientSet;
  #kubelet: HollowKubelet | undefined;

  constructor(client: ClientSet, namespace: string) {
    this.client = client;
    this.namespace = namespace;
  }

  /** From now on, pods are tended while something is waited for. Undefined: nobody tends them. */
  tend(rules: KubeletRules | undefined): void {
    const { client, namespace } = this;
    this.#kubelet = rules && new HollowKubelet({ ...rules, client, namespace, clock: realClock });
  }

  async create<T extends ApiObject>(resource: TypedResource<T>, object: T): Promise<T> {
    const { namespace } = this;
    return this.client.clientFor(resource).create({ ...object, metadata: { ...object.metadata, namespace } });
  }

  async get<T extends ApiObject>(resource: TypedResource<T>, name: string): Promise<T> {
    return this.client.clientFor(resource).get({ namespace: this.namespace, name });
  }

  async find<T extends ApiObject>(resource: TypedResource<T>, name: string): Promise<T | undefined> {
    try {
      return await this.get(resource, name);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async list<T extends ApiObject>(resource: TypedResource<T>): Promise<readonly T[]> {
    return (await this.client.clientFor(resource).list({ namespace: this.namespace })).items;
  }

  /** Reads, changes and writes, until nobody gets in between. */
  async update<T extends ApiObject>(
    resource: TypedResource<T>,
    name: string,
    change: (object: T) => T,
  ): Promise<T> {
    for (;;) {
      try {
        return await this.client.clientFor(resource).update(change(await this.get(resource, name)));
      } catch (error) {
        if (!isConflict(error)) throw error;
      }
    }
  }

  async patch<T extends ApiObject>(resource: TypedResource<T>, name: string, body: unknown): Promise<T> {
    const ref = { namespace: this.namespace, name };
    return this.client.clientFor(resource).patch(ref, { type: "merge", body });
  }

  async delete(resource: TypedResource<ApiObject>, name: string, gracePeriodSeconds?: number): Promise<void> {
    const options = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
    await this.client.clientFor(resource).delete({ namespace: this.namespace, name }, options);
  }

  async markPod(name: string, fate: PodFate, sinceMs = realClock.nowMs()): Promise<void> {
    await markPod(this.client, { namespace: this.namespace, name }, fate, sinceMs);
  }

  async pods(): Promise<readonly Pod[]> {
    return this.list<Pod>(resources.pods);
  }

  /** Waits while pods are tended. On failure it says what was seen last. */
  async until<T>(what: string, look: () => Promise<T>, holds: (seen: T) => boolean): Promise<T> {
    const endMs = realClock.monotonicMs() + LIMIT_MS;
    for (;;) {
      await this.#kubelet?.step();
      const seen = await look();
      if (holds(seen)) return seen;
      if (realClock.monotonicMs() > endMs)
        throw new Error(`not within ${LIMIT_MS} ms: ${what}; last seen: ${JSON.stringify(seen)}`);
      await pause(POLL_MS);
    }
  }

  /** Waits, while pods are tended, until what is seen stays the same. */
  async untilSteady(look: () => Promise<unknown>): Promise<void> {
    let last: string | undefined;
    await this.until(
      "it stays the same",
      async () => {
        await this.never("nothing", STEADY_MS, async () => false);
        const [before, now] = [last, JSON.stringify(await look())];
        last = now;
        return before === now;
      },
      (same) => same,
    );
  }

  /** For what must not happen: looks until `durationMs` have passed, and throws as soon as it has happened. */
  async never(what: string, durationMs: number, happened: () => Promise<boolean>): Promise<void> {
    const endMs = realClock.monotonicMs() + durationMs;
    while (realClock.monotonicMs() < endMs) {
      await this.#kubelet?.step();
      if (await happened()) throw new Error(`happened within ${durationMs} ms: ${what}`);
      await pause(POLL_MS);
    }
  }
}

async function pause(ms: number): Promise<void> {
  return new Promise((resolve) => realClock.setTimer(ms, resolve));
}

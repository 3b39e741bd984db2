import type { Stored } from "../../pkg/api/object.ts";
import type { Node } from "../../pkg/api/types/core-v1.gen.ts";
import { isNotFound } from "../../pkg/client/errors.ts";
import type { ResourceClient } from "../../pkg/client/resource-client.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import { identityOf, readLive } from "../../pkg/controller/read-live.ts";
import type { CachedNode } from "./fields.ts";

/** All pods of a node that go at the same time are asked about once. */
const SHARED_MS = 1_000;

interface Reading {
  readonly atMs: number;
  readonly node: Promise<CachedNode | undefined>;
}

/** Nodes as the server has them: a cache may not have seen that a taint is gone, and who was evicted does not come back. */
export class LiveNodes {
  readonly #client: Pick<ResourceClient<Node>, "get">;
  readonly #clock: Clock;
  readonly #readings = new Map<string, Reading>();

  constructor(client: Pick<ResourceClient<Node>, "get">, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** This very node, as it was a second ago or later; undefined when it is gone. */
  async read(node: CachedNode, signal: AbortSignal): Promise<CachedNode | undefined> {
    const { uid = "" } = node.metadata;
    const nowMs = this.#clock.monotonicMs();
    const last = this.#readings.get(uid);
    if (last !== undefined && nowMs - last.atMs < SHARED_MS) return last.node;
    const reading = { atMs: nowMs, node: this.#ask(node, signal) };
    this.#readings.set(uid, reading);
    try {
      return await reading.node;
    } catch (error) {
      if (this.#readings.get(uid) === reading) this.#readings.delete(uid);
      throw error;
    }
  }

  /** Whatever node has this name now; undefined when there is none. */
  async named(name: string, signal: AbortSignal): Promise<CachedNode | undefined> {
    try {
      return ofInterest(await this.#client.get({ name }, {}, signal));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  forget({ metadata: { uid = "" } }: CachedNode): void {
    this.#readings.delete(uid);
  }

  async #ask(node: CachedNode, signal: AbortSignal): Promise<CachedNode | undefined> {
    const live = await readLive(this.#client, identityOf(node), signal);
    return live && ofInterest(live);
  }
}

/** What else there is of the node is not kept. */
function ofInterest({ metadata: { name, uid }, spec }: Stored<Node>): CachedNode {
  return { metadata: { name, uid }, ...(spec?.taints && { spec: { taints: spec.taints } }) };
}

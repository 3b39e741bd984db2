import { podClaims } from "../../pkg/api/pod-claims.ts";
import type { CachedPod } from "./claim-use.ts";

/** Pods of one namespace, by the names of the claims that they name. */
export type PodsByClaim = ReadonlyMap<string, readonly CachedPod[]>;
/** Hands over the pods that a namespace has now. */
export type ListPods = (
  namespace: string,
  onPod: (pod: CachedPod) => void,
  signal: AbortSignal,
) => Promise<void>;

/**
 * The pods of namespaces as the server has them. A list answers all that have asked before it began, so that of a
 * thousand claims that are deleted at once each need not have a list of its own.
 */
export class LivePods {
  readonly #list: ListPods;
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #next = new Map<string, Promise<PodsByClaim>>();

  constructor(list: ListPods) {
    this.#list = list;
  }

  async now(namespace: string, signal: AbortSignal): Promise<PodsByClaim> {
    const next = this.#next.get(namespace) ?? this.#listNext(namespace, signal);
    this.#next.set(namespace, next);
    return next;
  }

  /** Begins when the list that runs has ended, however that ends. */
  async #listNext(namespace: string, signal: AbortSignal): Promise<PodsByClaim> {
    await Promise.allSettled([this.#running.get(namespace)]);
    this.#next.delete(namespace);
    const listing = this.#byClaim(namespace, signal);
    this.#running.set(namespace, listing);
    try {
      return await listing;
    } finally {
      if (this.#running.get(namespace) === listing) this.#running.delete(namespace);
    }
  }

  async #byClaim(namespace: string, signal: AbortSignal): Promise<PodsByClaim> {
    const pods = new Map<string, CachedPod[]>();
    const note = (pod: CachedPod): void => {
      for (const { name } of podClaims(pod)) {
        const known = pods.get(name);
        if (known === undefined) pods.set(name, [pod]);
        else known.push(pod);
      }
    };
    await this.#list(namespace, note, signal);
    return pods;
  }
}

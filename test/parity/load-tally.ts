import type { ActorWrite } from "./activity.ts";

export interface LoadResult {
  /** From the first create until the last Deployment was available. */
  readonly seconds: number;
  /** By actor, for each pod. */
  readonly writesPerPod: Readonly<Record<string, number>>;
  /** Answers 409, by actor. */
  readonly conflicts: Readonly<Record<string, number>>;
  /** The longest that a Deployment has waited for its ReplicaSet, and a ReplicaSet for its first status. */
  readonly longestWaitSeconds: { readonly deployment: number; readonly replicaSet: number };
  /** Of the controller manager; of everything, where that is one process. */
  readonly cpuSeconds: number;
  readonly rssMiB: number;
}

/** Adds up the writes of a load, each with its time. */
export class LoadTally {
  readonly #writes = new Map<string, number>();
  readonly #conflicts = new Map<string, number>();
  readonly #created = new Map<string, number>();
  readonly #deploymentWaits: number[] = [];
  readonly #replicaSetWaits: number[] = [];

  record({ actor, verb, resource, name, status }: ActorWrite, atMs: number): void {
    count(this.#writes, actor);
    if (status === 409) count(this.#conflicts, actor);
    if (status >= 400) return;
    const what = `${verb} ${resource}`;
    if (what === "create deployments" || what === "create replicasets")
      this.#created.set(`${resource}/${name}`, atMs);
    // A ReplicaSet is named after its Deployment and a hash without dashes.
    if (what === "create replicasets")
      this.#answer(`deployments/${name.slice(0, name.lastIndexOf("-"))}`, atMs, this.#deploymentWaits);
    if (what === "update replicasets/status")
      this.#answer(`replicasets/${name}`, atMs, this.#replicaSetWaits);
  }

  result(pods: number, seconds: number): Omit<LoadResult, "cpuSeconds" | "rssMiB"> {
    const perPod = [...this.#writes].map(([actor, writes]) => [actor, writes / pods] as const);
    return {
      seconds,
      writesPerPod: Object.fromEntries(perPod.toSorted(([a], [b]) => (a < b ? -1 : 1))),
      conflicts: Object.fromEntries(this.#conflicts),
      longestWaitSeconds: {
        deployment: Math.max(0, ...this.#deploymentWaits) / 1_000,
        replicaSet: Math.max(0, ...this.#replicaSetWaits) / 1_000,
      },
    };
  }

  #answer(key: string, atMs: number, waits: number[]): void {
    const createdMs = this.#created.get(key);
    if (createdMs === undefined) return;
    waits.push(atMs - createdMs);
    this.#created.delete(key);
  }
}

function count(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

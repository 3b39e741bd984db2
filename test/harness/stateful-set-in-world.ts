import { resources } from "../../pkg/api/resources.ts";
import type { StatefulSet, StatefulSetSpec } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import { internal } from "../../pkg/apiserver/server/status-error.ts";
import type { ControllerWorld } from "./controller-world.ts";

type Listed = Parameters<ControllerWorld["list"]>[0];

/** The StatefulSet `foo` of a world, and what is there beside it. */
export class StatefulSetInWorld {
  readonly #world: ControllerWorld;

  constructor(world: ControllerWorld) {
    this.#world = world;
  }

  async create(owner: StatefulSet): Promise<StatefulSet> {
    const { uid: _, ...metadata } = owner.metadata;
    return this.#world.create(resources.statefulSets, { ...owner, metadata });
  }

  /** Changes it, and lets everybody do what follows. */
  async update(more: Partial<StatefulSetSpec>): Promise<void> {
    await this.#world.update(resources.statefulSets, "foo", (owner) => ({
      ...owner,
      ...(owner.spec && { spec: { ...owner.spec, ...more } }),
    }));
    await this.#world.runWithKubelet();
  }

  async get(): Promise<StatefulSet> {
    return this.#world.get(resources.statefulSets, "foo");
  }

  async names(resource: Listed): Promise<readonly (string | undefined)[]> {
    return (await this.#world.list(resource)).map(({ metadata }) => metadata.name);
  }

  async uids(): Promise<ReadonlyMap<string, string>> {
    const pods = await this.#world.list<Pod>(resources.pods);
    return new Map(pods.map(({ metadata }) => [metadata.name ?? "", metadata.uid ?? ""]));
  }

  async images(): Promise<readonly (string | undefined)[]> {
    const pods = await this.#world.list<Pod>(resources.pods);
    return pods.map(({ spec }) => spec?.containers[0]?.image);
  }

  async claimOwners(): Promise<unknown> {
    const claims = await this.#world.list(resources.persistentVolumeClaims);
    return claims.map(({ metadata }) => metadata.ownerReferences);
  }

  failOnce(verb: "create" | "update" | "delete", resource: string): void {
    this.#world.server.parts.faults.add({
      target: { verb, resource },
      times: 1,
      action: { kind: "status", when: "before", error: internal("down") },
    });
  }
}

/** What the status says when that many pods are ready and of one revision. */
export function settledCounts(replicas: number): Readonly<Record<string, number>> {
  const same = { readyReplicas: replicas, currentReplicas: replicas, updatedReplicas: replicas };
  return { replicas, ...(replicas > 0 && same), availableReplicas: replicas };
}

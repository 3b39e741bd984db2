import type { ApiObject } from "../../../pkg/api/object.ts";
import { controllerOf } from "../../../pkg/api/owner-references.ts";
import { BUCKETS } from "../world/history.ts";
import type { World } from "../world/world.ts";
import type { Beliefs } from "./beliefs.ts";
import { stateAfter, type Write } from "./write.ts";

/** The kind of owner that each controller of workloads works for. */
const WORKS_FOR: Readonly<Record<string, string>> = {
  "deployment-controller": "Deployment",
  "replicaset-controller": "ReplicaSet",
  "replication-controller": "ReplicationController",
  "statefulset-controller": "StatefulSet",
  "daemon-set-controller": "DaemonSet",
  "job-controller": "Job",
  "cronjob-controller": "CronJob",
};
/** Where what they work with is; the owners themselves are told by their kind. */
const DEPENDENTS = ["pods", "replicasets", "jobs", "controllerrevisions"].map(
  (resource) => BUCKETS[resource],
);
const OWN: Readonly<Record<string, string | undefined>> = {
  "replicaset-controller": BUCKETS["replicasets"],
  "job-controller": BUCKETS["jobs"],
};

interface Observing extends ApiObject {
  readonly status?: { readonly observedGeneration?: number };
}

/** A name is not an identity: nobody writes to what has a name that it knows, and is something else. */
export class IdentitySafety {
  readonly #world: World;
  readonly #beliefs: Beliefs;
  /** Since when those have the controllers that they have, by uid. */
  readonly #ownedSinceMs = new Map<string, number>();

  constructor(world: World, beliefs: Beliefs) {
    this.#world = world;
    this.#beliefs = beliefs;
    for (const bucket of DEPENDENTS) {
      world.server.parts.store.subscribe(bucket ?? "", ({ object, previous }) => {
        if (controllerOf(object)?.uid !== (previous && controllerOf(previous)?.uid))
          this.#ownedSinceMs.set(object.metadata.uid ?? "", world.clock.monotonicMs());
      });
    }
  }

  judge(write: Write): void {
    const { event, facts } = write;
    // Collections are deleted without a look at each; what the server does on the way is nobody's fault.
    const isMeant = facts.name !== "" && event.object.metadata.name === facts.name;
    if (!isMeant || event.previous === undefined || !write.bucket.endsWith(facts.resource)) return;
    this.#checkShown(event.previous, write);
    this.#checkObserved(event.object, write);
    this.#checkOwner(event.previous, write);
  }

  #checkShown(before: ApiObject, { process, line, client }: Write): void {
    // What it writes to a node is the same for all.
    if (client === "ttl-controller") return;
    if (this.#world.history.hasBeenShown(process.name, before)) return;
    this.#world.violate(`${line}: has never been shown the one that has this name (${client})`);
  }

  #checkObserved({ metadata, status }: Observing, { facts, line }: Write): void {
    if (facts.subresource !== "status" || (status?.observedGeneration ?? 0) <= (metadata.generation ?? 0))
      return;
    this.#world.violate(
      `${line}: says that generation ${status?.observedGeneration} was observed of ${metadata.generation}`,
    );
  }

  /** What is nobody's may be adopted, and a Job takes its finalizer off what is nobody's any more. */
  #checkOwner(before: ApiObject, { client, bucket, event, facts, process, line }: Write): void {
    const kind = WORKS_FOR[client];
    if (kind === undefined || !DEPENDENTS.includes(bucket) || OWN[client] === bucket) return;
    const owner = controllerOf(before);
    if (owner?.kind === kind) return;
    // It may have been its own a moment ago.
    const sinceMs = this.#ownedSinceMs.get(before.metadata.uid ?? "") ?? 0;
    if (sinceMs >= this.#beliefs.horizonMs(process, [facts.resource])) return;
    const next = stateAfter(event);
    const isAdopted = next !== undefined && controllerOf(next)?.kind === kind;
    if (owner === undefined && (isAdopted || client === "job-controller")) return;
    this.#world.violate(
      `${line}: belongs to ${owner === undefined ? "nobody" : `${owner.kind} ${owner.name}`}`,
    );
  }
}

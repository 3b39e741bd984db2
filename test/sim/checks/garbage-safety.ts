import type { ApiObject } from "../../../pkg/api/object.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Node, Pod } from "../../../pkg/api/types/core-v1.gen.ts";
import { isPodTerminal } from "../../../pkg/api/pod.ts";
import { FINISHED_PODS_KEPT } from "../world/controllers.ts";
import { BUCKETS } from "../world/history.ts";
import { objectsIn, podsIn } from "../world/objects.ts";
import type { World } from "../world/world.ts";
import type { Beliefs } from "./beliefs.ts";
import { OUT_OF_SERVICE, readyOf } from "./node-facts.ts";
import { States } from "./states.ts";
import { stateAfter, type Write } from "./write.ts";

const FOREGROUND = "foregroundDeletion";
const ORPHAN = "orphan";

interface Known {
  readonly object: ApiObject;
  /** Since when it names these owners. */
  readonly ownedSinceMs: number;
}

/** Nothing that is owned is deleted as garbage, and no owner goes before the dependents that it has to wait for. */
export class GarbageSafety {
  readonly #world: World;
  readonly #beliefs: Beliefs;
  /** Everything that can own or be owned, by uid. */
  readonly #known = new Map<string, Known>();
  /** Owners that have waited for their dependents: once there are none to wait for, they may take a while to end. */
  readonly #waited = new Set<string>();
  readonly #nodes: States<Node>;

  constructor(world: World, beliefs: Beliefs) {
    this.#world = world;
    this.#beliefs = beliefs;
    this.#nodes = new States(world, BUCKETS["nodes"] ?? "");
    for (const bucket of Object.values(BUCKETS)) {
      world.server.parts.store.subscribe(bucket, (event) => this.#changed(event.object, stateAfter(event)));
    }
  }

  judge(write: Write): void {
    const { client, facts, event } = write;
    const { previous } = event;
    if (previous === undefined) return;
    if (client !== "pod-garbage-collector") this.#checkForce(write);
    if (client === "pod-garbage-collector" && facts.verb === "delete") return this.#checkPod(previous, write);
    if (client !== "generic-garbage-collector") return;
    if (facts.verb === "delete") return this.#checkDeletion(previous, write);
    const left = stateAfter(event)?.metadata.finalizers ?? [];
    for (const finalizer of [FOREGROUND, ORPHAN]) {
      const had = previous.metadata.finalizers?.includes(finalizer) === true;
      if (had && !left.includes(finalizer)) this.#checkFinalizer(previous, finalizer, write);
    }
  }

  /** A pod that runs gets its time to end: its name is free only when nothing of it runs any more. */
  #checkForce({ bucket, event, facts, line }: Write): void {
    const pod: Pod | undefined = event.previous;
    const isGone = bucket === BUCKETS["pods"] && facts.verb === "delete" && event.type === "DELETED";
    if (!isGone || pod?.spec?.nodeName === undefined || isPodTerminal(pod)) return;
    if (pod.spec.terminationGracePeriodSeconds !== 0) this.#world.violate(`${line}: goes by force`);
  }

  #changed(object: ApiObject, after: ApiObject | undefined): void {
    const uid = object.metadata.uid ?? "";
    const known = this.#known.get(uid);
    if (after === undefined) {
      this.#known.delete(uid);
      return;
    }
    const isSame =
      JSON.stringify(known?.object.metadata.ownerReferences) ===
      JSON.stringify(after.metadata.ownerReferences);
    const ownedSinceMs = known !== undefined && isSame ? known.ownedSinceMs : this.#world.clock.monotonicMs();
    this.#known.set(uid, { object: after, ownedSinceMs });
    if (waitsForDependents(after)) this.#waited.add(uid);
  }

  /** An owner keeps what it owns, unless it waits for its dependents to go before it, or has done so. */
  #checkDeletion({ metadata }: ApiObject, { line }: Write): void {
    const keepers = (metadata.ownerReferences ?? [])
      .map(({ uid }) => this.#known.get(uid)?.object)
      .filter((owner) => owner !== undefined)
      .filter(({ metadata }) => !this.#waited.has(metadata.uid ?? ""));
    if (keepers.length > 0)
      this.#world.violate(
        `${line}: is owned by ${keepers.map((owner) => owner.metadata.name).join(" and ")}`,
      );
  }

  #checkFinalizer(owner: ApiObject, finalizer: string, { process, line }: Write): void {
    const horizonMs = this.#beliefs.horizonMs(process, Object.keys(BUCKETS));
    const left = [...this.#known.values()].filter(
      ({ object, ownedSinceMs }) =>
        ownedSinceMs < horizonMs &&
        object.metadata.ownerReferences?.some(
          ({ uid, blockOwnerDeletion }) =>
            uid === owner.metadata.uid && (finalizer === ORPHAN || blockOwnerDeletion === true),
        ) === true,
    );
    if (left.length > 0)
      this.#world.violate(
        `${line}: takes ${finalizer} off while ${left.map(({ object }) => object.metadata.name).join(", ")} name it`,
      );
  }

  /** Pods go that nobody will end: their node is gone or out of service, or they never had one; and the finished that are too many. */
  #checkPod(pod: Pod, { process, line }: Write): void {
    const { store } = this.#world.server.parts;
    if (pod.metadata.deletionTimestamp !== undefined && !pod.spec?.nodeName) return;
    const finished = podsIn(store).filter(isPodTerminal).length;
    // What was finished a moment ago may be gone by now.
    if (isPodTerminal(pod) && finished + FINISHED_PODS_KEPT / 2 > FINISHED_PODS_KEPT) return;
    if (!pod.spec?.nodeName) return this.#world.violate(`${line}: waits for a node`);
    const node = objectsIn(store, resources.nodes).find(
      ({ metadata }) => metadata.name === pod.spec?.nodeName,
    );
    const horizonMs = this.#beliefs.horizonMs(process, ["pods", "nodes"]);
    if (pod.metadata.deletionTimestamp !== undefined && this.#mayBeOutOfService(pod, horizonMs)) return;
    if (node !== undefined && (this.#known.get(node.metadata.uid ?? "")?.ownedSinceMs ?? 0) < horizonMs)
      this.#world.violate(`${line}: runs on ${node.metadata.name}, which is there`);
  }

  /** Its users have said that the node is down for sure. */
  #mayBeOutOfService({ spec }: Pod, horizonMs: number): boolean {
    return this.#nodes
      .since({ name: spec?.nodeName ?? "" }, horizonMs)
      .some(
        (node) =>
          node !== undefined &&
          readyOf(node) !== "True" &&
          node.spec?.taints?.some(({ key }) => key === OUT_OF_SERVICE),
      );
  }
}

function waitsForDependents({ metadata }: ApiObject): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.finalizers?.includes(FOREGROUND) === true;
}

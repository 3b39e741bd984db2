import type { VolumeSpec } from "./volume-spec.ts";
import { KeySets, volumeKey, type VolumePlace } from "./volume-key.ts";

/** A volume that pods need on a node. */
export interface Wanted extends VolumePlace {
  readonly spec: VolumeSpec;
  /** The pods: their keys by their uids. */
  readonly pods: ReadonlyMap<string, string>;
  /** Users were told that another node has it. */
  readonly isConflictTold: boolean;
}

interface Entry extends Wanted {
  readonly pods: Map<string, string>;
  isConflictTold: boolean;
}

/** Who wants a volume, and where. */
export interface Want {
  readonly pod: { readonly uid: string; readonly key: string };
  readonly node: string;
  readonly spec: VolumeSpec;
}

/**
 * Which volumes are to be attached to which nodes, and for which pods. What a pod was found to need it needs until it has
 * ended, whatever becomes of its claim, volume and node meanwhile.
 * upstream: pkg/controller/volume/attachdetach/cache/desired_state_of_world.go
 */
export class DesiredWorld {
  readonly #entries = new Map<string, Entry>();
  readonly #managed = new Set<string>();
  /** By node, by volume and by the uid of the pod. */
  readonly #onNode = new KeySets();
  readonly #ofVolume = new KeySets();
  readonly #ofPod = new KeySets();

  /** From now on this controller attaches to the node. False when it did so already. */
  manage(node: string): boolean {
    if (this.#managed.has(node)) return false;
    this.#managed.add(node);
    return true;
  }

  isManaged(node: string): boolean {
    return this.#managed.has(node);
  }

  /** The node is gone. While pods are left that need volumes there, it counts as if it were not. */
  release(node: string): boolean {
    if (this.#onNode.has(node)) return false;
    return this.#managed.delete(node);
  }

  /** Undefined when the node is none of ours; whether that is new otherwise. */
  want({ pod, node, spec }: Want): boolean | undefined {
    if (!this.#managed.has(node)) return undefined;
    const place = { node, volume: spec.uniqueName };
    const key = volumeKey(place);
    const entry = this.#entries.get(key);
    this.#ofPod.add(pod.uid, key);
    if (entry !== undefined) {
      entry.pods.set(pod.uid, pod.key);
      return false;
    }
    const pods = new Map([[pod.uid, pod.key]]);
    this.#entries.set(key, { ...place, spec, pods, isConflictTold: false });
    this.#onNode.add(node, key);
    this.#ofVolume.add(spec.uniqueName, key);
    return true;
  }

  /** The pod has ended. Gives the keys of what nobody needs any more. */
  leave(podUid: string): readonly string[] {
    return [...this.#ofPod.take(podUid)].filter((key) => this.#leave(podUid, key));
  }

  /** The pod has no need of that volume to be attached any more. True when nobody has. */
  leaveOne(podUid: string, place: VolumePlace): boolean {
    const key = volumeKey(place);
    this.#ofPod.delete(podUid, key);
    return this.#leave(podUid, key);
  }

  #leave(podUid: string, key: string): boolean {
    const entry = this.#entries.get(key);
    if (entry === undefined || !entry.pods.delete(podUid) || entry.pods.size > 0) return false;
    this.#entries.delete(key);
    this.#onNode.delete(entry.node, key);
    this.#ofVolume.delete(entry.volume, key);
    return true;
  }

  get(key: string): Wanted | undefined {
    return this.#entries.get(key);
  }

  tellConflict(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) entry.isConflictTold = true;
  }

  /** Pods that need the volume on one of these nodes. */
  podsOn(nodes: readonly string[], volume: string): readonly string[] {
    return nodes.flatMap((node) => [
      ...(this.#entries.get(volumeKey({ node, volume }))?.pods.values() ?? []),
    ]);
  }

  all(): Iterable<Wanted> {
    return this.#entries.values();
  }

  keys(): Iterable<string> {
    return this.#entries.keys();
  }
}

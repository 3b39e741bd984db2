import type { VolumeSpec } from "./volume-spec.ts";
import { KeySets, volumeKey, type VolumePlace } from "./volume-key.ts";

/** A volume that is attached to a node, or may be. */
export interface Attachment extends VolumePlace {
  /** Undefined for what is known from the node alone, and no pod needs. */
  readonly spec: VolumeSpec | undefined;
  /** It is known to be attached; otherwise somebody has begun to attach or to detach it. */
  readonly isConfirmed: boolean;
  /** Name of the VolumeAttachment, of what is a CSI driver's. */
  readonly objectName: string | undefined;
  /** Since when it is to be detached. */
  readonly detachSinceMs: number | undefined;
}

export interface Mark {
  readonly spec: VolumeSpec | undefined;
  readonly isConfirmed: boolean;
  readonly objectName: string | undefined;
}

/**
 * Which volumes are attached to which nodes, and which may be.
 * upstream: pkg/controller/volume/attachdetach/cache/actual_state_of_world.go
 */
export class AttachedWorld {
  readonly #attachments = new Map<string, Attachment>();
  readonly #onNode = new KeySets();
  readonly #ofVolume = new KeySets();
  readonly #byObject = new Map<string, string>();

  /** What is known of its spec stays known, and so does since when it is to be detached. */
  mark(place: VolumePlace, { spec, isConfirmed, objectName }: Mark): void {
    const key = volumeKey(place);
    const before = this.#attachments.get(key);
    const { node, volume } = place;
    this.#attachments.set(key, {
      node,
      volume,
      spec: spec ?? before?.spec,
      isConfirmed,
      objectName,
      detachSinceMs: before?.detachSinceMs,
    });
    this.#onNode.add(node, key);
    this.#ofVolume.add(volume, key);
    if (objectName !== undefined) this.#byObject.set(objectName, key);
  }

  /** What was known from the node alone is this volume. */
  learn(key: string, spec: VolumeSpec): void {
    const before = this.#attachments.get(key);
    if (before !== undefined && before.spec === undefined) this.#attachments.set(key, { ...before, spec });
  }

  /** From when on it is to be detached; undefined: it is to stay. */
  setDetachSince(key: string, detachSinceMs: number | undefined): void {
    const before = this.#attachments.get(key);
    if (before !== undefined) this.#attachments.set(key, { ...before, detachSinceMs });
  }

  forget(key: string): void {
    const attachment = this.#attachments.get(key);
    if (attachment === undefined) return;
    const { node, volume, objectName } = attachment;
    this.#attachments.delete(key);
    this.#onNode.delete(node, key);
    this.#ofVolume.delete(volume, key);
    if (objectName !== undefined) this.#byObject.delete(objectName);
  }

  get(key: string): Attachment | undefined {
    return this.#attachments.get(key);
  }

  /** Of which volume on which node the VolumeAttachment is. */
  keyOfObject(name: string): string | undefined {
    return this.#byObject.get(name);
  }

  /** Where else the volume is attached, or may be. */
  elsewhere({ node, volume }: VolumePlace): readonly Attachment[] {
    return [...this.#ofVolume.of(volume)].flatMap((key) => {
      const attachment = this.#attachments.get(key);
      return attachment === undefined || attachment.node === node ? [] : attachment;
    });
  }

  onNode(node: string): Iterable<string> {
    return this.#onNode.of(node);
  }

  hasAnyOn(node: string): boolean {
    return this.#onNode.has(node);
  }

  all(): Iterable<Attachment> {
    return this.#attachments.values();
  }

  keys(): Iterable<string> {
    return this.#attachments.keys();
  }
}

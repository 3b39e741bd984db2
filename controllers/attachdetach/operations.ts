import { KeySets, volumeKey, type VolumePlace } from "./volume-key.ts";

/** As in metrics. */
export type OperationName = "volume_attach" | "volume_detach";

/** Waited for after the first failure; twice as long after each other. */
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 122_000;

/** Attaching or detaching a volume that somebody else has a part in. */
export interface Operation extends VolumePlace {
  readonly name: OperationName;
  /** No other node may do anything with the volume meanwhile. */
  readonly isExclusive: boolean;
  readonly startMs: number;
  /**
   * Of a detachment: "telling" the node that it must not use the volume any more, then "waiting" for the driver. An
   * attachment waits from the start.
   */
  readonly phase: "telling" | "waiting";
  /** The VolumeAttachment as it was when the driver was waited for from then on. */
  readonly firstVersion: string | undefined;
  /** A VolumeAttachment was seen. */
  readonly isSeen: boolean;
}

/** What failed is left alone for a time. */
export interface Delay {
  readonly name: OperationName;
  readonly untilMs: number;
  readonly durationMs: number;
  /** There was a VolumeAttachment when it failed. */
  readonly isSeen: boolean;
}

/**
 * What is being done with which volumes, and what is waited with after failures.
 * upstream: pkg/volume/util/nestedpendingoperations, pkg/util/goroutinemap/exponentialbackoff
 */
export class Operations {
  readonly #running = new Map<string, Operation>();
  readonly #delays = new Map<string, Delay>();
  readonly #ofVolume = new KeySets();

  start(operation: Operation): void {
    const key = volumeKey(operation);
    this.#running.set(key, operation);
    this.#ofVolume.add(operation.volume, key);
    if (this.#delays.get(key)?.name !== operation.name) this.#delays.delete(key);
  }

  /** Says more of one that runs. */
  update(key: string, more: Partial<Operation>): void {
    const operation = this.#running.get(key);
    if (operation !== undefined) this.#running.set(key, { ...operation, ...more });
  }

  running(key: string): Operation | undefined {
    return this.#running.get(key);
  }

  /** Whether another node is in the way. */
  isBusy({ node, volume }: VolumePlace, isExclusive: boolean): boolean {
    for (const key of this.#ofVolume.of(volume)) {
      const other = this.#running.get(key);
      if (other !== undefined && other.node !== node && (isExclusive || other.isExclusive)) return true;
    }
    return false;
  }

  /** It has ended well, or was given up before anything had come of it. */
  end(key: string): void {
    this.#stop(key);
    this.#delays.delete(key);
  }

  /** It is not to be tried again for a time. */
  fail(key: string, nowMs: number): void {
    const operation = this.#stop(key);
    if (operation === undefined) return;
    const { name, isSeen } = operation;
    const before = this.#delays.get(key)?.durationMs;
    const durationMs = before === undefined ? FIRST_DELAY_MS : Math.min(2 * before, LONGEST_DELAY_MS);
    this.#delays.set(key, { name, durationMs, untilMs: nowMs + durationMs, isSeen });
  }

  /** What is waited with before such an operation is begun; undefined: nothing. */
  delay(key: string, name: OperationName, nowMs: number): Delay | undefined {
    const delay = this.#delays.get(key);
    return delay?.name === name && delay.untilMs > nowMs ? delay : undefined;
  }

  #stop(key: string): Operation | undefined {
    const operation = this.#running.get(key);
    if (operation === undefined) return undefined;
    this.#running.delete(key);
    this.#ofVolume.delete(operation.volume, key);
    return operation;
  }
}

import type { Clock } from "../../pkg/clock/clock.ts";
import { sleep } from "../../pkg/clock/wait.ts";

/** A request that changed something, or tried to. */
export interface ActorWrite {
  readonly actor: string;
  readonly verb: string;
  /** "deployments/status" */
  readonly resource: string;
  readonly namespace: string;
  /** "" for a create whose name the server makes. */
  readonly name: string;
  readonly status: number;
}

/** Resources whose names hold no colon. */
const DOTTED =
  /^(nodes|persistentvolumes|storageclasses|volumeattributesclasses|csidrivers|resourcepoolstatusrequests|devicetaintrules|validatingadmissionpolicies)(\/|$)/;

/** VolumeAttachments have names that do not tell whose they are. */
export const ATTACHMENTS = "volumeattachments";

/** The namespace that a write belongs to. What has no namespace bears it in front of its name, before a colon or a dot. */
export function spaceOf({
  namespace,
  resource,
  name,
}: Pick<ActorWrite, "namespace" | "resource" | "name">): string {
  if (namespace !== "") return namespace;
  if (resource.startsWith("namespaces")) return name;
  if (resource.startsWith(ATTACHMENTS)) return ATTACHMENTS;
  return name.split(DOTTED.test(resource) ? "." : ":")[0] ?? "";
}

/** Who else than a controller manager writes. */
export type Outsider = "user" | "scheduler" | "hollow-nodes";
const outsiders: ReadonlySet<string> = new Set<Outsider>(["user", "scheduler", "hollow-nodes"]);

/** What is written to which namespace, and when it was last quiet there. */
export class Activity {
  readonly #clock: Clock;
  readonly #writes = new Map<string, ActorWrite[]>();
  readonly #lastMs = new Map<string, number>();
  /** Writes of outsiders that wait for their turn or for their answer. */
  readonly #pending = new Map<string, number>();
  readonly #turns = new Map<string, Promise<void>>();
  /** How long nothing has to be written until it is quiet. */
  readonly #quietMs: () => number;

  constructor(clock: Clock, quietMs: () => number) {
    this.#clock = clock;
    this.#quietMs = quietMs;
  }

  record(write: ActorWrite): void {
    const space = spaceOf(write);
    const writes = this.#writes.get(space) ?? [];
    this.#writes.set(space, writes);
    if (!outsiders.has(write.actor)) writes.push(write);
    this.touch(space);
  }

  touch(namespace: string): void {
    this.#lastMs.set(namespace, this.#clock.monotonicMs());
  }

  /** The writes of controllers. */
  writesTo(namespace: string): readonly ActorWrite[] {
    return this.#writes.get(namespace) ?? [];
  }

  /** Everybody has had time to see the last write and to answer it with one of their own. */
  async settled(namespace: string): Promise<void> {
    while (!this.#isQuiet(namespace) || (this.#pending.get(namespace) ?? 0) > 0) await this.#tick();
  }

  /**
   * Runs the write of an outsider when controllers have digested the one before. Controllers that are slow, or fast,
   * or far away then see the same changes in the same portions, and their writes can be counted.
   */
  async inTurn<T>(namespace: string, write: () => Promise<T>): Promise<T> {
    this.#pending.set(namespace, (this.#pending.get(namespace) ?? 0) + 1);
    const before = this.#turns.get(namespace) ?? Promise.resolve();
    const turn = this.#take(before, namespace, write);
    const over = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#turns.set(namespace, over);
    try {
      return await turn;
    } finally {
      this.#pending.set(namespace, (this.#pending.get(namespace) ?? 1) - 1);
    }
  }

  async #take<T>(before: Promise<void>, namespace: string, write: () => Promise<T>): Promise<T> {
    await before;
    while (!this.#isQuiet(namespace)) await this.#tick();
    const result = await write();
    this.touch(namespace);
    return result;
  }

  #isQuiet(namespace: string): boolean {
    return this.#clock.monotonicMs() - (this.#lastMs.get(namespace) ?? 0) >= this.#quietMs();
  }

  async #tick(): Promise<void> {
    await sleep(this.#clock, this.#quietMs() / 4);
  }
}

import type { StoredObject } from "../api/object.ts";
import type { Clock } from "../clock/clock.ts";

/** The server may be another one by then, or have its features switched on. */
const BELIEVED_MS = 600_000;
const MOST = 1_000;

interface Known<A> {
  readonly version: string | undefined;
  readonly status: string;
  readonly answer: A;
  readonly untilMs: number;
}

/**
 * Statuses of which the server made nothing: it does not know a field yet, or keeps it only with a feature that is off
 * there. Written again they would become nothing again, with every sync of an object that is as it should be.
 */
export class WithoutEffect<A extends StoredObject> {
  readonly #clock: Clock;
  /** By uid. */
  readonly #known = new Map<string, Known<A>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What the server would answer if it were sent this; undefined when nobody knows. */
  answerTo(sent: StoredObject): A | undefined {
    const known = this.#known.get(sent.metadata.uid);
    if (known === undefined || known.version !== sent.metadata.resourceVersion) return undefined;
    if (known.untilMs < this.#clock.monotonicMs() || known.status !== statusOf(sent)) return undefined;
    return known.answer;
  }

  note(sent: StoredObject, answer: A): void {
    const { uid, resourceVersion: version } = sent.metadata;
    this.#known.delete(uid);
    if (answer.metadata.resourceVersion !== version) return;
    const untilMs = this.#clock.monotonicMs() + BELIEVED_MS;
    this.#known.set(uid, { version, status: statusOf(sent), answer, untilMs });
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MOST) return;
      this.#known.delete(oldest);
    }
  }
}

function statusOf(object: StoredObject & { readonly status?: unknown }): string {
  return JSON.stringify(object.status) ?? "";
}

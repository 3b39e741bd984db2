import { resources } from "../../pkg/api/resources.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { sleep } from "../../pkg/clock/wait.ts";

const ASKED_EVERY_MS = 50;
/** The slowest of these counts. */
const REMEMBERED = 20;
/** To see a write and to answer it takes a manager about so many times as long as a request takes us. */
const REQUESTS_UNTIL_ANSWERED = 30;

/** How fast the API server answers just now, which tells how long a manager beside it may take. */
export class Pace {
  #latest: readonly number[] = [];

  async follow(client: ClientSet, signal: AbortSignal): Promise<void> {
    const namespaces = client.clientFor(resources.namespaces);
    while (!signal.aborted) {
      const startMs = realClock.monotonicMs();
      await namespaces.get({ name: "default" });
      this.#latest = [...this.#latest, realClock.monotonicMs() - startMs].slice(-REMEMBERED);
      await sleep(realClock, ASKED_EVERY_MS);
    }
  }

  get answersWithinMs(): number {
    return REQUESTS_UNTIL_ANSWERED * Math.max(0, ...this.#latest);
  }
}

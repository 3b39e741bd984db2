import type { RestClient } from "../client/rest.ts";
import type { Clock } from "../clock/clock.ts";
import { sleep } from "../clock/wait.ts";
import { StartError } from "./start-error.ts";

const POLL_MS = 1_000;
const LIMIT_MS = 10_000;

/**
 * Resolves once the API server says that it is healthy; after ten seconds without, throws what it said last. A server
 * that is slow to say so is waited for: only what it said counts, not how long that took.
 * upstream: controller-manager/app/helper.go#WaitForAPIServer
 */
export async function waitForApiServer(rest: RestClient, clock: Clock, signal: AbortSignal): Promise<void> {
  const startMs = clock.monotonicMs();
  for (;;) {
    let problem: unknown;
    try {
      await rest.text({ method: "GET", path: "/healthz", accept: "*/*" }, signal);
      return;
    } catch (error) {
      signal.throwIfAborted();
      problem = error;
    }
    if (clock.monotonicMs() - startMs + POLL_MS > LIMIT_MS) {
      throw new StartError("the API server did not become healthy within 10s", problem);
    }
    await sleep(clock, POLL_MS, signal);
  }
}

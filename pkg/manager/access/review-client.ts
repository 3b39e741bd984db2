import { type Resource, apiVersionOf, resourcePath } from "../../api/resource.ts";
import {
  ApiError,
  isConnectionError,
  isInternalError,
  isTimeout,
  isTooManyRequests,
} from "../../client/errors.ts";
import type { RestClient } from "../../client/rest.ts";
import type { Clock } from "../../clock/clock.ts";
import { jitter, type Random } from "../../clock/random.ts";
import { sleep, withDeadline } from "../../clock/wait.ts";
import type { Metrics } from "../../metrics/metrics.ts";

export interface ReviewClientOptions {
  readonly rest: RestClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: Metrics;
  /** "authn" or "authz", in the names of the metrics. */
  readonly purpose: "authn" | "authz";
}

const ATTEMPTS = 5;
const FIRST_DELAY_MS = 500;
const DELAY_FACTOR = 1.5;
const DELAY_JITTER = 0.2;
/** For all attempts together: whoever asked waits for it. */
const LIMIT_MS = 10_000;

/** Puts questions (TokenReview, SubjectAccessReview) to the API server; trouble that may pass is tried again. */
export class ReviewClient {
  readonly #options: ReviewClientOptions;
  readonly #observe: (code: string, seconds: number) => void;

  constructor(options: ReviewClientOptions) {
    this.#options = options;
    const name = `apiserver_delegated_${options.purpose}_request`;
    const total = options.metrics.counter({
      name: `${name}_total`,
      help: "Requests to the API server about who may do what, by status code.",
      labels: ["code"],
      stability: "ALPHA",
    });
    const duration = options.metrics.histogram({
      name: `${name}_duration_seconds`,
      help: "Time that such requests took, by status code.",
      labels: ["code"],
      buckets: [0.25, 0.5, 0.7, 1, 1.5, 3, 5, 10],
      stability: "ALPHA",
    });
    this.#observe = (code, seconds) => {
      total.inc({ code });
      duration.observe(seconds, { code });
    };
  }

  /** The answered review. Rejects with an ApiError or a DeadlineError. */
  async ask(resource: Resource, spec: unknown): Promise<unknown> {
    const { clock, random } = this.#options;
    const body = { apiVersion: apiVersionOf(resource), kind: resource.kind, metadata: {}, spec };
    return withDeadline(clock, { limitMs: LIMIT_MS, what: `the ${resource.kind}` }, async (signal) => {
      let delayMs = FIRST_DELAY_MS;
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.#attempt(resourcePath(resource), body, signal);
        } catch (error) {
          if (signal.aborted || attempt === ATTEMPTS || !mayPass(error)) throw error;
        }
        await sleep(clock, jitter(random, delayMs, DELAY_JITTER), signal);
        delayMs *= DELAY_FACTOR;
      }
    });
  }

  async #attempt(path: string, body: unknown, signal: AbortSignal): Promise<unknown> {
    const { rest, clock } = this.#options;
    const startMs = clock.monotonicMs();
    let code = "<error>";
    try {
      return await rest.run(
        { method: "POST", path, body },
        async (response) => {
          code = String(response.status);
          return response.json();
        },
        signal,
      );
    } catch (error) {
      if (error instanceof ApiError && error.code !== 0) code = String(error.code);
      throw error;
    } finally {
      this.#observe(code, (clock.monotonicMs() - startMs) / 1_000);
    }
  }
}

function mayPass(error: unknown): boolean {
  if (isInternalError(error) || isTimeout(error) || isTooManyRequests(error)) return true;
  if (!(error instanceof ApiError)) return false;
  // A refused connection is an API server that is down: to ask it again at once is no use.
  return error.retryAfterMs !== undefined || (isConnectionError(error) && error.failure === "lost");
}

import type { IncomingMessage } from "node:http";
import { messageOf } from "../api/errors.ts";
import { parseJsonBytes } from "../api/wire-json.ts";
import { abortable } from "../client/abortable.ts";
import type { Clock } from "../clock/clock.ts";
import { DeadlineError, withDeadline } from "../clock/wait.ts";
import type { Logger } from "../log/logger.ts";
import { answerAdmission } from "./answer-admission.ts";
import { answerConversion } from "./answer-conversion.ts";
import { CONVERT_PATH, hookPath } from "./configurations.ts";
import { readBody } from "./read-body.ts";
import { refusal, type Reply, ReplyError } from "./reply.ts";
import type { AnyWebhook } from "./webhook.ts";

export interface AnswerOptions {
  readonly webhooks: readonly AnyWebhook[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: Limits;
}

export interface Limits {
  /** Of an object, and its former version, and what is around them. */
  readonly admissionBytes: number;
  /** API servers may send all objects of a list at once. */
  readonly conversionBytes: number;
  /** For questions that do not say how long they are waited for. */
  readonly timeoutMs: number;
}

export const DEFAULT_LIMITS: Limits = {
  admissionBytes: 7 << 20,
  conversionBytes: 128 << 20,
  timeoutMs: 30_000,
};

/** Answers one question, given the signal of its time and the parsed review. */
interface Answerer {
  readonly maxBytes: number;
  answer(review: unknown, signal: AbortSignal): Promise<Reply["body"]>;
}

/** Answers what API servers ask. Whatever goes wrong is an answer as well. */
export class RequestAnswerer {
  readonly #options: AnswerOptions;
  readonly #byPath: ReadonlyMap<string, Answerer>;

  constructor(options: AnswerOptions) {
    this.#options = options;
    this.#byPath = new Map(answerers(options));
  }

  get paths(): readonly string[] {
    return [...this.#byPath.keys()];
  }

  /** Undefined: the path is nobody's. */
  async answer(request: IncomingMessage, signal: AbortSignal): Promise<Reply | undefined> {
    const url = new URL(request.url ?? "/", "https://webhook");
    const answerer = this.#byPath.get(url.pathname);
    if (answerer === undefined) return undefined;
    try {
      requireJson(request);
      const limitMs = timeoutOf(url) ?? this.#options.limits.timeoutMs;
      const what = `answering ${url.pathname}`;
      const body = await withDeadline(
        this.#options.clock,
        { limitMs, what },
        async (inTime) => abortable(this.#reviewed(answerer, request, inTime), inTime),
        signal,
      );
      return { status: 200, body };
    } catch (error) {
      return this.#failed(url.pathname, error, signal);
    }
  }

  async #reviewed(answerer: Answerer, request: IncomingMessage, signal: AbortSignal): Promise<Reply["body"]> {
    const bytes = await readBody(request, answerer.maxBytes);
    let review: unknown;
    try {
      review = parseJsonBytes(bytes);
    } catch (error) {
      throw new ReplyError(400, `the review is no JSON: ${messageOf(error)}`, error);
    }
    return answerer.answer(review, signal);
  }

  /** What the webhook does not know how to decide is decided by the failure policy: it is no refusal. */
  #failed(path: string, error: unknown, signal: AbortSignal): Reply {
    if (error instanceof ReplyError) return refusal(error.status, error.message);
    if (error instanceof DeadlineError) return refusal(504, error.message);
    if (signal.aborted) return refusal(503, "the webhook is about to end");
    this.#options.log.error(error, "A webhook failed", { path });
    return refusal(500, messageOf(error));
  }
}

function* answerers({ webhooks, clock, log, limits }: AnswerOptions): Generator<[string, Answerer]> {
  for (const { resource, mutating, validating } of webhooks) {
    for (const [sort, hook] of [
      ["mutate", mutating],
      ["validate", validating],
    ] as const) {
      if (hook === undefined) continue;
      yield [
        hookPath(sort, resource),
        {
          maxBytes: limits.admissionBytes,
          answer: async (review, signal) =>
            answerAdmission(hook, review, { log, signal, isMutating: sort === "mutate" }),
        },
      ];
    }
  }
  if (webhooks.every(({ conversions }) => conversions.length === 0)) return;
  yield [
    CONVERT_PATH,
    {
      maxBytes: limits.conversionBytes,
      answer: async (review, signal) => answerConversion(webhooks, review, { clock, signal }),
    },
  ];
}

function requireJson({ method, headers }: IncomingMessage): void {
  if (method !== "POST") throw new ReplyError(405, "reviews are posted");
  const type = (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase();
  if (type !== "application/json") throw new ReplyError(415, "a review must be application/json");
}

/** API servers say how long they wait: `?timeout=10s`. */
function timeoutOf(url: URL): number | undefined {
  const [, amount, unit] = /^(\d{1,6})(ms|s|m)$/.exec(url.searchParams.get("timeout") ?? "") ?? [];
  if (amount === undefined) return undefined;
  return Number(amount) * (unit === "ms" ? 1 : unit === "s" ? 1_000 : 60_000);
}

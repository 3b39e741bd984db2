import { createHmac, randomBytes } from "node:crypto";
import type { LRUCache } from "lru-cache";
import { resources } from "../../api/resources.ts";
import type { TokenReview } from "../../api/types/authentication-v1.gen.ts";
import type { Clock } from "../../clock/clock.ts";
import type { Metrics } from "../../metrics/metrics.ts";
import { AuthenticationError } from "./authentication-error.ts";
import { expiringCache } from "./expiring-cache.ts";
import type { ReviewClient } from "./review-client.ts";
import { type TokenCacheMetrics, tokenCacheMetrics } from "./token-cache-metrics.ts";
import type { User } from "./user.ts";

/** Resolves to undefined for a token that is nobody's. */
export type TokenAuthenticator = (token: string) => Promise<User | undefined>;

/** Asks the API server whose a token is. */
export function tokenReviews(client: ReviewClient): TokenAuthenticator {
  return async (token) => {
    const { status } = (await client.ask(resources.tokenReviews, { token })) as TokenReview;
    if (status?.authenticated !== true) {
      if (status?.error) throw new AuthenticationError(status.error);
      return undefined;
    }
    const { username = "", uid = "", groups = [], extra } = status.user ?? {};
    return {
      name: username,
      ...(uid === "" ? {} : { uid }),
      groups,
      ...(extra === undefined ? {} : { extra }),
    };
  };
}

const MOST_TOKENS = 32_768;

/**
 * Remembers whose a token is, or that it is nobody's; errors are not remembered. Requests with one token ask once at a
 * time. Tokens are kept as keyed hashes only.
 */
export class TokenCache {
  readonly #ask: TokenAuthenticator;
  readonly #clock: Clock;
  readonly #metrics: TokenCacheMetrics;
  readonly #hashKey = randomBytes(32);
  readonly #known: LRUCache<string, { readonly user: User | undefined }>;
  readonly #ttlMs: number;
  readonly #asking = new Map<string, Promise<User | undefined>>();

  constructor(
    ask: TokenAuthenticator,
    ttlMs: number,
    { clock, metrics }: { clock: Clock; metrics: Metrics },
  ) {
    this.#ask = ask;
    this.#clock = clock;
    this.#metrics = tokenCacheMetrics(metrics);
    this.#known = expiringCache(MOST_TOKENS, clock);
    this.#ttlMs = ttlMs;
  }

  async userOf(token: string): Promise<User | undefined> {
    const startMs = this.#clock.monotonicMs();
    const key = createHmac("sha256", this.#hashKey).update(token).digest("base64");
    const known = this.#known.get(key);
    if (known !== undefined) {
      this.#metrics.asked("hit", this.#clock.monotonicMs() - startMs);
      return known.user;
    }
    const done = this.#metrics.blocked();
    try {
      return await (this.#asking.get(key) ?? this.#fetch(key, token));
    } finally {
      done();
      this.#metrics.asked("miss", this.#clock.monotonicMs() - startMs);
    }
  }

  async #fetch(key: string, token: string): Promise<User | undefined> {
    const done = this.#metrics.fetching();
    const answer = this.#ask(token);
    this.#asking.set(key, answer);
    try {
      const user = await answer;
      if (this.#ttlMs > 0) this.#known.set(key, { user }, { ttl: this.#ttlMs });
      done("ok");
      return user;
    } catch (error) {
      done("error");
      throw error;
    } finally {
      this.#asking.delete(key);
    }
  }
}

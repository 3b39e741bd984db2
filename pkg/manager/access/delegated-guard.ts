import { messageOf } from "../../api/errors.ts";
import type { RestClient } from "../../client/rest.ts";
import type { Clock } from "../../clock/clock.ts";
import type { Random } from "../../clock/random.ts";
import type { Logger } from "../../log/logger.ts";
import type { Metrics } from "../../metrics/metrics.ts";
import type { Asked, Guard } from "../page-server.ts";
import { type Page, TEXT } from "../pages.ts";
import { AuthenticationError } from "./authentication-error.ts";
import { bearerTokenOf } from "./bearer-token.ts";
import { ReviewClient } from "./review-client.ts";
import { accessReviews } from "./subject-access-review.ts";
import { TokenCache, tokenReviews } from "./token-review.ts";
import { AUTHENTICATED, type User } from "./user.ts";

export interface DelegatedGuardOptions {
  readonly rest: RestClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** As controller-runtime has them. */
const TOKEN_TTL_MS = 60_000;
const ALLOWED_TTL_MS = 5 * 60_000;
const REFUSED_TTL_MS = 30_000;

/** Lets those pass of whom the API server says who they are, by their token, and that they may get the path. */
export function delegatedGuard(options: DelegatedGuardOptions): Guard {
  const { clock, log, metrics } = options;
  const whose = new TokenCache(
    tokenReviews(new ReviewClient({ ...options, purpose: "authn" })),
    TOKEN_TTL_MS,
    { clock, metrics },
  );
  const ask = accessReviews({
    client: new ReviewClient({ ...options, purpose: "authz" }),
    clock,
    authorizedTtlMs: ALLOWED_TTL_MS,
    unauthorizedTtlMs: REFUSED_TTL_MS,
  });
  const userOf = async (authorization: string | undefined): Promise<User | undefined> => {
    const token = bearerTokenOf(authorization);
    const user = token === undefined ? undefined : await whose.userOf(token);
    return user && { ...user, groups: [...new Set([...user.groups, AUTHENTICATED])] };
  };
  return async ({ authorization, verb, path }: Asked) => {
    try {
      const user = await userOf(authorization);
      if (user === undefined) return refused(401, "Unauthorized");
      const { result } = await ask({ user, verb, path });
      if (result === "allowed") return undefined;
      return refused(403, `Authorization denied for user ${user.name}`);
    } catch (error) {
      if (error instanceof AuthenticationError) return refused(401, "Unauthorized");
      log.error(error, "Who asks for a page, and whether they may, cannot be found out", {
        path,
        why: messageOf(error),
      });
      return refused(500, "Authorization cannot be checked");
    }
  };
}

const refused = (status: number, text: string): Page => ({ status, contentType: TEXT, body: `${text}\n` });

import { resources } from "../../api/resources.ts";
import type {
  SubjectAccessReview,
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
} from "../../api/types/authorization-v1.gen.ts";
import type { Clock } from "../../clock/clock.ts";
import type { Authorizer, Decision } from "./authorizer.ts";
import { expiringCache } from "./expiring-cache.ts";
import type { ReviewClient } from "./review-client.ts";

export interface AccessReviewOptions {
  readonly client: ReviewClient;
  readonly clock: Clock;
  /** How long an answer is remembered; 0: not at all. */
  readonly authorizedTtlMs: number;
  readonly unauthorizedTtlMs: number;
}

const MOST_ANSWERS = 8_192;
/** Paths come from clients; the answers for outsized ones are not worth the memory. */
const LONGEST_REMEMBERED = 10_000;

/** Asks the API server, and remembers its answers for a while. */
export function accessReviews({
  client,
  clock,
  authorizedTtlMs,
  unauthorizedTtlMs,
}: AccessReviewOptions): Authorizer {
  const answers = expiringCache<SubjectAccessReviewStatus>(MOST_ANSWERS, clock);
  return async ({ user, verb, path }) => {
    const spec: SubjectAccessReviewSpec = {
      user: user.name,
      groups: user.groups,
      ...(user.uid === undefined ? {} : { uid: user.uid }),
      ...(user.extra === undefined ? {} : { extra: user.extra }),
      nonResourceAttributes: { path, verb },
    };
    const key = JSON.stringify(spec);
    const known = answers.get(key);
    if (known !== undefined) return decisionOf(known);
    const review = (await client.ask(resources.subjectAccessReviews, spec)) as SubjectAccessReview;
    const status = review.status ?? { allowed: false };
    const ttl = status.allowed ? authorizedTtlMs : unauthorizedTtlMs;
    if (ttl > 0 && path.length < LONGEST_REMEMBERED) answers.set(key, status, { ttl });
    return decisionOf(status);
  };
}

function decisionOf({ allowed, denied = false, reason = "" }: SubjectAccessReviewStatus): Decision {
  if (allowed && denied) throw new Error("the access review both allowed and denied the request");
  const result = denied ? "denied" : allowed ? "allowed" : "no-opinion";
  return reason === "" ? { result } : { result, reason };
}

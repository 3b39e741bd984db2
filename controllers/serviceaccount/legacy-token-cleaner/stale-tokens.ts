import { parseTime } from "../../../pkg/api/time.ts";
import type { Stored } from "../../../pkg/api/object.ts";
import type { Projected } from "../../../pkg/api/projected.ts";
import type { Secret, ServiceAccount } from "../../../pkg/api/types/core-v1.gen.ts";
import { ACCOUNT_FIELDS, accountNamedBy, TOKEN_SECRET_TYPE } from "../token/token-secret.ts";

/** What is read of Secrets and accounts. */
export const SECRET_FIELDS = [...ACCOUNT_FIELDS, "type"] as const;
export const REFERENCE_FIELDS = ["secrets.name"] as const;
export type CachedSecret = Stored<Projected<Secret, typeof SECRET_FIELDS>>;
type CachedAccount = Projected<ServiceAccount, typeof REFERENCE_FIELDS>;

/** Day of the last request with the token, as the API server notes it. */
export const LAST_USED = "kubernetes.io/legacy-token-last-used";
/** From this day on the API server refuses the token; who takes the label away can use it again. */
export const INVALID_SINCE = "kubernetes.io/legacy-token-invalid-since";

const DAY_MS = 86_400_000;

/** "2026-01-31"; such texts compare as their days do. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function isDay(text: string | undefined): text is string {
  if (text === undefined || !/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const ms = Date.parse(text);
  // There is no 31st of February.
  return !Number.isNaN(ms) && dayOf(ms) === text;
}

/**
 * Whether the API server has noted uses of tokens for long enough that one without a note is truly unused: a whole
 * period, from the end of the day on which it began. Undefined when what it says of that is no day.
 */
export function isTrackedLongEnough(
  since: string | undefined,
  nowMs: number,
  periodMs: number,
): boolean | undefined {
  return isDay(since) ? nowMs >= Date.parse(since) + DAY_MS + periodMs : undefined;
}

/**
 * A token that was generated for an account, is old, and was not used for a whole period; pods may still refer to it.
 * One that the account does not list was made by hand, and is left alone.
 */
export function isUnused(
  secret: CachedSecret,
  accountNamed: (name: string) => CachedAccount | undefined,
  nowMs: number,
  periodMs: number,
): boolean {
  const { creationTimestamp, deletionTimestamp, labels = {}, name } = secret.metadata;
  if (secret.type !== TOKEN_SECRET_TYPE || deletionTimestamp !== undefined) return false;
  if ((parseTime(creationTimestamp) ?? 0) >= nowMs - periodMs) return false;
  const lastUsed = labels[LAST_USED];
  if (lastUsed !== undefined && (!isDay(lastUsed) || lastUsed >= dayOf(nowMs - periodMs))) return false;
  const named = accountNamedBy(secret);
  const account = named.name === "" ? undefined : accountNamed(named.name);
  if (account === undefined || (named.uid !== "" && named.uid !== account.metadata.uid)) return false;
  return account.secrets?.some((reference) => reference.name === name) === true;
}

/** An unused token is refused for a period before it goes, so that whoever misses it can have it back. */
export function decideFate(
  secret: CachedSecret,
  nowMs: number,
  periodMs: number,
): "invalidate" | "delete" | "wait" {
  const invalidSince = secret.metadata.labels?.[INVALID_SINCE];
  if (!isDay(invalidSince)) return "invalidate";
  return invalidSince < dayOf(nowMs - periodMs) ? "delete" : "wait";
}

import type { Stored } from "../../../pkg/api/object.ts";
import type { Projected } from "../../../pkg/api/projected.ts";
import { parseTime } from "../../../pkg/api/time.ts";
import type { CertificateSigningRequest } from "../../../pkg/api/types/certificates-v1.gen.ts";

const HOUR_MS = 3_600_000;
const ANSWERED_MS = HOUR_MS;
const PENDING_MS = 24 * HOUR_MS;

/** What is looked at of requests. */
export const REQUEST_FIELDS = ["status"] as const;
export type CleanedRequest = Projected<CertificateSigningRequest, typeof REQUEST_FIELDS>;

/**
 * Why nobody needs the request any more; undefined while somebody may. `expiryMs` is asked only where it counts; it is
 * undefined for a certificate that cannot be read. upstream: pkg/controller/certificates/cleaner/cleaner.go#handle
 */
export function staleReason(
  { metadata, status = {} }: Stored<CleanedRequest>,
  nowMs: number,
  expiryMs: (certificate: string) => number | undefined,
): string | undefined {
  const { certificate = "", conditions = [] } = status;
  const isOld = (time: string | null | undefined, limitMs: number): boolean => {
    const sinceMs = parseTime(time);
    return sinceMs !== undefined && nowMs - sinceMs > limitMs;
  };
  const isOldIn = (type: string, limitMs: number): boolean =>
    conditions.some((condition) => condition.type === type && isOld(condition.lastUpdateTime, limitMs));
  const isIssued = certificate !== "";
  if (isIssued && isOldIn("Approved", ANSWERED_MS)) return "it is approved and issued for more than an hour";
  if (isOldIn("Denied", ANSWERED_MS)) return "it is denied for more than an hour";
  if (isOldIn("Failed", ANSWERED_MS)) return "it has failed more than an hour ago";
  if (conditions.length === 0 && isOld(metadata.creationTimestamp, PENDING_MS))
    return "nobody has decided on it for more than a day";
  if (!isIssued)
    return isOldIn("Approved", PENDING_MS) ? "it is approved for more than a day, and not issued" : undefined;
  const hasExpired = (): boolean => (expiryMs(certificate) ?? nowMs) < nowMs;
  const isApproved = conditions.some(({ type }) => type === "Approved");
  return isApproved && hasExpired() ? "its certificate has expired" : undefined;
}

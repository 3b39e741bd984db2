const MINUTE_MS = 60_000;

/** The clocks of others may be a little behind. */
const BACKDATE_MS = 5 * MINUTE_MS;
/** The end of certificates that live for less is not backdated: five minutes are a percent of it. */
const SHORT_MS = 8 * 60 * MINUTE_MS;
/** Twice as long as they are backdated. */
const LEAST_MS = 10 * MINUTE_MS;

/** How long the certificate is to live. upstream: signer/signer.go#signer.duration */
export function lifetimeMs(expirationSeconds: number | undefined, mostMs: number): number {
  if (expirationSeconds === undefined) return mostMs;
  const wantedMs = expirationSeconds * 1_000;
  if (wantedMs > mostMs) return mostMs;
  return Math.max(wantedMs, LEAST_MS);
}

export interface Validity {
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
}

export interface ValidityView {
  readonly lifetimeMs: number;
  readonly signerNotAfterMs: number;
  readonly nowMs: number;
  /** As the two below, only tests have others. */
  readonly backdateMs?: number;
  readonly shortMs?: number;
}

/** From when to when; a text where the signer cannot sign any more. upstream: authority/policies.go#apply */
export function validityOf(view: ValidityView): Validity | string {
  const { nowMs, signerNotAfterMs, backdateMs = BACKDATE_MS, shortMs = SHORT_MS } = view;
  const notBeforeMs = nowMs - backdateMs;
  const endMs = nowMs + view.lifetimeMs - (view.lifetimeMs < shortMs ? 0 : backdateMs);
  if (notBeforeMs >= signerNotAfterMs) return `the signer has expired: NotAfter=${goTime(signerNotAfterMs)}`;
  if (nowMs >= signerNotAfterMs)
    return `refusing to sign a certificate that expired in the past: NotAfter=${goTime(signerNotAfterMs)}`;
  return { notBeforeMs, notAfterMs: Math.min(endMs, signerNotAfterMs) };
}

/** As Go prints a time of UTC. */
function goTime(ms: number): string {
  return `${new Date(ms).toISOString().replace("T", " ").slice(0, 19)} +0000 UTC`;
}

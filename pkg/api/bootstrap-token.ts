import { parseTime, TimeError } from "./time.ts";

/** Type of the Secrets in kube-system that hold tokens which nodes join a cluster with. */
const BOOTSTRAP_TOKEN_TYPE = "bootstrap.kubernetes.io/token";

/** Which Secrets are listed and watched to have all of them, and no others. */
export const BOOTSTRAP_TOKENS = {
  namespace: "kube-system",
  fieldSelector: `type=${BOOTSTRAP_TOKEN_TYPE}`,
} as const;

/** Keys of such a Secret that controllers read. */
export const BOOTSTRAP_TOKEN_KEYS = {
  id: "token-id",
  secret: "token-secret",
  expiration: "expiration",
  signing: "usage-bootstrap-signing",
} as const;

type KeyName = keyof typeof BOOTSTRAP_TOKEN_KEYS;

/** A Secret of which what is under this key is known. */
export interface BootstrapToken<Name extends KeyName> {
  readonly data?: { readonly [Key in (typeof BOOTSTRAP_TOKEN_KEYS)[Name]]?: string };
}

export type BootstrapTokenExpiry =
  | { readonly kind: "never" }
  | { readonly kind: "later"; readonly afterMs: number }
  | { readonly kind: "expired"; readonly reason: "its time is over" | "its time cannot be read" };

const NAME = /^bootstrap-token-([a-z0-9]{6})$/;

/** The id of the token in the name of its Secret. */
export function bootstrapTokenIdOf(secretName: string): string | undefined {
  return NAME.exec(secretName)?.[1];
}

/** Empty when there is none. */
export function bootstrapTokenField<Name extends KeyName>({ data }: BootstrapToken<Name>, key: Name): Buffer {
  return Buffer.from(data?.[BOOTSTRAP_TOKEN_KEYS[key]] ?? "", "base64");
}

/** A time that nobody can read is over: what it was meant to limit must not live for ever. */
export function bootstrapTokenExpiry(
  secret: BootstrapToken<"expiration">,
  nowMs: number,
): BootstrapTokenExpiry {
  const text = bootstrapTokenField(secret, "expiration").toString();
  if (text === "") return { kind: "never" };
  try {
    const afterMs = (parseTime(text) ?? 0) - nowMs;
    return afterMs > 0 ? { kind: "later", afterMs } : { kind: "expired", reason: "its time is over" };
  } catch (error) {
    if (error instanceof TimeError) return { kind: "expired", reason: "its time cannot be read" };
    throw error;
  }
}

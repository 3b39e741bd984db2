import {
  bootstrapTokenExpiry,
  bootstrapTokenField,
  bootstrapTokenIdOf,
} from "../../pkg/api/bootstrap-token.ts";
import type { Stored } from "../../pkg/api/object.ts";
import type { Projected } from "../../pkg/api/projected.ts";
import type { Secret } from "../../pkg/api/types/core-v1.gen.ts";

/** What is read of tokens. */
export const TOKEN_FIELDS = [
  "data[token-id]",
  "data[token-secret]",
  "data[expiration]",
  "data[usage-bootstrap-signing]",
] as const;

/** A token to sign with, or why it is none. The reason tells nothing of what is secret. */
export type SigningToken =
  | { readonly kind: "usable"; readonly id: string; readonly secret: Uint8Array }
  | { readonly kind: "unusable"; readonly reason: string };

/** Whether the token in a Secret can sign. An expired one cannot, although its Secret may still be there. */
export function signingToken(
  token: Stored<Projected<Secret, typeof TOKEN_FIELDS>>,
  nowMs: number,
): SigningToken {
  const nameId = bootstrapTokenIdOf(token.metadata.name);
  if (nameId === undefined) return unusable("its name is not that of a token");
  const id = bootstrapTokenField(token, "id").toString();
  if (id === "") return unusable("it has no id");
  if (id !== nameId) return unusable("its id is not that of its name");
  const secret = bootstrapTokenField(token, "secret");
  if (secret.length === 0) return unusable("it has no secret");
  if (bootstrapTokenExpiry(token, nowMs).kind === "expired") return unusable("it has expired");
  if (bootstrapTokenField(token, "signing").toString() !== "true") return unusable("it is not for signing");
  return { kind: "usable", id, secret };
}

function unusable(reason: string): SigningToken {
  return { kind: "unusable", reason };
}

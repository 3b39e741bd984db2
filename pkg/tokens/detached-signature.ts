import { createHmac } from "node:crypto";

/**
 * Signs a text with a secret that both sides know (JWS, HMAC with SHA-256, compact). The text itself is left out between
 * the two dots: whoever checks the signature has it from elsewhere.
 */
export function detachedSignature(content: string, keyId: string, secret: Uint8Array): string {
  const header = Buffer.from(JSON.stringify({ alg: "HS256", kid: keyId })).toString("base64url");
  const payload = Buffer.from(content).toString("base64url");
  const signature = createHmac("sha256", secret).update(`${header}.${payload}`).digest("base64url");
  return `${header}..${signature}`;
}

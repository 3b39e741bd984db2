import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { signCertificate } from "../../pkg/pki/certificate.ts";
import type { KeyPair } from "../../pkg/pki/certificate-authority.ts";

const DAY_MS = 24 * 3_600_000;

/** Keys of authorities that Go signs with. */
export type AuthorityKey = "p256" | "p384" | "rsa" | "ed25519";

export interface WantedAuthority {
  readonly commonName?: string;
  readonly key?: AuthorityKey;
  readonly nowMs: number;
  /** Its life after now; ten days when left out. */
  readonly livesMs?: number;
}

/** An authority that has signed itself, in PEM. */
export function authorityPair({ commonName = "test-ca", key, nowMs, livesMs }: WantedAuthority): KeyPair {
  const { publicKey, privateKey } = keysOf(key ?? "p256");
  const cert = signCertificate({
    subject: { commonName },
    publicKey,
    issuer: { commonName },
    issuerPublicKey: publicKey,
    signingKey: privateKey,
    isAuthority: true,
    notBeforeMs: nowMs - DAY_MS,
    notAfterMs: nowMs + (livesMs ?? 10 * DAY_MS),
  });
  return { cert, key: privateKey.export({ type: "pkcs8", format: "pem" }) };
}

function keysOf(key: AuthorityKey): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } {
  if (key === "rsa") return generateKeyPairSync("rsa", { modulusLength: 2_048 });
  if (key === "ed25519") return generateKeyPairSync("ed25519");
  return generateKeyPairSync("ec", { namedCurve: key === "p256" ? "P-256" : "P-384" });
}

export interface SigningFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** Another authority takes the place of this one. */
  write(pair: Partial<KeyPair>): void;
  remove(): void;
}

/** The files of an authority, in a directory of their own. */
export function signingFiles(pair: KeyPair): SigningFiles {
  const directory = mkdtempSync(join(tmpdir(), "signing-"));
  const [certFile, keyFile] = [join(directory, "ca.crt"), join(directory, "ca.key")];
  const write = ({ cert, key }: Partial<KeyPair>): void => {
    if (cert !== undefined) writeFileSync(certFile, cert);
    if (key !== undefined) writeFileSync(keyFile, key);
  };
  write(pair);
  return { certFile, keyFile, write, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

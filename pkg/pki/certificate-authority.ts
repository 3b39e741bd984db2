import {
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  type KeyObject,
  X509Certificate,
} from "node:crypto";
import { promisify } from "node:util";
import type { Clock } from "../clock/clock.ts";
import { signCertificate, type Subject } from "./certificate.ts";

/** A certificate and its private key, both in PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

const DAY_MS = 24 * 3_600_000;
const VALID_DAYS = 365;
const generate = promisify(generateKeyPair);

/** A certificate authority that lives in memory. */
export class CertificateAuthority {
  readonly cert: string;
  readonly key: string;
  readonly #name: string;
  readonly #signingKey: KeyObject;
  readonly #publicKey: KeyObject;
  readonly #clock: Clock;

  private constructor(pair: KeyPair, name: string, signingKey: KeyObject, clock: Clock) {
    this.cert = pair.cert;
    this.key = pair.key;
    this.#name = name;
    this.#signingKey = signingKey;
    this.#publicKey = createPublicKey(signingKey);
    this.#clock = clock;
  }

  static async create(commonName: string, clock: Clock): Promise<CertificateAuthority> {
    const { publicKey, privateKey } = await newKeys();
    const subject = { commonName };
    const cert = signCertificate({
      subject,
      publicKey,
      issuer: subject,
      issuerPublicKey: publicKey,
      signingKey: privateKey,
      isAuthority: true,
      ...validity(clock),
    });
    return new CertificateAuthority({ cert, key: keyPem(privateKey) }, commonName, privateKey, clock);
  }

  /** An authority that `create` made earlier. Throws when these are no such thing. */
  static load(pair: KeyPair, clock: Clock): CertificateAuthority {
    const certificate = new X509Certificate(pair.cert);
    const signingKey = createPrivateKey(pair.key);
    if (!certificate.checkPrivateKey(signingKey)) throw new Error("the key is not that of the certificate");
    const name = /^CN=(.*)$/m.exec(certificate.subject)?.[1];
    if (!certificate.ca || name === undefined)
      throw new Error("the certificate is no certificate authority's");
    return new CertificateAuthority(pair, name, signingKey, clock);
  }

  /** Signs a certificate for a server (when it has hosts) and for clients. */
  async issue(subject: Subject): Promise<KeyPair> {
    const { publicKey, privateKey } = await newKeys();
    const cert = signCertificate({
      subject,
      publicKey,
      issuer: { commonName: this.#name },
      issuerPublicKey: this.#publicKey,
      signingKey: this.#signingKey,
      isAuthority: false,
      ...validity(this.#clock),
    });
    return { cert, key: keyPem(privateKey) };
  }
}

async function newKeys(): Promise<{ readonly publicKey: KeyObject; readonly privateKey: KeyObject }> {
  return generate("ec", { namedCurve: "P-256" });
}

/** Backdated by a day, so that clocks that differ a little do not reject it. */
function validity(clock: Clock): { readonly notBeforeMs: number; readonly notAfterMs: number } {
  return { notBeforeMs: clock.nowMs() - DAY_MS, notAfterMs: clock.nowMs() + VALID_DAYS * DAY_MS };
}

function keyPem(key: KeyObject): string {
  return key.export({ type: "pkcs8", format: "pem" });
}

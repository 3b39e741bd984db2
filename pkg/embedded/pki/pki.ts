import "reflect-metadata";
import { webcrypto } from "node:crypto";
import * as x509 from "@peculiar/x509";
import type { Clock } from "../../clock/clock.ts";

x509.cryptoProvider.set(webcrypto);

/** A certificate and its private key, both in PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** What a certificate says of its holder. Kubernetes reads the user from the common name, groups from organizations. */
export interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  /** DNS names and IP addresses, for servers. */
  readonly hosts?: readonly string[];
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const DAY_MS = 24 * 3_600_000;
const VALID_DAYS = 365;

/** A certificate authority that lives in memory. */
export class CertificateAuthority {
  readonly cert: string;
  readonly key: string;
  readonly #issuer: x509.X509Certificate;
  readonly #signingKey: CryptoKey;
  readonly #clock: Clock;

  private constructor(issuer: x509.X509Certificate, signingKey: CryptoKey, keyPem: string, clock: Clock) {
    this.#issuer = issuer;
    this.#signingKey = signingKey;
    this.#clock = clock;
    this.cert = issuer.toString("pem");
    this.key = keyPem;
  }

  static async create(commonName: string, clock: Clock): Promise<CertificateAuthority> {
    const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
    const issuer = await x509.X509CertificateGenerator.createSelfSigned({
      name: distinguishedName({ commonName }),
      ...validity(clock),
      signingAlgorithm: ALGORITHM,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(
          x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature,
          true,
        ),
        await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    });
    return new CertificateAuthority(issuer, keys.privateKey, await privateKeyPem(keys.privateKey), clock);
  }

  /** The authority that `cert` and `key` were taken from. Rejects when they are no such thing. */
  static async load({ cert, key }: KeyPair, clock: Clock): Promise<CertificateAuthority> {
    const der = x509.PemConverter.decodeFirst(key);
    const signingKey = await webcrypto.subtle.importKey("pkcs8", der, ALGORITHM, false, ["sign"]);
    return new CertificateAuthority(new x509.X509Certificate(cert), signingKey, key, clock);
  }

  /** Signs a certificate for a server (when it has hosts) and for clients. */
  async issue(subject: Subject): Promise<KeyPair> {
    const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
    const usages = [x509.ExtendedKeyUsage.clientAuth];
    const extensions: x509.Extension[] = [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      await x509.AuthorityKeyIdentifierExtension.create(this.#issuer),
    ];
    if (subject.hosts !== undefined && subject.hosts.length > 0) {
      usages.push(x509.ExtendedKeyUsage.serverAuth);
      extensions.push(new x509.SubjectAlternativeNameExtension(subject.hosts.map(alternativeName)));
    }
    extensions.push(new x509.ExtendedKeyUsageExtension(usages));
    const certificate = await x509.X509CertificateGenerator.create({
      subject: distinguishedName(subject),
      issuer: this.#issuer.subject,
      ...validity(this.#clock),
      signingAlgorithm: ALGORITHM,
      publicKey: keys.publicKey,
      signingKey: this.#signingKey,
      extensions,
    });
    return { cert: certificate.toString("pem"), key: await privateKeyPem(keys.privateKey) };
  }
}

function distinguishedName(subject: Subject): x509.JsonName {
  const organizations = (subject.organizations ?? []).map((organization) => ({ O: [organization] }));
  return [...organizations, { CN: [subject.commonName] }];
}

function alternativeName(host: string): x509.JsonGeneralName {
  return { type: /^[0-9.]+$|:/.test(host) ? "ip" : "dns", value: host };
}

/** Backdated by a day, so that clocks that differ a little do not reject it. */
function validity(clock: Clock): { notBefore: Date; notAfter: Date } {
  return {
    notBefore: new Date(clock.nowMs() - DAY_MS),
    notAfter: new Date(clock.nowMs() + VALID_DAYS * DAY_MS),
  };
}

async function privateKeyPem(key: CryptoKey): Promise<string> {
  const bytes = await webcrypto.subtle.exportKey("pkcs8", key);
  return x509.PemConverter.encode(bytes, "PRIVATE KEY");
}

import { X509Certificate } from "node:crypto";

/** Certificates that are trusted to have signed those of clients. */
export class CaBundle {
  /** As it was read. */
  readonly pem: string;
  readonly certificates: readonly X509Certificate[];

  /** Throws when the text holds no certificate, or a broken one. */
  constructor(pem: string) {
    const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
    if (blocks.length === 0) throw new Error("there is no certificate in PEM form");
    this.pem = pem;
    this.certificates = blocks.map((block) => new X509Certificate(block));
  }
}

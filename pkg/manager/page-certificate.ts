import { readFile } from "node:fs/promises";
import type { Clock } from "../clock/clock.ts";
import { CertificateAuthority, type KeyPair } from "../pki/certificate-authority.ts";
import { ServingCertificate } from "../webhook/serving-certificate.ts";
import { isDue } from "../webhook/shared-authority.ts";

/** What a server of pages shows of itself. */
export interface PageCertificate {
  /** The certificate when there is another one than the last time; undefined else. */
  renewed(): Promise<KeyPair | undefined>;
}

/** Of its own making: whoever asks has no authority to check it by, or does not. */
export function ownCertificate(clock: Clock, hosts: readonly string[]): PageCertificate {
  const certificate = new ServingCertificate(clock, hosts);
  let authority: CertificateAuthority | undefined;
  return {
    renewed: async () => {
      if (authority === undefined || isDue(authority.cert, clock))
        authority = await CertificateAuthority.create("pages-ca", clock);
      return certificate.renewed(authority);
    },
  };
}

/** Files that somebody else keeps up to date. */
export function certificateOfFiles(files: KeyPair): PageCertificate {
  let last = "";
  return {
    renewed: async () => {
      const [cert, key] = await Promise.all([readFile(files.cert, "utf8"), readFile(files.key, "utf8")]);
      if (cert + key === last) return undefined;
      last = cert + key;
      return { cert, key };
    },
  };
}

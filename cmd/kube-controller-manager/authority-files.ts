import { readFileSync } from "node:fs";
import type { AuthorityFiles, SigningSettings } from "../../controllers/certificates/signing/context.ts";
import { signerNames } from "../../pkg/api/certificate-requests.ts";
import { SigningAuthority } from "../../pkg/pki/signing-authority.ts";
import type { Options } from "./options/options.ts";
import { watchFiles } from "./server/watched-files.ts";
import { StartError } from "../../pkg/manager/start-error.ts";

type SigningOptions = Options["csrSigning"];

/** The signers that files are given for: all of them with one pair, or those that have one of their own. */
export function signerFiles(options: SigningOptions): SigningSettings["signers"] {
  const own = [
    [signerNames.kubeletServing, options.kubeletServingCertFile, options.kubeletServingKeyFile],
    [signerNames.kubeletClient, options.kubeletClientCertFile, options.kubeletClientKeyFile],
    [signerNames.apiServerClient, options.kubeApiserverClientCertFile, options.kubeApiserverClientKeyFile],
    [signerNames.legacyUnknown, options.legacyUnknownCertFile, options.legacyUnknownKeyFile],
  ] as const;
  if (options.certFile !== "") {
    const files = authorityFiles(options.certFile, options.keyFile);
    return own.map(([signerName]) => ({ signerName, files }));
  }
  return own.flatMap(([signerName, certFile, keyFile]) =>
    certFile === "" ? [] : [{ signerName, files: authorityFiles(certFile, keyFile) }],
  );
}

/** The certificate of an authority and its key. Files of which one half is not written yet, or not whole, are left for later. */
export function authorityFiles(certFile: string, keyFile: string): AuthorityFiles {
  const paths = [certFile, keyFile];
  let before: readonly Buffer[] = [];
  return {
    load() {
      try {
        const contents = paths.map((path) => readFileSync(path));
        const authority = authorityOf(contents);
        before = contents;
        return authority;
      } catch (error) {
        throw new StartError(`the authority of ${certFile} and ${keyFile}`, error);
      }
    },
    async follow(apply, parts, signal) {
      const watched = watchFiles(paths, before, (contents) => apply(authorityOf(contents)), parts);
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
      watched.stop();
    },
  };
}

function authorityOf([cert, key]: readonly Buffer[]): SigningAuthority {
  return SigningAuthority.fromPem(String(cert), String(key));
}

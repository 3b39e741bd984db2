import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { HostPaths } from "../../controllers/persistentvolume/context.ts";
import type { Source } from "../../pkg/client/config/identity-source.ts";
import { tokenSigner, type TokenSigner } from "../../pkg/tokens/token-signer.ts";
import { hostPaths } from "./host-paths.ts";
import type { Options } from "./options/options.ts";
import { StartError } from "../../pkg/manager/start-error.ts";

/** What controllers need besides options. Read when they are built, so that a standby that waited long has no old files. */
export interface ClusterSecrets {
  /** What the API server is verified with, in PEM; "" when there is none. */
  readonly rootCa: () => string;
  /** Absent where no tokens are to be made. */
  readonly tokenSigner?: () => TokenSigner;
  /** Absent where nodes have no disks. */
  readonly hostPaths?: HostPaths;
}

/** `kubeconfigCa` stands in for --root-ca-file. */
export function clusterSecrets(
  { rootCaFile, privateKeyFile }: Options["serviceAccount"],
  kubeconfigCa: Source | undefined,
): ClusterSecrets {
  return {
    rootCa: () => (rootCaFile === "" ? textOf(kubeconfigCa) : readRootCa(rootCaFile)),
    hostPaths,
    ...(privateKeyFile !== "" && { tokenSigner: () => readTokenSigner(privateKeyFile) }),
  };
}

function textOf(source: Source | undefined): string {
  if (source === undefined) return "";
  return "data" in source ? source.data.toString("utf8") : readFileSync(source.file, "utf8");
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

function readRootCa(path: string): string {
  return naming("--root-ca-file", () => {
    const text = readFileSync(path, "utf8");
    const certificates = text.match(CERTIFICATE) ?? [];
    if (certificates.length === 0) throw new Error(`there is no certificate in ${path}`);
    // Throws for one that cannot be read.
    certificates.map((certificate) => new X509Certificate(certificate));
    return text;
  });
}

function readTokenSigner(path: string): TokenSigner {
  return naming("--service-account-private-key-file", () =>
    tokenSigner(createPrivateKey(readFileSync(path))),
  );
}

function naming<T>(flag: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new StartError(flag, error);
  }
}

import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { isIPv4, isIPv6 } from "node:net";
import { join } from "node:path";
import type { Clock } from "../../../../pkg/clock/clock.ts";
import type { Options } from "../../options/options.ts";
import { StartError } from "../../../../pkg/manager/start-error.ts";

export interface CertificateAndKey {
  /** PEM; the certificate first, then the chain up to its authority. */
  readonly cert: Buffer;
  readonly key: Buffer;
  /** Where both were read from, and are to be read again. */
  readonly files?: readonly [cert: string, key: string];
}

/**
 * The certificate to serve with: the files of the flags, the pair in --cert-dir (made when it is not there), or one
 * that lives as long as the process.
 */
export async function servingCertificate(
  serving: Options["secureServing"],
  clock: Clock,
): Promise<CertificateAndKey> {
  const { tlsCertFile, tlsPrivateKeyFile, certDirectory } = serving;
  if (tlsCertFile !== "") {
    return readPair(tlsCertFile, tlsPrivateKeyFile, "--tls-cert-file, --tls-private-key-file");
  }
  if (certDirectory === "") return selfSigned(serving.bindAddress, clock);
  const certFile = join(certDirectory, "kube-controller-manager.crt");
  const keyFile = join(certDirectory, "kube-controller-manager.key");
  if (!existsSync(certFile) || !existsSync(keyFile)) {
    await keep(await selfSigned(serving.bindAddress, clock), certDirectory, certFile, keyFile);
  }
  return readPair(certFile, keyFile, "--cert-dir");
}

export async function readPair(certFile: string, keyFile: string, flag: string): Promise<CertificateAndKey> {
  try {
    const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
    return { cert, key, files: [certFile, keyFile] };
  } catch (error) {
    throw new StartError(flag, error);
  }
}

async function keep(
  pair: CertificateAndKey,
  directory: string,
  certFile: string,
  keyFile: string,
): Promise<void> {
  try {
    await mkdir(directory, { recursive: true });
    await writeFile(certFile, pair.cert);
    await writeFile(keyFile, pair.key, { mode: 0o600 });
  } catch (error) {
    throw new StartError("--cert-dir: the generated certificate cannot be kept", error);
  }
}

async function selfSigned(bindAddress: string, clock: Clock): Promise<CertificateAndKey> {
  // Loaded only here: who brings a certificate pays nothing for what makes one.
  const { CertificateAuthority } = await import("../../../../pkg/pki/certificate-authority.ts");
  const seconds = Math.floor(clock.nowMs() / 1_000);
  const authority = await CertificateAuthority.create(`localhost-ca@${seconds}`, clock);
  const hosts = new Set(["localhost", "127.0.0.1"]);
  if (!isUnspecified(bindAddress)) hosts.add(bindAddress);
  const pair = await authority.issue({ commonName: `localhost@${seconds}`, hosts: [...hosts] });
  return { cert: Buffer.from(`${pair.cert}\n${authority.cert}\n`), key: Buffer.from(pair.key) };
}

/** Whether the address stands for all addresses of the machine. */
export function isUnspecified(address: string): boolean {
  if (isIPv4(address)) return /^[0.]+$/.test(address);
  return isIPv6(address) && /^[0:.]+$/.test(address);
}

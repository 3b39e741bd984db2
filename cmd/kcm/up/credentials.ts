import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { StartError } from "../../../pkg/manager/start-error.ts";
import type { Clock } from "../../../pkg/clock/clock.ts";
import { CertificateAuthority, type KeyPair } from "../../../pkg/pki/certificate-authority.ts";
import { newAccountKey } from "./account-key.ts";
import type { DataDirectory } from "./data-directory.ts";

export interface Credentials {
  readonly ca: string;
  readonly server: KeyPair;
  readonly admin: KeyPair;
}

const FILE = "ca.pem";
const ACCOUNT_KEY_FILE = "service-accounts.pem";
const KEY_START = "-----BEGIN PRIVATE KEY-----";
/** An authority that ends within this time is replaced by a new one. */
const RENEW_MS = 30 * 24 * 3_600_000;

const hosts = [
  "localhost",
  "127.0.0.1",
  "::1",
  "kubernetes",
  "kubernetes.default",
  "kubernetes.default.svc",
  "kubernetes.default.svc.cluster.local",
];

/** The key that signs the tokens of service accounts: these outlive a restart if the cluster does. */
export async function serviceAccountKey(
  directory: DataDirectory | undefined,
  begun: Promise<KeyObject> | undefined,
): Promise<KeyObject> {
  const stored = directory?.read(ACCOUNT_KEY_FILE);
  if (stored !== undefined) {
    try {
      return createPrivateKey(stored);
    } catch (error) {
      throw new StartError(`data directory ${directory?.path}: ${ACCOUNT_KEY_FILE} is corrupt`, error);
    }
  }
  const privateKey = await (begun ?? newAccountKey());
  directory?.write(ACCOUNT_KEY_FILE, privateKey.export({ type: "pkcs8", format: "pem" }));
  return privateKey;
}

/** Signed by the authority of the data directory, or by one that nobody will see again. */
export async function makeCredentials(
  directory: DataDirectory | undefined,
  clock: Clock,
): Promise<Credentials> {
  const authority = (await storedAuthority(directory, clock)) ?? (await newAuthority(directory, clock));
  const [server, admin] = await Promise.all([
    authority.issue({ commonName: "kube-apiserver", hosts }),
    authority.issue({ commonName: "kubernetes-admin", organizations: ["system:masters"] }),
  ]);
  return { ca: authority.cert, server, admin };
}

async function newAuthority(
  directory: DataDirectory | undefined,
  clock: Clock,
): Promise<CertificateAuthority> {
  const authority = await CertificateAuthority.create("kcm", clock);
  directory?.write(FILE, `${authority.cert.trimEnd()}\n${authority.key}`);
  return authority;
}

async function storedAuthority(
  directory: DataDirectory | undefined,
  clock: Clock,
): Promise<CertificateAuthority | undefined> {
  const pem = directory?.read(FILE);
  if (pem === undefined) return undefined;
  const keyStart = pem.indexOf(KEY_START);
  const pair: KeyPair = { cert: pem.slice(0, keyStart), key: pem.slice(keyStart) };
  try {
    if (keyStart < 0) throw new Error("there is no private key in it");
    if (Date.parse(new X509Certificate(pair.cert).validTo) < clock.nowMs() + RENEW_MS) return undefined;
    return CertificateAuthority.load(pair, clock);
  } catch (error) {
    throw new StartError(`data directory ${directory?.path}: ${FILE} is corrupt`, error);
  }
}

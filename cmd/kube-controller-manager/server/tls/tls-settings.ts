import { getCiphers, type SecureVersion } from "node:tls";
import type { Options } from "../../options/options.ts";
import { StartError } from "../../../../pkg/manager/start-error.ts";

/** The parts of a TLS context that flags fix for the life of the process. */
export interface TlsSettings {
  readonly minVersion: SecureVersion;
  /** OpenSSL's list. */
  readonly ciphers: string;
  readonly ecdhCurve?: string;
}

const VERSIONS: Readonly<Record<string, SecureVersion>> = {
  VersionTLS10: "TLSv1",
  VersionTLS11: "TLSv1.1",
  VersionTLS12: "TLSv1.2",
  VersionTLS13: "TLSv1.3",
};

/** TLS 1.3 has one list, which upstream does not let anyone change. OpenSSL knows these by their IANA names. */
const TLS13_SUITES = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"];

/**
 * What Go's crypto/tls serves TLS 1.2 and below with by default, in its order: of static RSA, 3DES and CBC with SHA-256 it
 * has none. Seen by asking Go 1.26 for every suite that OpenSSL knows.
 */
const DEFAULT_SUITES = [
  "ECDHE-ECDSA-AES128-GCM-SHA256",
  "ECDHE-RSA-AES128-GCM-SHA256",
  "ECDHE-ECDSA-AES256-GCM-SHA384",
  "ECDHE-RSA-AES256-GCM-SHA384",
  "ECDHE-ECDSA-CHACHA20-POLY1305",
  "ECDHE-RSA-CHACHA20-POLY1305",
  "ECDHE-ECDSA-AES128-SHA",
  "ECDHE-RSA-AES128-SHA",
  "ECDHE-ECDSA-AES256-SHA",
  "ECDHE-RSA-AES256-SHA",
];

/** IANA's names, as --tls-cipher-suites takes them, and OpenSSL's. */
const SUITES: Readonly<Record<string, string>> = {
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA: "ECDHE-ECDSA-AES128-SHA",
  TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256: "ECDHE-ECDSA-AES128-GCM-SHA256",
  TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA: "ECDHE-ECDSA-AES256-SHA",
  TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384: "ECDHE-ECDSA-AES256-GCM-SHA384",
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305: "ECDHE-ECDSA-CHACHA20-POLY1305",
  TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256: "ECDHE-ECDSA-CHACHA20-POLY1305",
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA: "ECDHE-RSA-AES128-SHA",
  TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256: "ECDHE-RSA-AES128-GCM-SHA256",
  TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA: "ECDHE-RSA-AES256-SHA",
  TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384: "ECDHE-RSA-AES256-GCM-SHA384",
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305: "ECDHE-RSA-CHACHA20-POLY1305",
  TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256: "ECDHE-RSA-CHACHA20-POLY1305",
};

/** Suites with known weaknesses: taken, with a warning. Some are no part of today's OpenSSL. */
const INSECURE_SUITES: Readonly<Record<string, string>> = {
  TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256: "ECDHE-ECDSA-AES128-SHA256",
  TLS_ECDHE_ECDSA_WITH_RC4_128_SHA: "ECDHE-ECDSA-RC4-SHA",
  TLS_ECDHE_RSA_WITH_3DES_EDE_CBC_SHA: "ECDHE-RSA-DES-CBC3-SHA",
  TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256: "ECDHE-RSA-AES128-SHA256",
  TLS_ECDHE_RSA_WITH_RC4_128_SHA: "ECDHE-RSA-RC4-SHA",
  TLS_RSA_WITH_3DES_EDE_CBC_SHA: "DES-CBC3-SHA",
  TLS_RSA_WITH_AES_128_CBC_SHA: "AES128-SHA",
  TLS_RSA_WITH_AES_128_CBC_SHA256: "AES128-SHA256",
  TLS_RSA_WITH_AES_128_GCM_SHA256: "AES128-GCM-SHA256",
  TLS_RSA_WITH_AES_256_CBC_SHA: "AES256-SHA",
  TLS_RSA_WITH_AES_256_GCM_SHA384: "AES256-GCM-SHA384",
  TLS_RSA_WITH_RC4_128_SHA: "RC4-SHA",
};

/** TLS's numbers of key exchange groups, which are those of Go's CurveID, and OpenSSL's names. */
const CURVES: Readonly<Record<number, string>> = {
  23: "P-256",
  24: "P-384",
  25: "P-521",
  29: "X25519",
  4587: "SecP256r1MLKEM768",
  4588: "X25519MLKEM768",
  4589: "SecP384r1MLKEM1024",
};

/** Throws a StartError that names the flag and the value which cannot be used. */
export function tlsSettings(serving: Options["secureServing"], warn: (message: string) => void): TlsSettings {
  const minVersion = VERSIONS[serving.tlsMinVersion || "VersionTLS12"];
  if (minVersion === undefined) {
    throw new StartError(`--tls-min-version: unknown tls version ${JSON.stringify(serving.tlsMinVersion)}`);
  }
  const ciphers = cipherList(serving.tlsCipherSuites, minVersion, warn);
  const curves = serving.tlsCurvePreferences.map(curveName);
  return {
    minVersion,
    ciphers,
    ...(curves.length === 0 ? {} : { ecdhCurve: curves.join(":") }),
  };
}

function cipherList(
  names: readonly string[],
  minVersion: SecureVersion,
  warn: (message: string) => void,
): string {
  // OpenSSL's default security level refuses everything below TLS 1.2.
  const level = minVersion === "TLSv1" || minVersion === "TLSv1.1" ? ":@SECLEVEL=0" : "";
  const chosen =
    names.length === 0
      ? DEFAULT_SUITES
      : names.filter((name) => !TLS13_SUITES.includes(name)).flatMap((name) => suite(name, warn) ?? []);
  return [...TLS13_SUITES, ...new Set(chosen)].join(":") + level;
}

/** Undefined for one that OpenSSL has given up: whoever lists it for old clients is served all the same. */
function suite(name: string, warn: (message: string) => void): string | undefined {
  const openSslName = SUITES[name] ?? INSECURE_SUITES[name];
  if (openSslName === undefined) {
    throw new StartError(`--tls-cipher-suites: cipher suite ${name} does not exist`);
  }
  if (name in INSECURE_SUITES) warn(`--tls-cipher-suites: cipher suite ${name} is insecure`);
  if (!getCiphers().includes(openSslName.toLowerCase())) {
    warn(`--tls-cipher-suites: cipher suite ${name} is left out: it is no part of this build of OpenSSL`);
    return undefined;
  }
  return openSslName;
}

function curveName(id: number): string {
  const name = CURVES[id];
  if (name === undefined) throw new StartError(`--tls-curve-preferences: unknown curve ${id}`);
  return name;
}

import { X509Certificate } from "node:crypto";
import { isIP } from "node:net";

/** One certificate of --tls-sni-cert-key, with what is made of it. */
export interface NamedCertificate<T> {
  readonly cert: Buffer;
  /** Names that the flag gives; the certificate's own when it gives none. */
  readonly names: readonly string[];
  readonly value: T;
}

/**
 * Which certificate serves which host name: an exact name goes before a wildcard, a name given by the flag before one
 * taken from a certificate, an earlier pair before a later one.
 */
export function certificatesByName<T>(certificates: readonly NamedCertificate<T>[]): ReadonlyMap<string, T> {
  const byName = new Map<string, T>();
  const explicit = certificates.filter(({ names }) => names.length > 0);
  const implicit = certificates.filter(({ names }) => names.length === 0);
  for (const { names, value } of explicit) addNames(byName, names, value);
  for (const { cert, value } of implicit) addNames(byName, namesOf(cert), value);
  return byName;
}

function addNames<T>(byName: Map<string, T>, names: readonly string[], value: T): void {
  for (const name of names) {
    const key = name.toLowerCase();
    if (!byName.has(key)) byName.set(key, value);
  }
}

/** The common name, if it is a host name, and the DNS names. Addresses are left out: clients send none. */
function namesOf(cert: Buffer): readonly string[] {
  const certificate = new X509Certificate(cert);
  const { CN } = certificate.toLegacyObject().subject;
  const commonNames = [CN].flat().filter((name) => typeof name === "string");
  const dnsNames = [...(certificate.subjectAltName ?? "").matchAll(/(?:^|, )DNS:([^,"]+)/g)];
  return [...commonNames.filter(isHostName), ...dnsNames.flatMap(([, name]) => name ?? [])];
}

function isHostName(name: string): boolean {
  const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
  return isIP(name) === 0 && (name === "*" || new RegExp(`^(\\*\\.)?${label}(\\.${label})*$`).test(name));
}

/** A wildcard stands for the first label only. */
export function certificateFor<T>(byName: ReadonlyMap<string, T>, serverName: string): T | undefined {
  const name = serverName.toLowerCase().replace(/\.+$/, "");
  return byName.get(name) ?? byName.get(name.replace(/^[^.]*/, "*"));
}

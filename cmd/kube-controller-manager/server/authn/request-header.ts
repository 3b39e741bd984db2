import type { Clock } from "../../../../pkg/clock/clock.ts";
import type { Authenticator } from "./authentication.ts";
import type { CaBundle } from "../x509/ca-bundle.ts";
import { subjectValues } from "./client-certificate.ts";
import type { PeerRequest } from "../peer-request.ts";
import type { User } from "../../../../pkg/manager/access/user.ts";
import { CertificateError } from "../../../../pkg/pki/der-reader.ts";
import { verifyClientChain } from "../x509/verify-chain.ts";

/** Which proxies may say who makes a request, and how they say it. */
export interface RequestHeaderSettings {
  readonly authorities: CaBundle;
  /** Common names; empty: all that the authorities have signed. */
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

/** Users that a proxy in front names in headers. The proxy proves itself by its client certificate. */
export function requestHeaders(
  current: () => RequestHeaderSettings | undefined,
  clock: Clock,
): Authenticator {
  return async (request) => {
    const settings = current();
    const [leaf] = request.certificates;
    if (settings === undefined || leaf === undefined) return undefined;
    verifyClientChain(request.certificates, settings.authorities, clock.nowMs());
    const commonName = subjectValues(leaf, "CN").at(-1) ?? "";
    if (settings.allowedNames.length > 0 && !settings.allowedNames.includes(commonName)) {
      throw new CertificateError(`the common name ${JSON.stringify(commonName)} is not in the allowed list`);
    }
    return userOf(request, settings);
  };
}

function userOf(request: PeerRequest, settings: RequestHeaderSettings): User | undefined {
  const name = firstValue(request, settings.usernameHeaders);
  if (name === "") return undefined;
  const uid = firstValue(request, settings.uidHeaders);
  const groups = settings.groupHeaders.flatMap((header) => request.header(header.toLowerCase()));
  return {
    name,
    ...(uid === "" ? {} : { uid }),
    groups: groups.filter((group) => group !== ""),
    extra: extraOf(request, settings.extraHeaderPrefixes),
  };
}

/** The first header that has a value decides. */
function firstValue(request: PeerRequest, headers: readonly string[]): string {
  for (const header of headers) {
    const [value = ""] = request.header(header.toLowerCase());
    if (value !== "") return value;
  }
  return "";
}

function extraOf(
  request: PeerRequest,
  prefixes: readonly string[],
): Readonly<Record<string, readonly string[]>> {
  const extra = new Map<string, readonly string[]>();
  for (const prefix of prefixes.map((text) => text.toLowerCase())) {
    for (const header of request.headerNames()) {
      if (!header.startsWith(prefix)) continue;
      const key = unescaped(header.slice(prefix.length));
      extra.set(key, [...(extra.get(key) ?? []), ...request.header(header)]);
    }
  }
  return Object.fromEntries(extra);
}

/** A key that is not escaped properly is taken as it is, rather than lost. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

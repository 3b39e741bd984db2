import type { X509Certificate } from "node:crypto";
import type { Clock } from "../../../../pkg/clock/clock.ts";
import type { Metrics } from "../../../../pkg/metrics/metrics.ts";
import type { Authenticator } from "./authentication.ts";
import type { CaBundle } from "../x509/ca-bundle.ts";
import type { User } from "../../../../pkg/manager/access/user.ts";
import { CertificateError } from "../../../../pkg/pki/der-reader.ts";
import { verifyClientChain } from "../x509/verify-chain.ts";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export interface ClientCertificateOptions {
  /** The authorities of now; undefined: client certificates count for nothing. */
  readonly authorities: () => CaBundle | undefined;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly readUid: boolean;
}

/** The user is the common name of the certificate, the groups are its organizations. */
export function clientCertificates(options: ClientCertificateOptions): Authenticator {
  const remaining = options.metrics.histogram({
    name: "apiserver_client_certificate_expiration_seconds",
    help: "Time that is left of client certificates when they are used.",
    buckets: [
      0,
      30 * MINUTE,
      HOUR,
      2 * HOUR,
      6 * HOUR,
      12 * HOUR,
      DAY,
      2 * DAY,
      4 * DAY,
      7 * DAY,
      30 * DAY,
      90 * DAY,
      180 * DAY,
      360 * DAY,
    ],
    stability: "ALPHA",
  });
  return async ({ certificates }) => {
    const [leaf] = certificates;
    const bundle = options.authorities();
    if (leaf === undefined || bundle === undefined) return undefined;
    const nowMs = options.clock.nowMs();
    remaining.observe((leaf.validToDate.getTime() - nowMs) / 1_000);
    verifyClientChain(certificates, bundle, nowMs);
    return userOf(leaf, options.readUid);
  };
}

const UID_ATTRIBUTE = "1.3.6.1.4.1.57683.2";

function userOf(certificate: X509Certificate, readUid: boolean): User | undefined {
  const name = subjectValues(certificate, "CN").at(-1) ?? "";
  if (name === "") return undefined;
  const uids = readUid ? subjectValues(certificate, UID_ATTRIBUTE) : [];
  if (uids.length > 1) throw new CertificateError("the certificate has more than one UID");
  if (uids[0] === "") throw new CertificateError("the certificate has an empty UID");
  const fingerprint = certificate.fingerprint256.replaceAll(":", "").toLowerCase();
  return {
    name,
    ...(uids[0] === undefined ? {} : { uid: uids[0] }),
    groups: subjectValues(certificate, "O"),
    extra: { "authentication.kubernetes.io/credential-id": [`X509SHA256=${fingerprint}`] },
  };
}

/** All values of one attribute of the subject, in order. */
export function subjectValues(certificate: X509Certificate, attribute: string): readonly string[] {
  const subject = certificate.toLegacyObject().subject as unknown as Readonly<
    Record<string, string | readonly string[] | undefined>
  >;
  return [subject[attribute] ?? []].flat();
}

import { messageOf } from "../../api/errors.ts";
import { DeadlineError } from "../../clock/wait.ts";

/** Why nobody answered, as Go's client tells it. */
export function callFailure(error: unknown, { hostname, port }: URL): string {
  if (error instanceof DeadlineError) return "context deadline exceeded";
  const { code, cert } = error as { code?: unknown; cert?: CertificateNames };
  switch (code) {
    case "ECONNREFUSED":
      return `dial tcp ${hostname}:${port === "" ? "443" : port}: connect: connection refused`;
    case "ENOTFOUND":
      return `dial tcp: lookup ${hostname}: no such host`;
    case "ECONNRESET":
      return "EOF";
    case "EPROTO":
    case "ERR_SSL_WRONG_VERSION_NUMBER":
    case "ERR_SSL_PACKET_LENGTH_TOO_LONG":
      return "http: server gave HTTP response to HTTPS client";
    case "CERT_HAS_EXPIRED":
      return "tls: failed to verify certificate: x509: certificate has expired or is not yet valid";
    case "ERR_TLS_CERT_ALTNAME_INVALID":
      return `tls: failed to verify certificate: x509: ${wrongName(cert, hostname)}`;
    case "DEPTH_ZERO_SELF_SIGNED_CERT":
    case "SELF_SIGNED_CERT_IN_CHAIN":
    case "UNABLE_TO_GET_ISSUER_CERT":
    case "UNABLE_TO_GET_ISSUER_CERT_LOCALLY":
    case "UNABLE_TO_VERIFY_LEAF_SIGNATURE":
    case "CERT_SIGNATURE_FAILURE":
      return "tls: failed to verify certificate: x509: certificate signed by unknown authority";
    default:
      return messageOf(error);
  }
}

interface CertificateNames {
  readonly subjectaltname?: string;
}

function wrongName(cert: CertificateNames | undefined, hostname: string): string {
  const names = (cert?.subjectaltname ?? "").split(", ").flatMap((name) => {
    const [, value] = /^DNS:(.*)$/.exec(name) ?? [];
    return value === undefined ? [] : [value];
  });
  return names.length === 0
    ? `certificate is not valid for any names, but wanted to match ${hostname}`
    : `certificate is valid for ${names.join(", ")}, not ${hostname}`;
}

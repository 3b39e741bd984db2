import { bool, ofType, duration, int, list, text } from "../flag.ts";
import { int32ListType, ipType, namedCertKeysType } from "../flag-types.ts";

export const secureServing = {
  title: "Secure serving",
  flags: {
    bindAddress: ofType(ipType)(
      "bind-address",
      "0.0.0.0",
      "Address to listen on; 0.0.0.0 or :: is all of them.",
    ),
    certDirectory: text(
      "cert-dir",
      "",
      "Directory that keeps a generated serving certificate; empty keeps it in memory. Not used with --tls-cert-file.",
    ),
    disableHttp2: bool("disable-http2-serving", false, "Serve HTTP/1.1 only."),
    http2MaxStreams: int(
      "http2-max-streams-per-connection",
      0,
      "Streams that a client may open; 0 means 100.",
    ),
    permitAddressSharing: bool("permit-address-sharing", false, "Set SO_REUSEADDR on the port.", {
      unused: "Node.js always sets SO_REUSEADDR",
    }),
    permitPortSharing: bool("permit-port-sharing", false, "Set SO_REUSEPORT on the port."),
    securePort: int("secure-port", 10257, "Port of the HTTPS server; 0 serves nothing."),
    tlsCertFile: text("tls-cert-file", "", "Serving certificate, followed by its CA if there is one."),
    tlsCipherSuites: list(
      "tls-cipher-suites",
      [],
      "Cipher suites by their IANA names; Go's defaults when empty.",
    ),
    tlsCurvePreferences: ofType(int32ListType)(
      "tls-curve-preferences",
      [],
      "Key exchange groups by number, in the order of preference.",
    ),
    tlsMinVersion: text(
      "tls-min-version",
      "",
      "Lowest TLS version: VersionTLS10, VersionTLS11, VersionTLS12 or VersionTLS13; VersionTLS12 when empty.",
    ),
    tlsPrivateKeyFile: text("tls-private-key-file", "", "Private key of --tls-cert-file."),
    tlsSniCertKeys: ofType(namedCertKeysType)(
      "tls-sni-cert-key",
      [],
      "Another certificate and key, and the host names it serves: cert,key[:name,*.name]. May be repeated.",
    ),
  },
};

export const authentication = {
  title: "Authentication",
  flags: {
    kubeconfig: text(
      "authentication-kubeconfig",
      "",
      "Kubeconfig of the API server that checks bearer tokens; without one, every token is anonymous.",
    ),
    skipLookup: bool(
      "authentication-skip-lookup",
      false,
      "Do not look up missing authentication settings in the cluster.",
    ),
    tokenCacheTtlMs: duration(
      "authentication-token-webhook-cache-ttl",
      10_000,
      "How long a checked token is remembered.",
    ),
    tolerateLookupFailure: bool(
      "authentication-tolerate-lookup-failure",
      false,
      "Start even when the settings in the cluster cannot be read; requests may then all be anonymous.",
    ),
    clientCaFile: text("client-ca-file", "", "CAs of client certificates; the common name is the user."),
    requestheaderAllowedNames: list(
      "requestheader-allowed-names",
      [],
      "Common names of proxies that may name the user in headers; empty allows every name.",
    ),
    requestheaderClientCaFile: text(
      "requestheader-client-ca-file",
      "",
      "CAs of the certificates of such proxies.",
    ),
    requestheaderExtraHeadersPrefix: list(
      "requestheader-extra-headers-prefix",
      ["x-remote-extra-"],
      "Prefixes of headers with more facts about the user.",
    ),
    requestheaderGroupHeaders: list(
      "requestheader-group-headers",
      ["x-remote-group"],
      "Headers that name groups.",
    ),
    requestheaderUidHeaders: list("requestheader-uid-headers", [], "Headers that give the uid."),
    requestheaderUsernameHeaders: list(
      "requestheader-username-headers",
      ["x-remote-user"],
      "Headers that name the user.",
    ),
  },
};

export const authorization = {
  title: "Authorization",
  flags: {
    alwaysAllowPaths: list(
      "authorization-always-allow-paths",
      ["/healthz", "/readyz", "/livez"],
      "Paths that anyone may read; a final * matches every rest.",
    ),
    kubeconfig: text(
      "authorization-kubeconfig",
      "",
      "Kubeconfig of the API server that decides who may read what; without one, only system:masters may.",
    ),
    authorizedTtlMs: duration(
      "authorization-webhook-cache-authorized-ttl",
      10_000,
      "How long a permission is remembered.",
    ),
    unauthorizedTtlMs: duration(
      "authorization-webhook-cache-unauthorized-ttl",
      10_000,
      "How long a refusal is remembered.",
    ),
  },
};

import { CertificateAuthority, type KeyPair } from "../../pkg/pki/certificate-authority.ts";
import { realClock } from "../../pkg/clock/real.ts";

/** What the Go program makes of credentials, recorded from v1.36.4 side by side. */
export type Standing =
  /** 401, even for paths that are open to all. */
  | "refused"
  /** Somebody, or anonymous: 200 for open paths, 403 for all others. */
  | "without rights"
  | "with rights";

export interface Credentials {
  readonly name: string;
  readonly standing: Standing;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly client?: KeyPair;
}

/** Tokens of a user that may read everything, and of one that may read nothing. */
export interface Tokens {
  readonly reader: string;
  readonly nobody: string;
}

export async function credentials(
  clients: CertificateAuthority,
  proxies: CertificateAuthority,
  { reader, nobody }: Tokens,
): Promise<readonly Credentials[]> {
  const strangers = await CertificateAuthority.create("strangers", realClock);
  const admin = await clients.issue({ commonName: "admin", organizations: ["system:masters"] });
  const jane = await clients.issue({ commonName: "jane" });
  const stranger = await strangers.issue({ commonName: "admin", organizations: ["system:masters"] });
  const proxy = await proxies.issue({ commonName: "front-proxy-client" });
  const otherProxy = await proxies.issue({ commonName: "someone" });
  const bearer = (token: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${token}` });
  const asMaster = { "x-remote-user": "root", "x-remote-group": "system:masters" };
  return [
    { name: "none", standing: "without rights" },
    { name: "a password", standing: "without rights", headers: { authorization: "Basic Zm9vOmJhcg==" } },
    { name: "a token of nobody's", standing: "refused", headers: bearer("no-such-token") },
    { name: "a token with rights", standing: "with rights", headers: bearer(reader) },
    { name: "a token without rights", standing: "without rights", headers: bearer(nobody) },
    { name: "a certificate of system:masters", standing: "with rights", client: admin },
    { name: "a certificate without rights", standing: "without rights", client: jane },
    { name: "a certificate of strangers", standing: "refused", client: stranger },
    {
      name: "a strangers' certificate, a good token",
      standing: "with rights",
      client: stranger,
      headers: bearer(reader),
    },
    {
      name: "a good certificate, a bad token",
      standing: "with rights",
      client: admin,
      headers: bearer("no-such-token"),
    },
    { name: "a proxy for a master", standing: "with rights", client: proxy, headers: asMaster },
    {
      name: "a proxy for jane",
      standing: "without rights",
      client: proxy,
      headers: { "x-remote-user": "jane" },
    },
    { name: "a proxy for nobody", standing: "refused", client: proxy },
    { name: "a proxy that is not allowed", standing: "refused", client: otherProxy, headers: asMaster },
    { name: "headers without a proxy", standing: "without rights", headers: asMaster },
  ];
}

/** Status of a GET by those with rights. Those in the second list differ from the Go program, which does not serve them. */
export const PATHS: readonly (readonly [path: string, status: number])[] = [
  ["/healthz", 200],
  ["/healthz/nope", 404],
  ["/metrics", 200],
  ["/metrics/slis", 200],
  ["/metrics/", 404],
  ["/configz", 200],
  ["/flagz", 200],
  ["/statusz", 200],
  ["/debug/pprof", 302],
  ["/debug/pprof/", 200],
  ["/debug/pprof/cmdline", 404],
  ["/debug/flags", 200],
  ["/debug/flags/v", 406],
  ["/debug/controllers/nope/x", 404],
  ["/", 404],
  ["/nope", 404],
  ["//healthz", 404],
];
export const PATHS_OF_OURS: readonly (readonly [path: string, status: number])[] = [
  ["/livez", 200],
  ["/readyz", 200],
  ["/healthz/ping", 200],
];

const OPEN: ReadonlySet<string> = new Set(["/healthz", "/livez", "/readyz"]);

export function expectedStatus(standing: Standing, path: string, status: number): number {
  if (standing === "refused") return 401;
  return standing === "with rights" || OPEN.has(path) ? status : 403;
}

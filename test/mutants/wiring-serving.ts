import type { Mutant } from "./mutant.ts";
import { row, tested } from "./wiring-row.ts";

const wiring = tested("wiring");
const served = tested("server/server-wiring");

export const wiringServingMutants: readonly Mutant[] = [
  row(
    "every name of a proxy is allowed",
    "server/authn/authentication-sources.ts",
    ["allowedNames: options.requestheaderAllowedNames", "allowedNames: []"],
    served,
  ),
  row(
    "users' headers are the groups' headers",
    "server/authn/authentication-sources.ts",
    [
      "usernameHeaders: options.requestheaderUsernameHeaders",
      "usernameHeaders: options.requestheaderGroupHeaders",
    ],
    served,
  ),
  row(
    "uid headers are lost",
    "server/authn/authentication-sources.ts",
    ["uidHeaders: options.requestheaderUidHeaders", "uidHeaders: []"],
    served,
  ),
  row(
    "fixed group headers",
    "server/authn/authentication-sources.ts",
    ["groupHeaders: options.requestheaderGroupHeaders", 'groupHeaders: ["x-remote-group"]'],
    served,
  ),
  row(
    "extra headers are lost",
    "server/authn/authentication-sources.ts",
    ["extraHeaderPrefixes: options.requestheaderExtraHeadersPrefix", "extraHeaderPrefixes: []"],
    served,
  ),
  row(
    "the authority of clients vouches for proxies",
    "server/authn/authentication-sources.ts",
    ["authorities: this.#proxyFile,", "authorities: this.#clientFile ?? this.#proxyFile,"],
    served,
  ),
  row(
    "tokens are remembered for a fixed time",
    "server/authn/authentication-sources.ts",
    ["options.tokenCacheTtlMs, this.#parts", "10_000, this.#parts"],
    served,
  ),
  row(
    "refusals are remembered as permissions are",
    "server/start-server.ts",
    [
      "authorizedTtlMs, unauthorizedTtlMs });",
      "authorizedTtlMs, unauthorizedTtlMs: authorizedTtlMs || unauthorizedTtlMs });",
    ],
    served,
  ),
  row(
    "permissions are remembered as refusals are",
    "server/start-server.ts",
    [
      "authorizedTtlMs, unauthorizedTtlMs });",
      "authorizedTtlMs: unauthorizedTtlMs || authorizedTtlMs, unauthorizedTtlMs });",
    ],
    served,
  ),
  row(
    "open paths are fixed",
    "server/start-server.ts",
    [
      "return authorizeBy(alwaysAllowPaths, ask);",
      'return authorizeBy(alwaysAllowPaths && ["/healthz"], ask);',
    ],
    served,
  ),
  row(
    "a fixed number of streams",
    "server/start-server.ts",
    ["maxStreams: secureServing.http2MaxStreams", "maxStreams: 0"],
    served,
  ),
  row(
    "tokens are asked about at the other API server",
    "server/start-server.ts",
    ["client: clients.authentication,", "client: clients.authorization,"],
    served,
  ),
  row(
    "reviews go to the other API server",
    "server/start-server.ts",
    ["const client = parts.clients.authorization;", "const client = parts.clients.authentication;"],
    served,
  ),
  row(
    "half a pair of certificates is taken",
    "server/tls/certificate-source.ts",
    ["        createSecureContext({ ...this.#settings, cert, key });\n", ""],
    served,
  ),
  row(
    "half a pair in --cert-dir is read",
    "server/tls/serving-certificate.ts",
    ["!existsSync(certFile) || !existsSync(keyFile)", "!existsSync(certFile) && !existsSync(keyFile)"],
    tested("server/start-server"),
  ),
  row(
    "SIGUSR1 opens the inspector",
    "no-inspector.ts",
    ['process.on("SIGUSR1", () => undefined);', ""],
    tested("process"),
  ),
  row("--v is not heard", "main.ts", ["verbosity: options.logs.level,", "verbosity: 0,"], tested("process")),
  row("--vmodule is not heard", "main.ts", ["    vmodule: options.logs.modules,\n", ""], tested("process")),
  row(
    "--logging-format is not heard",
    "main.ts",
    ['options.logs.format === "json" ? "json" : "text"', '"text"'],
    tested("process"),
  ),
  row(
    "--cluster-name says nothing",
    "options/groups/generic.ts",
    [
      'config: "KubeCloudShared.ClusterName",\n    unused: NO_CLOUD,',
      'config: "KubeCloudShared.ClusterName",',
    ],
    wiring,
  ),
];

import { dirname, resolve } from "node:path";
import type { KubeConfig } from "@kubernetes/client-node/dist/config.js";
import type { Access, ExecConfig, IdentitySource, Impersonation, Source } from "./identity-source.ts";
import { ConfigError } from "./identity-source.ts";

/** What KubeConfig drops from the user of a kubeconfig. */
interface RawUser {
  readonly tokenFile?: string;
  readonly as?: string;
  readonly "as-uid"?: string;
  readonly "as-groups"?: readonly string[];
  readonly "as-user-extra"?: Readonly<Record<string, readonly string[]>>;
}

interface RawExec {
  readonly apiVersion?: string;
  readonly command?: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
  readonly installHint?: string;
  readonly interactiveMode?: string;
  readonly provideClusterInfo?: boolean;
}

type Cluster = KubeConfig["clusters"][number];
type User = KubeConfig["users"][number];

export interface KubeconfigOptions {
  /** The context to use; the file's current one when left out. */
  readonly context?: string;
  /** Overrides the address of the context's cluster. */
  readonly master?: string;
}

/** What the text of a kubeconfig file says; `path` is where it lies, for messages and for paths relative to it. */
export async function parseKubeconfig(
  text: string,
  path: string,
  options: KubeconfigOptions = {},
): Promise<Access> {
  const { config, raw } = await load(text, path);
  const fail = (message: string): never => {
    throw new ConfigError(`kubeconfig ${path}: ${message}`);
  };
  const contextName = options.context ?? config.getCurrentContext();
  if (!contextName) return fail("there is no current-context");
  const context = config.getContextObject(contextName) ?? fail(`there is no context ${contextName}`);
  const cluster = config.getCluster(context.cluster) ?? fail(`there is no cluster ${context.cluster}`);
  const user = context.user ? config.getUser(context.user) : { name: "" };
  if (user === null) return fail(`there is no user ${context.user}`);
  if (user.authProvider) return fail(`user ${user.name}: auth-provider is not supported; use an exec plugin`);
  const rawUser = raw.find(({ name }) => name === user.name)?.user ?? {};
  const server = parseUrl(options.master || cluster.server, (why) => fail(`server: ${why}`));
  const proxy = cluster.proxyUrl
    ? parseUrl(cluster.proxyUrl, (why) => fail(`proxy-url: ${why}`), PROXY_SCHEMES)
    : undefined;
  return {
    server,
    ...(proxy === undefined ? {} : { proxy }),
    identity: identityOf(cluster, user, rawUser, dirname(path), fail),
  };
}

async function load(
  text: string,
  path: string,
): Promise<{ config: KubeConfig; raw: readonly { name?: string; user?: RawUser }[] }> {
  // Imported when needed: a process inside a cluster starts without it.
  const [{ KubeConfig }, { loadYaml }] = await Promise.all([
    import("@kubernetes/client-node/dist/config.js"),
    import("@kubernetes/client-node/dist/yaml.js"),
  ]);
  try {
    const document = loadYaml<{ users?: readonly { name?: string; user?: RawUser }[] | null }>(text);
    const config = new KubeConfig();
    config.loadFromString(text);
    config.makePathsAbsolute(dirname(path));
    return { config, raw: document.users ?? [] };
  } catch (cause) {
    const [firstLine] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
    // The cause is left out: a YAML error quotes the lines around it, and these hold keys and tokens.
    throw new ConfigError(`kubeconfig ${path}: ${firstLine ?? ""}`);
  }
}

type Fail = (message: string) => never;

function identityOf(
  cluster: Cluster,
  user: User,
  raw: RawUser,
  directory: string,
  fail: Fail,
): IdentitySource {
  const source = (what: string, file?: string, data?: string): Source | undefined => {
    if (data) return { data: decodeBase64(data, () => fail(`${what} is not base64`)) };
    return file ? { file } : undefined;
  };
  const ca = source("certificate-authority-data", cluster.caFile, cluster.caData);
  const cert = source("client-certificate-data", user.certFile, user.certData);
  const key = source("client-key-data", user.keyFile, user.keyData);
  if ((cert === undefined) !== (key === undefined)) {
    fail(`user ${user.name} has only one of client certificate and key`);
  }
  if (ca !== undefined && cluster.skipTLSVerify) {
    fail(`cluster ${cluster.name} has both a certificate authority and insecure-skip-tls-verify`);
  }
  const token = tokenOf(user, raw, directory);
  const impersonation = impersonationOf(raw, fail);
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(cluster.tlsServerName ? { serverName: cluster.tlsServerName } : {}),
    ...(cluster.skipTLSVerify ? { insecure: true } : {}),
    ...(token === undefined ? {} : { token }),
    ...(user.username ? { basic: { username: user.username, password: user.password ?? "" } } : {}),
    ...(user.exec ? { exec: execOf(user.exec as RawExec, cluster, directory, fail) } : {}),
    ...(impersonation === undefined ? {} : { impersonation }),
  };
}

/** A file goes before a value. */
function tokenOf(user: User, raw: RawUser, directory: string): Source | undefined {
  if (raw.tokenFile) return { file: resolve(directory, raw.tokenFile) };
  return user.token ? { data: Buffer.from(user.token) } : undefined;
}

function impersonationOf(raw: RawUser, fail: Fail): Impersonation | undefined {
  const { as, "as-uid": uid, "as-groups": groups, "as-user-extra": extra } = raw;
  if (as) {
    return {
      user: as,
      ...(uid === undefined ? {} : { uid }),
      ...(groups === undefined ? {} : { groups }),
      ...(extra === undefined ? {} : { extra }),
    };
  }
  return uid || groups?.length || extra ? fail("as-uid, as-groups and as-user-extra need `as`") : undefined;
}

function execOf(exec: RawExec, cluster: Cluster, directory: string, fail: Fail): ExecConfig {
  if (!exec.command) return fail("exec: command is missing");
  if (!/^client\.authentication\.k8s\.io\/v1(beta1)?$/.test(exec.apiVersion ?? "")) {
    return fail(`exec: apiVersion ${exec.apiVersion ?? '""'} is not supported`);
  }
  if (exec.interactiveMode === "Always") return fail("exec: there is no terminal for interactiveMode Always");
  return {
    apiVersion: exec.apiVersion ?? "",
    // A bare name is looked up in PATH; anything with a slash is relative to the file.
    command: exec.command.includes("/") ? resolve(directory, exec.command) : exec.command,
    args: exec.args ?? [],
    env: Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value])),
    ...(exec.installHint ? { installHint: exec.installHint } : {}),
    ...(exec.provideClusterInfo ? { cluster: clusterInfo(cluster) } : {}),
  };
}

function clusterInfo(cluster: Cluster): Readonly<Record<string, unknown>> {
  return {
    server: cluster.server,
    ...(cluster.tlsServerName ? { "tls-server-name": cluster.tlsServerName } : {}),
    ...(cluster.skipTLSVerify ? { "insecure-skip-tls-verify": true } : {}),
    ...(cluster.caData ? { "certificate-authority-data": cluster.caData } : {}),
    ...(cluster.proxyUrl ? { "proxy-url": cluster.proxyUrl } : {}),
  };
}

export const PROXY_SCHEMES: readonly string[] = ["http:", "https:", "socks5:", "socks5h:"];

/** A host and port without a scheme mean http, as everywhere in Kubernetes. */
export function parseUrl(
  text: string,
  fail: (why: string) => never,
  schemes: readonly string[] = ["http:", "https:"],
): URL {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (url === null) return fail(`${JSON.stringify(text)} is not a URL`);
  if (schemes.includes(url.protocol)) return url;
  return fail(`the scheme of ${url.protocol}//${url.host} is not supported`);
}

function decodeBase64(text: string, fail: () => never): Buffer {
  return /^[A-Za-z0-9+/\s]*=*\s*$/.test(text) ? Buffer.from(text, "base64") : fail();
}

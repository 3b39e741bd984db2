import { messageOf } from "../../api/errors.ts";
import { dirname, resolve } from "node:path";
import { load } from "js-yaml";
import type { Access, ExecConfig, IdentitySource, Impersonation, Source } from "./identity-source.ts";
import { ConfigError } from "./identity-source.ts";
import {
  checkDocument,
  type Cluster,
  type Exec,
  type KubeconfigDocument,
  type User,
} from "./kubeconfig-document.ts";

export interface KubeconfigOptions {
  /** The context to use; the file's current one when left out. */
  readonly context?: string;
  /** Overrides the address of the context's cluster. */
  readonly master?: string;
}

/** What the text of a kubeconfig file says; `path` is where it lies, for messages and for paths relative to it. */
export function parseKubeconfig(text: string, path: string, options: KubeconfigOptions = {}): Access {
  const fail = (message: string): never => {
    throw new ConfigError(`kubeconfig ${path}: ${message}`);
  };
  const document = parseDocument(text, fail);
  const contextName = options.context ?? document["current-context"];
  if (!contextName) return fail("there is no current-context");
  const context =
    named(document.contexts, contextName)?.context ?? fail(`there is no context ${contextName}`);
  const cluster =
    named(document.clusters, context.cluster)?.cluster ?? fail(`there is no cluster ${context.cluster}`);
  const user = context.user ? named(document.users, context.user) : { name: "", user: {} };
  if (user === undefined) return fail(`there is no user ${context.user}`);
  const failUser = (message: string): never => fail(`user ${user.name}${message}`);
  if (user.user?.["auth-provider"]) return failUser(": auth-provider is not supported; use an exec plugin");
  const address = options.master || (cluster.server ?? "");
  const server = parseUrl(address, (why) => fail(`server: ${why}`));
  const proxyUrl = cluster["proxy-url"];
  const proxy = proxyUrl ? parseUrl(proxyUrl, (why) => fail(`proxy-url: ${why}`), PROXY_SCHEMES) : undefined;
  if (hasCa(cluster) && cluster["insecure-skip-tls-verify"] === true) {
    fail(`cluster ${context.cluster} has both a certificate authority and insecure-skip-tls-verify`);
  }
  return {
    server,
    ...(proxy === undefined ? {} : { proxy }),
    identity: identityOf({ ...cluster, server: address }, user.user ?? {}, dirname(path), { fail, failUser }),
  };
}

function parseDocument(text: string, fail: Fail): KubeconfigDocument {
  let document: unknown;
  try {
    document = load(text);
  } catch (cause) {
    // Only the first line: those after it quote the file, and it holds keys and tokens.
    const [firstLine = ""] = messageOf(cause).split("\n");
    return fail(firstLine);
  }
  return checkDocument(document ?? fail("the file holds no object"), fail);
}

function named<T extends { readonly name?: string }>(
  list: readonly T[] | null | undefined,
  name: string | undefined,
): T | undefined {
  return list?.find((entry) => entry.name === name);
}

function hasCa(cluster: Cluster): boolean {
  return Boolean(cluster["certificate-authority"] ?? cluster["certificate-authority-data"]);
}

type Fail = (message: string) => never;

function identityOf(
  cluster: Cluster,
  user: User,
  directory: string,
  { fail, failUser }: { readonly fail: Fail; readonly failUser: Fail },
): IdentitySource {
  const source = (what: string, file?: string, data?: string): Source | undefined => {
    if (data) return { data: decodeBase64(data, () => fail(`${what} is not base64`)) };
    return file ? { file: resolve(directory, file) } : undefined;
  };
  const from = <K extends string>(
    holder: { readonly [P in K | `${K}-data`]?: string },
    key: K,
  ): Source | undefined => source(`${key}-data`, holder[key], holder[`${key}-data`]);
  const ca = from(cluster, "certificate-authority");
  const cert = from(user, "client-certificate");
  const key = from(user, "client-key");
  if ((cert === undefined) !== (key === undefined)) failUser(" has only one of client certificate and key");
  if (user.token && (user.username || user.password)) failUser(" has both a token and a user name");
  const token = tokenOf(user, directory);
  const impersonation = impersonationOf(user, fail);
  const serverName = cluster["tls-server-name"];
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(serverName ? { serverName } : {}),
    ...(cluster["insecure-skip-tls-verify"] === true ? { insecure: true } : {}),
    ...(token === undefined ? {} : { token }),
    ...(user.username ? { basic: { username: user.username, password: user.password ?? "" } } : {}),
    ...(user.exec ? { exec: execOf(user.exec, { cluster, ca }, directory, fail) } : {}),
    ...(impersonation === undefined ? {} : { impersonation }),
  };
}

/** A file goes before a value. */
function tokenOf(user: User, directory: string): Source | undefined {
  if (user.tokenFile) return { file: resolve(directory, user.tokenFile) };
  return user.token ? { data: Buffer.from(user.token) } : undefined;
}

function impersonationOf(user: User, fail: Fail): Impersonation | undefined {
  const { as, "as-uid": uid, "as-groups": groups, "as-user-extra": extra } = user;
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

interface Told {
  readonly cluster: Cluster;
  readonly ca: Source | undefined;
}

function execOf(exec: Exec, { cluster, ca }: Told, directory: string, fail: Fail): ExecConfig {
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
    ...(exec.provideClusterInfo
      ? { cluster: clusterInfo(cluster), ...(ca === undefined ? {} : { ca }) }
      : {}),
  };
}

const EXEC_EXTENSION = "client.authentication.k8s.io/exec";

/**
 * What exec plugins are told, but for the authorities, whose bytes may stand in a file. The names are those of the
 * kubeconfig; `config` is what its extension for them says. upstream: client-go/rest/exec.go#ConfigToExecCluster
 */
function clusterInfo(cluster: Cluster): Readonly<Record<string, unknown>> {
  const told = [
    "server",
    "tls-server-name",
    "insecure-skip-tls-verify",
    "proxy-url",
    "disable-compression",
  ] as const;
  return {
    ...Object.fromEntries(told.flatMap((key) => (cluster[key] ? [[key, cluster[key]]] : []))),
    config: named(cluster.extensions, EXEC_EXTENSION)?.extension ?? null,
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

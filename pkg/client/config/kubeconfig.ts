import { messageOf } from "../../api/errors.ts";
import { child, isJson, optionalText } from "../../api/json.ts";
import { dirname, resolve } from "node:path";
import { load } from "js-yaml";
import type { Access, ExecConfig, IdentitySource, Impersonation, Source } from "./identity-source.ts";
import { ConfigError } from "./identity-source.ts";
import {
  checkDocument,
  type Cluster,
  type Context,
  type Exec,
  type KubeconfigDocument,
  type User,
} from "./kubeconfig-document.ts";

export interface KubeconfigOptions {
  /** The context to use; the current one when left out. */
  readonly context?: string | undefined;
  /** The cluster and the user by name, in place of those of the context. */
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  /** Overrides the address of the context's cluster. */
  readonly master?: string | undefined;
}

/** What a file of a kubeconfig holds. Paths in it are relative to where it lies. */
export interface KubeconfigFile {
  readonly path: string;
  readonly document: KubeconfigDocument;
}

/** What the text of a kubeconfig file says; `path` is where it lies, for messages and for paths relative to it. */
export function parseKubeconfig(text: string, path: string, options: KubeconfigOptions = {}): Access {
  return accessOfFiles([readKubeconfig(text, path)], options);
}

export function readKubeconfig(text: string, path: string): KubeconfigFile {
  return { path, document: parseDocument(text, failIn([path])) };
}

/** What several files say together: of what two of them name, the first one counts, and nothing of the second. */
export function accessOfFiles(files: readonly KubeconfigFile[], options: KubeconfigOptions = {}): Access {
  const fail = failIn(files.map(({ path }) => path));
  const context = contextOf(files, options, fail);
  const { entry: clusterEntry, directory } =
    named(files, "clusters", context.cluster) ?? fail(`there is no cluster ${context.cluster}`);
  const cluster = clusterEntry.cluster ?? fail(`there is no cluster ${context.cluster}`);
  const user = context.user ? named(files, "users", context.user) : NOBODY;
  if (user === undefined) return fail(`there is no user ${context.user}`);
  const failUser = (message: string): never => fail(`user ${user.entry.name}${message}`);
  if (user.entry.user?.["auth-provider"] && tokenFileOf(user.entry.user) === undefined) {
    return failUser(": auth-provider is not supported; use an exec plugin");
  }
  const address = options.master || (cluster.server ?? "");
  const server = parseUrl(address, (why) => fail(`server: ${why}`));
  const proxyUrl = cluster["proxy-url"];
  const proxy = proxyUrl ? parseUrl(proxyUrl, (why) => fail(`proxy-url: ${why}`), PROXY_SCHEMES) : undefined;
  if (hasCa(cluster) && cluster["insecure-skip-tls-verify"] === true) {
    fail(`cluster ${context.cluster} has both a certificate authority and insecure-skip-tls-verify`);
  }
  const parties = {
    cluster: { ...cluster, server: address },
    clusterDirectory: directory,
    user: user.entry.user ?? {},
    userDirectory: user.directory,
  };
  return {
    server,
    ...(proxy === undefined ? {} : { proxy }),
    ...(context.namespace ? { namespace: context.namespace } : {}),
    identity: identityOf(parties, { fail, failUser }),
  };
}

const NOBODY: Named<"users"> = { entry: { name: "", user: {} }, directory: "" };

function failIn(paths: readonly string[]): Fail {
  return (message) => {
    throw new ConfigError(`kubeconfig ${paths.join(", ")}: ${message}`);
  };
}

function contextOf(
  files: readonly KubeconfigFile[],
  { context, cluster, user }: KubeconfigOptions,
  fail: Fail,
): Context {
  const current = files.map(({ document }) => document["current-context"]).find(Boolean);
  const name = context ?? current;
  const overrides = { ...(cluster ? { cluster } : {}), ...(user ? { user } : {}) };
  // Whoever says which cluster needs no context.
  if (!name) return cluster ? overrides : fail("there is no current-context");
  const found = named(files, "contexts", name)?.entry.context ?? fail(`there is no context ${name}`);
  return { ...found, ...overrides };
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

type Lists = "clusters" | "contexts" | "users";
type EntryOf<List extends Lists> = NonNullable<KubeconfigDocument[List]>[number];

interface Named<List extends Lists> {
  readonly entry: EntryOf<List>;
  /** Of the file that it stands in. */
  readonly directory: string;
}

/** The first entry of that name. */
function named<List extends Lists>(
  files: readonly KubeconfigFile[],
  list: List,
  name: string | undefined,
): Named<List> | undefined {
  for (const { path, document } of files) {
    const entries: readonly EntryOf<List>[] = document[list] ?? [];
    const entry = entries.find((each) => each.name === name);
    if (entry !== undefined) return { entry, directory: dirname(path) };
  }
  return undefined;
}

function hasCa(cluster: Cluster): boolean {
  return Boolean(cluster["certificate-authority"] ?? cluster["certificate-authority-data"]);
}

type Fail = (message: string) => never;

interface Parties {
  readonly cluster: Cluster;
  readonly clusterDirectory: string;
  readonly user: User;
  readonly userDirectory: string;
}

function identityOf(
  { cluster, clusterDirectory, user, userDirectory }: Parties,
  { fail, failUser }: { readonly fail: Fail; readonly failUser: Fail },
): IdentitySource {
  const from = <K extends string>(
    holder: { readonly [P in K | `${K}-data`]?: string },
    key: K,
    directory: string,
  ): Source | undefined => {
    const [file, data] = [holder[key], holder[`${key}-data`]];
    if (data) return { data: decodeBase64(data, () => fail(`${key}-data is not base64`)) };
    return file ? { file: resolve(directory, file) } : undefined;
  };
  const ca = from(cluster, "certificate-authority", clusterDirectory);
  const cert = from(user, "client-certificate", userDirectory);
  const key = from(user, "client-key", userDirectory);
  if ((cert === undefined) !== (key === undefined)) failUser(" has only one of client certificate and key");
  if (user.token && (user.username || user.password)) failUser(" has both a token and a user name");
  const token = tokenOf(user, userDirectory);
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
    ...(user.exec ? { exec: execOf(user.exec, { cluster, ca }, userDirectory, fail) } : {}),
    ...(impersonation === undefined ? {} : { impersonation }),
  };
}

/** A file goes before a value. */
function tokenOf(user: User, directory: string): Source | undefined {
  const file = tokenFileOf(user);
  if (file) return { file: resolve(directory, file) };
  return user.token ? { data: Buffer.from(user.token) } : undefined;
}

/** The provider "tokenFile" is how @kubernetes/client-node writes a token file. */
function tokenFileOf({ tokenFile, "auth-provider": provider }: User): string | undefined {
  if (tokenFile || !isJson(provider) || provider["name"] !== "tokenFile") return tokenFile;
  return optionalText(child(provider, "config"), "tokenFile");
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
    config: cluster.extensions?.find(({ name }) => name === EXEC_EXTENSION)?.extension ?? null,
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

import { access, readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { hostAndPort } from "../url-host.ts";
import { checkIdentity } from "./check-identity.ts";
import type { Access } from "./identity-source.ts";
import { ConfigError } from "./identity-source.ts";
import {
  accessOfFiles,
  type KubeconfigFile,
  type KubeconfigOptions,
  parseUrl,
  readKubeconfig,
} from "./kubeconfig.ts";

const SERVICE_ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount";

export interface AccessOptions {
  /** --kubeconfig */
  readonly kubeconfig?: string;
  readonly context?: string;
  /** --master: overrides the address in the kubeconfig. */
  readonly master?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the service account's files are mounted. */
  readonly serviceAccountDirectory?: string;
}

/**
 * With neither a kubeconfig nor an address: the cluster that this process runs in. Throws a ConfigError for what cannot
 * work, files of credentials included.
 */
export async function loadAccess(options: AccessOptions): Promise<Access> {
  if (options.kubeconfig) return fromKubeconfig(options.kubeconfig, options);
  if (!options.master) return inCluster(options.env, options.serviceAccountDirectory ?? SERVICE_ACCOUNT);
  const server = parseUrl(options.master, (why) => {
    throw new ConfigError(`--master: ${why}`);
  });
  return { server, identity: {} };
}

/** Where kubectl would look, and what it would be told there. */
export interface SearchOptions extends KubeconfigOptions {
  /** As --kubeconfig: this file and no other, which has to be there. */
  readonly kubeconfig?: string | undefined;
  /** KUBECONFIG, a list of files of which some may be missing; and what says that this process runs in a cluster. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Of the user: .kube/config in it is read where the environment names no files. */
  readonly home: string;
  readonly serviceAccountDirectory?: string;
}

/**
 * As kubectl finds its cluster: the file that is named, else those in $KUBECONFIG, else ~/.kube/config, else the cluster
 * that this process runs in. upstream: client-go/tools/clientcmd/loader.go#Load, merged_client_builder.go
 */
export async function findAccess(options: SearchOptions): Promise<Access> {
  const { kubeconfig, env, home } = options;
  if (kubeconfig) return fromKubeconfig(kubeconfig, options);
  const listed = new Set((env["KUBECONFIG"] ?? "").split(delimiter).filter((path) => path !== ""));
  const paths = listed.size > 0 ? [...listed] : [join(home, ".kube", "config")];
  const read = await Promise.all(paths.map(async (path) => readIfThere(path)));
  const files = read.filter((file) => file !== undefined);
  const saysSomething = files.some(
    ({ document }) => document["current-context"] || (document.clusters?.length ?? 0) > 0,
  );
  if (saysSomething) return checked(accessOfFiles(files, options), files);
  if (options.master) return loadAccess({ master: options.master, env });
  if (env["KUBERNETES_SERVICE_HOST"] && env["KUBERNETES_SERVICE_PORT"])
    return inCluster(env, options.serviceAccountDirectory ?? SERVICE_ACCOUNT);
  throw new ConfigError(
    `there is no kubeconfig (${paths.join(", ")}), and this process runs in no cluster ` +
      "(KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set)",
  );
}

async function fromKubeconfig(path: string, options: KubeconfigOptions): Promise<Access> {
  const file = await readFileOf(path);
  return checked(accessOfFiles([file], options), [file]);
}

async function readFileOf(path: string): Promise<KubeconfigFile> {
  return readKubeconfig(await textOf(path), path);
}

/** A file in a list may be missing, and may be empty: a tool that will write to it has made it. */
async function readIfThere(path: string): Promise<KubeconfigFile | undefined> {
  let text: string;
  try {
    text = await textOf(path);
  } catch (error) {
    if (error instanceof ConfigError && isMissing(error.cause)) return undefined;
    throw error;
  }
  return text.trim() === "" ? undefined : readKubeconfig(text, path);
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw new ConfigError(`kubeconfig ${path} cannot be read: ${(cause as Error).message}`, cause);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

async function checked(access: Access, files: readonly KubeconfigFile[]): Promise<Access> {
  try {
    await checkIdentity(access.identity);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const paths = files.map(({ path }) => path).join(", ");
    throw new ConfigError(`kubeconfig ${paths}: ${error.message}`, error);
  }
  return access;
}

async function inCluster(env: AccessOptions["env"], directory: string): Promise<Access> {
  const host = env["KUBERNETES_SERVICE_HOST"];
  const port = env["KUBERNETES_SERVICE_PORT"];
  if (!host || !port) {
    throw new ConfigError(
      "neither --kubeconfig nor --master is given, and this process runs in no cluster " +
        "(KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set)",
    );
  }
  const [token, ca] = [join(directory, "token"), join(directory, "ca.crt")];
  try {
    await Promise.all([access(token), access(ca)]);
  } catch (cause) {
    throw new ConfigError(
      `the service account of this Pod is not mounted: ${(cause as Error).message}`,
      cause,
    );
  }
  const server = new URL(`https://${hostAndPort(host, port)}`);
  const namespace = await namespaceIn(directory);
  return {
    server,
    ...(namespace === "" ? {} : { namespace }),
    identity: { token: { file: token }, ca: { file: ca } },
  };
}

async function namespaceIn(directory: string): Promise<string> {
  try {
    return (await readFile(join(directory, "namespace"), "utf8")).trim();
  } catch (error) {
    if (isMissing(error)) return "";
    throw error;
  }
}

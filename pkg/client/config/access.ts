import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { hostAndPort } from "../url-host.ts";
import { checkIdentity } from "./check-identity.ts";
import type { Access } from "./identity-source.ts";
import { ConfigError } from "./identity-source.ts";
import { parseKubeconfig, parseUrl } from "./kubeconfig.ts";

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

async function fromKubeconfig(path: string, options: AccessOptions): Promise<Access> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw new ConfigError(`kubeconfig ${path} cannot be read: ${(cause as Error).message}`, cause);
  }
  const parsed = parseKubeconfig(text, path, options);
  try {
    await checkIdentity(parsed.identity);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(`kubeconfig ${path}: ${error.message}`, error);
  }
  return parsed;
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
  return { server, identity: { token: { file: token }, ca: { file: ca } } };
}

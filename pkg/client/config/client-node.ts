import type { Access, IdentitySource, Source } from "./identity-source.ts";
import { accessOfFiles, type KubeconfigOptions, readKubeconfig } from "./kubeconfig.ts";

/** What is needed of a KubeConfig of @kubernetes/client-node. */
export interface KubeConfigLike {
  exportConfig(): string;
}

const NAME = "cluster";

/** The access that a KubeConfig of @kubernetes/client-node stands for, by its current context. */
export function accessOfKubeConfig(config: KubeConfigLike, options: KubeconfigOptions = {}): Access {
  return accessOfFiles([readKubeconfig(config.exportConfig(), "of @kubernetes/client-node")], options);
}

/**
 * A kubeconfig with this access and nothing else, as text in JSON: for `loadFromString` of a KubeConfig of
 * @kubernetes/client-node, or for a file that other tools read. Files of credentials are named, not read.
 */
export function kubeconfigText({ server, proxy, namespace, identity }: Access): string {
  const cluster = {
    server: server.href.replace(/\/$/, ""),
    ...sourceFields("certificate-authority", identity.ca),
    ...(identity.insecure === true ? { "insecure-skip-tls-verify": true } : {}),
    ...(identity.serverName === undefined ? {} : { "tls-server-name": identity.serverName }),
    ...(proxy === undefined ? {} : { "proxy-url": proxy.href }),
  };
  const context = { cluster: NAME, user: NAME, ...(namespace === undefined ? {} : { namespace }) };
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: NAME, cluster }],
    users: [{ name: NAME, user: userFields(identity) }],
    contexts: [{ name: NAME, context }],
    "current-context": NAME,
  });
}

function userFields(identity: IdentitySource): Readonly<Record<string, unknown>> {
  const { basic, token, exec, impersonation } = identity;
  return {
    ...sourceFields("client-certificate", identity.cert),
    ...sourceFields("client-key", identity.key),
    ...(token === undefined ? {} : tokenFields(token)),
    ...basic,
    ...(exec === undefined
      ? {}
      : {
          exec: {
            apiVersion: exec.apiVersion,
            command: exec.command,
            args: exec.args,
            env: Object.entries(exec.env).map(([name, value]) => ({ name, value })),
            ...(exec.installHint === undefined ? {} : { installHint: exec.installHint }),
            ...(exec.cluster === undefined ? {} : { provideClusterInfo: true }),
            interactiveMode: "Never",
          },
        }),
    ...(impersonation === undefined
      ? {}
      : {
          as: impersonation.user,
          ...(impersonation.uid === undefined ? {} : { "as-uid": impersonation.uid }),
          ...(impersonation.groups === undefined ? {} : { "as-groups": impersonation.groups }),
          ...(impersonation.extra === undefined ? {} : { "as-user-extra": impersonation.extra }),
        }),
  };
}

/** client-node knows no tokenFile, but this provider, which reads the file again and again. */
function tokenFields(token: Source): Readonly<Record<string, unknown>> {
  if ("data" in token) return { token: token.data.toString("utf8").trim() };
  const config = { tokenFile: token.file };
  return { tokenFile: token.file, "auth-provider": { name: "tokenFile", config } };
}

function sourceFields(key: string, source: Source | undefined): Readonly<Record<string, string>> {
  if (source === undefined) return {};
  return "data" in source ? { [`${key}-data`]: source.data.toString("base64") } : { [key]: source.file };
}

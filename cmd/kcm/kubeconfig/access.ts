import type { KeyPair } from "../../../pkg/pki/certificate-authority.ts";

/** How the administrator of a cluster gets at it. */
export interface AdminAccess {
  readonly url: string;
  /** Neither is there with --insecure-admin. */
  readonly ca?: string;
  readonly admin?: KeyPair;
}

/** What kubeconfigs are lists of. */
export interface NamedEntry {
  readonly name: string;
  readonly [field: string]: unknown;
}

export interface AccessEntries {
  readonly contexts: NamedEntry;
  readonly clusters: NamedEntry;
  readonly users: NamedEntry;
}

/** Of its context, its cluster and its user alike, so that several clusters fit into one file. */
export function contextOf(clusterName: string): string {
  return `kcm-${clusterName}`;
}

/** Whatever is in `more` goes into the cluster and the context, where kubectl keeps what it does not know. */
export function accessEntries(
  clusterName: string,
  { url, ca, admin }: AdminAccess,
  more: Readonly<Record<string, unknown>> = {},
): AccessEntries {
  const name = contextOf(clusterName);
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  return {
    contexts: { name, context: { cluster: name, user: name, ...more } },
    clusters: {
      name,
      cluster: { server: url, ...(ca && { "certificate-authority-data": base64(ca) }), ...more },
    },
    users: {
      name,
      user: {
        ...(admin && {
          "client-certificate-data": base64(admin.cert),
          "client-key-data": base64(admin.key),
        }),
        ...more,
      },
    },
  };
}

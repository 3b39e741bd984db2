/** What a TLS connection is made with. Compared by reference: other bytes come as another object. */
export interface TlsMaterial {
  /** PEM; the system's authorities when left out. */
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly serverName?: string;
  readonly insecure?: boolean;
}

export interface Credentials {
  /** Authorization and Impersonate-*; a list is sent as repeated headers. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly tls: TlsMaterial;
}

/** Who a transport is, as far as the API server can tell. */
export interface Identity {
  /** Asked before every request, so it is cheap unless something is due for a reload. */
  credentials(): Credentials | Promise<Credentials>;
  /** After a 401 to these credentials: whether there are others now, worth one more try. */
  renew(rejected: Credentials): Promise<boolean>;
}

/** An identity that never changes. */
export function fixedIdentity(tls: TlsMaterial, headers: Credentials["headers"] = {}): Identity {
  const credentials = { headers, tls };
  return { credentials: () => credentials, renew: async () => false };
}

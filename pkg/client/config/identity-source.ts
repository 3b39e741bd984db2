import { readFile } from "node:fs/promises";

/** A piece of a kubeconfig that stands in it or in a file of its own; files are read again when they change. */
export type Source = { readonly file: string } | { readonly data: Buffer };

export interface ExecConfig {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly installHint?: string;
  /** What the plugin is told of the cluster, if it wants to know. */
  readonly cluster?: Readonly<Record<string, unknown>>;
  /** The authorities of the cluster, which it is told too: as bytes, wherever they stand. */
  readonly ca?: Source;
}

export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Where an identity comes from, as configured: nothing has been read or run yet. */
export interface IdentitySource {
  readonly ca?: Source;
  readonly cert?: Source;
  readonly key?: Source;
  readonly serverName?: string;
  readonly insecure?: boolean;
  readonly token?: Source;
  readonly basic?: { readonly username: string; readonly password: string };
  readonly exec?: ExecConfig;
  readonly impersonation?: Impersonation;
}

/** How to reach an API server, and as whom. */
export interface Access {
  readonly server: URL;
  readonly proxy?: URL;
  /** Where objects are meant to be when nobody says otherwise; "default" when left out. */
  readonly namespace?: string;
  readonly identity: IdentitySource;
}

/** A configuration that cannot work; the message is one line for the user. */
export class ConfigError extends Error {
  readonly code = "InvalidConfiguration";
  constructor(message: string, cause?: unknown) {
    super(message.replaceAll(/\s*\n\s*/g, " "), cause === undefined ? undefined : { cause });
    this.name = "ConfigError";
  }
}

/** Its bytes; `what` it is stands in the message when the file cannot be read. */
export async function readSource(what: string, source: Source): Promise<Buffer> {
  if ("data" in source) return source.data;
  try {
    return await readFile(source.file);
  } catch (cause) {
    throw new ConfigError(`the ${what} cannot be read: ${(cause as Error).message}`, cause);
  }
}

import { messageOf } from "../../api/errors.ts";
import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Clock } from "../../clock/clock.ts";
import type { Logger } from "../../log/logger.ts";
import type { Credentials, Identity, TlsMaterial } from "../http/identity.ts";
import { TransportError } from "../transport.ts";
import type { TransportMetrics } from "../transport-metrics.ts";
import type { ExecCredential, ExecPlugin } from "./exec-plugin.ts";
import { identityHeaders } from "./headers.ts";
import type { IdentitySource, Source } from "./identity-source.ts";
import { ConfigError } from "./identity-source.ts";

/** Tokens and certificates in files are rotated well before they expire; twice a minute is soon enough. */
const RELOAD_INTERVAL_MS = 30_000;

export interface ReloadingIdentityOptions {
  readonly source: IdentitySource;
  readonly plugin: ExecPlugin | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: TransportMetrics;
}

/**
 * An identity whose files are read again and whose plugin is run again when due. `credentials` returns the same object
 * until something has really changed, and keeps the last good one when a reload fails.
 */
export class ReloadingIdentity implements Identity {
  readonly #source: IdentitySource;
  readonly #plugin: ExecPlugin | undefined;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #metrics: TransportMetrics;
  #current: Credentials | undefined;
  #dueMs = -Infinity;
  #loading: Promise<Credentials> | undefined;

  constructor({ source, plugin, clock, log, metrics }: ReloadingIdentityOptions) {
    this.#source = source;
    this.#plugin = plugin;
    this.#clock = clock;
    this.#log = log;
    this.#metrics = metrics;
  }

  credentials(): Credentials | Promise<Credentials> {
    if (this.#current !== undefined && this.#clock.monotonicMs() < this.#dueMs) return this.#current;
    return this.#reload(false);
  }

  async renew(rejected: Credentials): Promise<boolean> {
    if (this.#current !== rejected) return true;
    return (await this.#reload(true)) !== rejected;
  }

  async #reload(fresh: boolean): Promise<Credentials> {
    this.#loading ??= this.#load(fresh).finally(() => (this.#loading = undefined));
    return this.#loading;
  }

  async #load(fresh: boolean): Promise<Credentials> {
    try {
      const issued = await this.#plugin?.credential(fresh);
      const [ca, cert, key, token] = await Promise.all([
        this.#readCa(),
        ...[this.#source.cert, this.#source.key, this.#source.token].map(read),
      ]);
      const next = this.#combine(
        { ca, cert: issued?.cert ?? cert, key: issued?.key ?? key },
        tokenOf(issued, token),
      );
      checkPair(next.tls);
      this.#current = next;
      this.#dueMs = this.#clock.monotonicMs() + this.#intervalMs(issued);
      return next;
    } catch (failure) {
      const message = messageOf(failure);
      if (this.#current === undefined) {
        throw new TransportError("credentials", `no credentials: ${message}`, false, failure);
      }
      this.#log.error(failure, "cannot reload the credentials of the API client; the old ones stay in use");
      this.#dueMs = this.#clock.monotonicMs() + RELOAD_INTERVAL_MS;
      return this.#current;
    }
  }

  async #readCa(): Promise<Buffer | undefined> {
    const { ca } = this.#source;
    if (ca === undefined || "data" in ca) return ca?.data;
    try {
      const bytes = await readFile(ca.file);
      if (bytes.length === 0) throw new ConfigError(`${ca.file} is empty`);
      if (this.#current !== undefined) {
        this.#metrics.caReload("success", equal(bytes, this.#current.tls.ca) ? "unchanged" : "updated");
      }
      return bytes;
    } catch (failure) {
      this.#metrics.caReload("failure", failure instanceof ConfigError ? "empty" : "read_error");
      throw failure;
    }
  }

  /** Reuses the current objects where nothing has changed: other TLS material costs new connections. */
  #combine(
    pem: { readonly [Name in "ca" | "cert" | "key"]: Buffer | undefined },
    token: string | undefined,
  ): Credentials {
    const current = this.#current;
    const { serverName, insecure } = this.#source;
    const sameTls =
      current !== undefined &&
      equal(pem.ca, current.tls.ca) &&
      equal(pem.cert, current.tls.cert) &&
      equal(pem.key, current.tls.key);
    const tls: TlsMaterial = sameTls
      ? current.tls
      : {
          ...(pem.ca === undefined ? {} : { ca: pem.ca }),
          ...(pem.cert === undefined ? {} : { cert: pem.cert }),
          ...(pem.key === undefined ? {} : { key: pem.key }),
          ...(serverName === undefined ? {} : { serverName }),
          ...(insecure === undefined ? {} : { insecure }),
        };
    const headers = identityHeaders(this.#source, token);
    const sameHeaders =
      current !== undefined && current.headers["authorization"] === headers["authorization"];
    return sameTls && sameHeaders ? current : { headers, tls };
  }

  #intervalMs(issued: ExecCredential | undefined): number {
    if (issued?.expiresMs === undefined) return RELOAD_INTERVAL_MS;
    return Math.min(RELOAD_INTERVAL_MS, Math.max(0, issued.expiresMs - this.#clock.nowMs()));
  }
}

async function read(source: Source | undefined): Promise<Buffer | undefined> {
  if (source === undefined || "data" in source) return source?.data;
  return readFile(source.file);
}

function tokenOf(issued: ExecCredential | undefined, configured: Buffer | undefined): string | undefined {
  if (configured === undefined) return issued?.token;
  const token = configured.toString("utf8").trim();
  if (token === "") throw new ConfigError("the token is empty");
  return token;
}

function equal(a: Buffer | undefined, b: Buffer | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && a.equals(b));
}

/** Files are replaced one after the other: a certificate that does not fit the key is half of a rotation. */
function checkPair({ cert, key }: TlsMaterial): void {
  if (cert === undefined || key === undefined) return;
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))) {
    throw new ConfigError("the client certificate does not belong to the key");
  }
}

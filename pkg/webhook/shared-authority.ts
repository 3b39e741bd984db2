import { X509Certificate } from "node:crypto";
import type { NamespacedMeta, Stored } from "../api/object.ts";
import { resources } from "../api/resources.ts";
import type { Secret } from "../api/types/core-v1.gen.ts";
import type { ClientSet } from "../client/client-set.ts";
import { isAlreadyExists, isConflict, isNotFound } from "../client/errors.ts";
import type { Clock } from "../clock/clock.ts";
import type { Logger } from "../log/logger.ts";
import { CertificateAuthority } from "../pki/certificate-authority.ts";

/** Those that replicas share, and whom API servers are to trust. */
export interface Authorities {
  readonly current: CertificateAuthority;
  /** PEM: the current one, and the one before it while its certificates may still be shown. */
  readonly bundle: string;
}

export interface SharedAuthorityOptions {
  readonly client: ClientSet;
  readonly clock: Clock;
  readonly log: Logger;
  readonly namespace: string;
  /** That of the Secret. */
  readonly name: string;
}

const CERT = "ca.crt";
const KEY = "ca.key";
const FORMER = "former-ca.crt";
/** Others write the Secret in the meantime only while they, too, make one. */
const ATTEMPTS = 5;
const COMMON_NAME = "webhook-ca";

/** A certificate authority that is kept in a Secret, so that all replicas have the same; it is renewed in good time. */
export class SharedAuthority {
  readonly #options: SharedAuthorityOptions;

  constructor(options: SharedAuthorityOptions) {
    this.#options = options;
  }

  /** Makes what is missing, broken or about to expire. */
  async authorities(signal?: AbortSignal): Promise<Authorities> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#readOrMake(signal);
      } catch (error) {
        const isRace = isAlreadyExists(error) || isConflict(error);
        if (!isRace || attempt === ATTEMPTS) throw error;
      }
    }
  }

  async #readOrMake(signal: AbortSignal | undefined): Promise<Authorities> {
    const { client, clock, log, namespace, name } = this.#options;
    const secrets = client.clientFor(resources.secrets);
    const secret = await this.#read(signal);
    const kept = secret === undefined ? undefined : this.#load(secret);
    if (kept !== undefined && !isDue(kept.current.cert, clock)) return kept;
    const current = await CertificateAuthority.create(COMMON_NAME, clock);
    const former = kept === undefined ? undefined : kept.current.cert;
    const data = {
      [CERT]: base64(current.cert),
      [KEY]: base64(current.key),
      ...(former !== undefined && { [FORMER]: base64(former) }),
    };
    const metadata: NamespacedMeta = { name, namespace };
    if (secret === undefined) await secrets.create({ metadata, type: "Opaque", data }, {}, signal);
    // Its resourceVersion makes it fail where another replica was faster.
    else await secrets.update({ ...secret, data: { ...secret.data, [FORMER]: "", ...data } }, {}, signal);
    log.info("The certificate authority of the webhooks is new", { secret: `${namespace}/${name}` });
    return { current, bundle: bundleOf(current.cert, former, clock) };
  }

  async #read(signal: AbortSignal | undefined): Promise<Stored<Secret> | undefined> {
    const { client, namespace, name } = this.#options;
    try {
      return await client.clientFor(resources.secrets).get({ namespace, name }, {}, signal);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Undefined where there is none: the Secret may have been made empty, for others to fill it. */
  #load({ data = {} }: Secret): Authorities | undefined {
    const { clock, log, namespace, name } = this.#options;
    const [cert, key, former] = [CERT, KEY, FORMER].map((field) => textOf(data[field]));
    if (cert === undefined || key === undefined) return undefined;
    try {
      const current = CertificateAuthority.load({ cert, key }, clock);
      return { current, bundle: bundleOf(cert, former, clock) };
    } catch (error) {
      log.error(error, "The certificate authority of the webhooks cannot be used, and is replaced", {
        secret: `${namespace}/${name}`,
      });
      return undefined;
    }
  }
}

/** Certificates are renewed when two thirds of their time are over. */
export function isDue(cert: string, clock: Clock): boolean {
  const { validFromDate, validToDate } = new X509Certificate(cert);
  const [from, to] = [validFromDate.getTime(), validToDate.getTime()];
  return clock.nowMs() >= from + ((to - from) * 2) / 3;
}

function bundleOf(current: string, former: string | undefined, clock: Clock): string {
  const isTrusted = former !== undefined && new X509Certificate(former).validToDate.getTime() > clock.nowMs();
  return isTrusted ? current + former : current;
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

function textOf(value: string | undefined): string | undefined {
  return value === undefined || value === "" ? undefined : Buffer.from(value, "base64").toString();
}

import { isIP } from "node:net";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import type { Clock } from "../../../../pkg/clock/clock.ts";
import type { Logger } from "../../../../pkg/log/logger.ts";
import type { Options } from "../../options/options.ts";
import { StartError } from "../../../../pkg/manager/start-error.ts";
import type { CaBundle } from "../x509/ca-bundle.ts";
import { namedContext, type ServedCertificates } from "../listener.ts";
import { certificatesByName } from "./named-certificates.ts";
import { type CertificateAndKey, readPair, servingCertificate } from "./serving-certificate.ts";
import { tlsSettings, type TlsSettings } from "./tls-settings.ts";
import { type WatchedFiles, watchFiles } from "../watched-files.ts";

interface NamedPair {
  pair: CertificateAndKey;
  readonly names: readonly string[];
}

/**
 * What the listener serves: the certificates, which follow their files, and the names of the authorities that clients
 * are asked for certificates of.
 */
export class CertificateSource {
  readonly #settings: TlsSettings;
  readonly #main: NamedPair;
  readonly #named: readonly NamedPair[];
  readonly #authorities: () => readonly CaBundle[];
  readonly #watched: WatchedFiles[] = [];

  private constructor(
    settings: TlsSettings,
    main: NamedPair,
    named: readonly NamedPair[],
    authorities: () => readonly CaBundle[],
  ) {
    this.#settings = settings;
    this.#main = main;
    this.#named = named;
    this.#authorities = authorities;
  }

  /** Throws a StartError for files or settings that cannot be used. */
  static async load(
    serving: Options["secureServing"],
    authorities: () => readonly CaBundle[],
    { clock, log }: { readonly clock: Clock; readonly log: Logger },
  ): Promise<CertificateSource> {
    const settings = tlsSettings(serving, (message) => log.warn(message));
    const main = { pair: await servingCertificate(serving, clock), names: [] };
    const named: NamedPair[] = [];
    for (const { certFile, keyFile, names } of serving.tlsSniCertKeys) {
      const addresses = names.filter((name) => isIP(name) > 0);
      if (addresses.length > 0) {
        log.warn("--tls-sni-cert-key: clients ask for host names only; addresses have no effect", {
          addresses,
        });
      }
      named.push({ pair: await readPair(certFile, keyFile, "--tls-sni-cert-key"), names });
    }
    const source = new CertificateSource(settings, main, named, authorities);
    try {
      createSecureContext(source.current().main);
    } catch (error) {
      throw new StartError("the serving certificate cannot be used", error);
    }
    return source;
  }

  /** Throws when a certificate and its key do not belong together. */
  current(): ServedCertificates {
    const ca = this.#authorities().flatMap(({ certificates }) => certificates.map(String));
    const context = ({ cert, key }: CertificateAndKey): SecureContextOptions => ({
      ...this.#settings,
      cert,
      key,
      ca,
    });
    const named = this.#named.map(({ pair, names }) => ({
      cert: pair.cert,
      names,
      value: namedContext(context(pair)),
    }));
    return { main: context(this.#main.pair), byName: certificatesByName(named) };
  }

  /** Calls back when what is served has changed. A pair of which only one half has changed yet is left for later. */
  follow(onChange: () => void, parts: { readonly clock: Clock; readonly log: Logger }): void {
    for (const holder of [this.#main, ...this.#named]) {
      const { files, cert, key } = holder.pair;
      if (files === undefined) continue;
      const apply = ([cert, key]: readonly Buffer[]): void => {
        if (cert === undefined || key === undefined) return;
        createSecureContext({ ...this.#settings, cert, key });
        holder.pair = { cert, key, files };
        onChange();
      };
      this.#watched.push(watchFiles(files, [cert, key], apply, parts));
    }
  }

  stop(): void {
    for (const watched of this.#watched) watched.stop();
  }
}

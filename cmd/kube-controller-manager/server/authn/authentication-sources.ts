import { messageOf } from "../../../../pkg/api/errors.ts";
import { readFile } from "node:fs/promises";
import type { FeatureGates } from "../../../../pkg/api/feature-gates.ts";
import type { ClientSet } from "../../../../pkg/client/client-set.ts";
import type { Clock } from "../../../../pkg/clock/clock.ts";
import type { Random } from "../../../../pkg/clock/random.ts";
import type { Logger } from "../../../../pkg/log/logger.ts";
import type { Metrics } from "../../../../pkg/metrics/metrics.ts";
import type { Options } from "../../options/options.ts";
import { StartError } from "../../../../pkg/manager/start-error.ts";
import { authenticateBy, type Authenticator } from "./authentication.ts";
import { bearerTokens } from "./bearer-token.ts";
import { CaBundle } from "../x509/ca-bundle.ts";
import { clientCertificates } from "./client-certificate.ts";
import { CLUSTER_AUTHENTICATION, ClusterAuthentication } from "./cluster-authentication.ts";
import type { PeerRequest } from "../peer-request.ts";
import { requestHeaders, type RequestHeaderSettings } from "./request-header.ts";
import { ReviewClient } from "../../../../pkg/manager/access/review-client.ts";
import { TokenCache, tokenReviews } from "../../../../pkg/manager/access/token-review.ts";
import type { User } from "../../../../pkg/manager/access/user.ts";
import { type WatchedFiles, watchFiles } from "../watched-files.ts";

export interface AuthenticationParts {
  readonly options: Options["authentication"];
  /** Of the API server that knows tokens and publishes its settings; there may be none. */
  readonly client: ClientSet | undefined;
  readonly features: FeatureGates;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/** All that requests are authenticated by: files, the cluster's own settings, and the API server. */
export class AuthenticationSources {
  readonly #parts: AuthenticationParts;
  readonly #cluster: ClusterAuthentication | undefined;
  readonly #stop = new AbortController();
  readonly #watched: WatchedFiles[] = [];
  readonly #listeners: (() => void)[] = [];
  #clientFile: CaBundle | undefined;
  #proxyFile: CaBundle | undefined;

  private constructor(parts: AuthenticationParts) {
    this.#parts = parts;
    const { options, client, log } = parts;
    const complete = options.clientCaFile !== "" && options.requestheaderClientCaFile !== "";
    if (complete || options.skipLookup) return;
    if (client === undefined) {
      log.warn(
        `No --authentication-kubeconfig: ${CLUSTER_AUTHENTICATION} is not looked up, and what no file is given for does not authenticate anyone`,
      );
      return;
    }
    this.#cluster = new ClusterAuthentication({ ...parts, client }, () => this.#changed());
  }

  /** Throws a StartError for a file that cannot be used, or settings of the cluster that cannot be had. */
  static async load(parts: AuthenticationParts): Promise<AuthenticationSources> {
    const sources = new AuthenticationSources(parts);
    const { clientCaFile, requestheaderClientCaFile } = parts.options;
    await sources.#loadFile(clientCaFile, "--client-ca-file", (bundle) => {
      sources.#clientFile = bundle;
    });
    await sources.#loadFile(requestheaderClientCaFile, "--requestheader-client-ca-file", (bundle) => {
      sources.#proxyFile = bundle;
    });
    await sources.#loadCluster();
    return sources;
  }

  /** Follows what was loaded until `stop`. */
  follow(): void {
    this.#cluster?.follow(this.#stop.signal);
  }

  stop(): void {
    this.#stop.abort(new Error("the server is closed"));
    for (const watched of this.#watched) watched.stop();
  }

  /** The authorities of today, of clients and of proxies. */
  authorities(): readonly CaBundle[] {
    return [this.#clientAuthorities(), this.#requestHeader()?.authorities].filter(
      (bundle) => bundle !== undefined,
    );
  }

  onAuthoritiesChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Tells who makes a request; rejects with an AuthenticationError. */
  authenticator(): (request: PeerRequest) => Promise<User> {
    const { options, client, features, clock, metrics } = this.#parts;
    const ways: Authenticator[] = [
      requestHeaders(() => this.#requestHeader(), clock),
      clientCertificates({
        authorities: () => this.#clientAuthorities(),
        clock,
        metrics,
        readUid: features.enabled("AllowParsingUserUIDFromCertAuth"),
      }),
    ];
    if (client !== undefined) {
      const reviews = new ReviewClient({ ...this.#parts, rest: client.rest, purpose: "authn" });
      const cache = new TokenCache(tokenReviews(reviews), options.tokenCacheTtlMs, this.#parts);
      ways.push(bearerTokens(async (token) => cache.userOf(token)));
    }
    return authenticateBy(ways);
  }

  #clientAuthorities(): CaBundle | undefined {
    return this.#parts.options.clientCaFile === "" ? this.#cluster?.clientAuthorities : this.#clientFile;
  }

  #requestHeader(): RequestHeaderSettings | undefined {
    const { options } = this.#parts;
    if (options.requestheaderClientCaFile === "") return this.#cluster?.requestHeader;
    if (this.#proxyFile === undefined) return undefined;
    return {
      authorities: this.#proxyFile,
      allowedNames: options.requestheaderAllowedNames,
      usernameHeaders: options.requestheaderUsernameHeaders,
      uidHeaders: options.requestheaderUidHeaders,
      groupHeaders: options.requestheaderGroupHeaders,
      extraHeaderPrefixes: options.requestheaderExtraHeadersPrefix,
    };
  }

  async #loadFile(path: string, flag: string, set: (bundle: CaBundle) => void): Promise<void> {
    if (path === "") return;
    try {
      const content = await readFile(path);
      set(new CaBundle(content.toString()));
      const apply = ([changed]: readonly Buffer[]): void => {
        set(new CaBundle(String(changed)));
        this.#changed();
      };
      this.#watched.push(watchFiles([path], [content], apply, this.#parts));
    } catch (error) {
      this.stop();
      throw new StartError(`${flag} ${path}`, error);
    }
  }

  async #loadCluster(): Promise<void> {
    const { options, log } = this.#parts;
    try {
      await this.#cluster?.load();
    } catch (error) {
      // As upstream: without the settings of proxies nobody starts unless told to, without the client authorities anybody.
      if (options.requestheaderClientCaFile === "" && !options.tolerateLookupFailure) {
        this.stop();
        throw new StartError(
          `the authentication settings of the cluster cannot be read (--authentication-tolerate-lookup-failure starts without them): ${CLUSTER_AUTHENTICATION}`,
          error,
        );
      }
      log.warn(
        "The authentication settings of the cluster cannot be read yet; requests may all be anonymous",
        {
          reason: messageOf(error),
        },
      );
    }
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

import type { ApiObject } from "../api/object.ts";
import type { Resource } from "../api/resource.ts";
import type { Clock } from "../clock/clock.ts";
import { sleep } from "../clock/wait.ts";
import type { Logger } from "../log/logger.ts";
import type { ClientSet } from "./client-set.ts";
import { isAlreadyExists, isNotFound } from "./errors.ts";
import type { Credentials, Identity, TlsMaterial } from "./http/identity.ts";
import { TransportError } from "./transport.ts";

const SERVICE_ACCOUNTS: Resource = {
  group: "",
  version: "v1",
  plural: "serviceaccounts",
  kind: "ServiceAccount",
  namespaced: true,
};
const NAMESPACES: Resource = {
  group: "",
  version: "v1",
  plural: "namespaces",
  kind: "Namespace",
  namespaced: false,
};

const TOKEN_LIFE_SECONDS = 3_600;
/** API servers grant ten minutes at least. */
const SHORTEST_LIFE_SECONDS = 600;
const REFRESH_AT = 0.8;
const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 500;
/** After all attempts have failed, while there is an older token. */
const RETRY_MS = 10_000;

export interface ServiceAccountOptions {
  readonly namespace: string;
  readonly name: string;
  /** Clients that may create service accounts and their tokens. */
  readonly issuer: ClientSet;
  /** Trust in the API server comes from here; its own credentials are not used. */
  readonly base: Identity;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A service account, through tokens that are renewed at 80 % of their life. */
export class ServiceAccountIdentity implements Identity {
  readonly #options: ServiceAccountOptions;
  #current: Credentials | undefined;
  #baseTls: TlsMaterial | undefined;
  #refreshDueMs = -Infinity;
  /** Until then the token is good, though a new one is due. */
  #expiresMs = -Infinity;
  #refreshing: Promise<string> | undefined;
  #token = "";

  constructor(options: ServiceAccountOptions) {
    this.#options = options;
  }

  credentials(): Credentials | Promise<Credentials> {
    const { base, clock } = this.#options;
    const trust = base.credentials();
    if (trust instanceof Promise || clock.monotonicMs() >= this.#refreshDueMs) return this.#fresh(trust);
    return this.#combine(trust.tls, this.#token);
  }

  async #fresh(base: Credentials | Promise<Credentials>): Promise<Credentials> {
    const { tls } = await base;
    const isFresh = this.#options.clock.monotonicMs() < this.#refreshDueMs;
    return this.#combine(tls, isFresh ? this.#token : await this.#refreshed());
  }

  /** Nobody waits for a new token while the old one is good: while no other can be had, it is used up. */
  async #refreshed(): Promise<string> {
    const { clock } = this.#options;
    if (clock.monotonicMs() >= this.#expiresMs) return this.#refresh();
    if (this.#refreshing === undefined) void this.#refresh().catch((error: unknown) => this.#tryLater(error));
    return this.#token;
  }

  #tryLater(error: unknown): void {
    const { clock, log, namespace, name } = this.#options;
    this.#refreshDueMs = Math.min(clock.monotonicMs() + RETRY_MS, this.#expiresMs);
    log.error(error, "A token cannot be renewed; the old one stays in use while it lasts", {
      namespace,
      name,
    });
  }

  #combine(tls: TlsMaterial, token: string): Credentials {
    const authorization = `Bearer ${token}`;
    if (this.#current !== undefined && this.#baseTls === tls) {
      if (this.#current.headers["authorization"] !== authorization) {
        this.#current = { headers: { authorization }, tls: this.#current.tls };
      }
      return this.#current;
    }
    const { cert: _cert, key: _key, ...trust } = tls;
    this.#baseTls = tls;
    this.#current = { headers: { authorization }, tls: trust };
    return this.#current;
  }

  /** The account may have been deleted and created anew, which ends its tokens. */
  async renew(rejected: Credentials): Promise<boolean> {
    if (this.#current === rejected) this.#refreshDueMs = this.#expiresMs = -Infinity;
    return (await this.credentials()) !== rejected;
  }

  async #refresh(): Promise<string> {
    this.#refreshing ??= this.#requestToken().finally(() => (this.#refreshing = undefined));
    return this.#refreshing;
  }

  async #requestToken(): Promise<string> {
    const { clock, namespace, name, log } = this.#options;
    for (let attempt = 1; ; attempt++) {
      try {
        const askedMs = clock.monotonicMs();
        const { token, lifeSeconds } = await this.#askForToken();
        this.#token = token;
        this.#refreshDueMs = askedMs + lifeSeconds * 1_000 * REFRESH_AT;
        this.#expiresMs = askedMs + lifeSeconds * 1_000;
        return token;
      } catch (failure) {
        const who = `service account ${namespace}/${name}`;
        if (attempt === ATTEMPTS) {
          const message = `no token for ${who}: ${(failure as Error).message}`;
          throw new TransportError("credentials", message, false, failure);
        }
        log.warn(`cannot get a token for ${who}, trying again`, { error: (failure as Error).message });
        await sleep(clock, FIRST_PAUSE_MS * 2 ** (attempt - 1));
      }
    }
  }

  async #askForToken(): Promise<{ token: string; lifeSeconds: number }> {
    const { issuer, namespace, name } = this.#options;
    await this.#ensureAccount();
    const request = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenRequest",
      spec: { expirationSeconds: TOKEN_LIFE_SECONDS },
    };
    const { spec, status } = await issuer
      .dynamic(SERVICE_ACCOUNTS)
      .createSubresource<TokenRequest>({ namespace, name }, "token", request);
    if (!status?.token) throw new Error("the answer holds no token");
    // Life is counted from here on, by the monotonic clock: the two machines' clocks may differ.
    const lifeSeconds = Math.max(spec?.expirationSeconds ?? 0, SHORTEST_LIFE_SECONDS);
    return { token: status.token, lifeSeconds };
  }

  async #ensureAccount(): Promise<void> {
    const { issuer, namespace, name } = this.#options;
    const accounts = issuer.dynamic(SERVICE_ACCOUNTS);
    if (await exists(async () => accounts.get({ namespace, name }))) return;
    await this.#ensureNamespace();
    await ifAbsent(async () => accounts.create({ metadata: { namespace, name } }));
  }

  /** Failures are tolerated: this user may not be allowed to look at namespaces, and there may be one all the same. */
  async #ensureNamespace(): Promise<void> {
    const { issuer, namespace, log } = this.#options;
    const namespaces = issuer.dynamic(NAMESPACES);
    try {
      if (await exists(async () => namespaces.get({ name: namespace }))) return;
      await ifAbsent(async () => namespaces.create({ metadata: { name: namespace } }));
    } catch (error) {
      log.warn(`cannot make sure of namespace ${namespace}`, { error: (error as Error).message });
    }
  }
}

interface TokenRequest {
  readonly spec?: { readonly expirationSeconds?: number };
  readonly status?: { readonly token?: string };
}

async function exists(get: () => Promise<ApiObject>): Promise<boolean> {
  try {
    await get();
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

async function ifAbsent(create: () => Promise<ApiObject>): Promise<void> {
  try {
    await create();
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

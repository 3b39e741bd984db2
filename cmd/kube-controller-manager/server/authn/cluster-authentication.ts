import type { ConfigMap } from "../../../../pkg/api/types/core-v1.gen.ts";
import { resources } from "../../../../pkg/api/resources.ts";
import { parseJson } from "../../../../pkg/api/wire-json.ts";
import { SharedInformerFactory } from "../../../../pkg/cache/informer/informer-factory.ts";
import type { ClientSet } from "../../../../pkg/client/client-set.ts";
import { isNotFound } from "../../../../pkg/client/errors.ts";
import type { Clock } from "../../../../pkg/clock/clock.ts";
import type { Random } from "../../../../pkg/clock/random.ts";
import { withDeadline } from "../../../../pkg/clock/wait.ts";
import type { Logger } from "../../../../pkg/log/logger.ts";
import type { Metrics } from "../../../../pkg/metrics/metrics.ts";
import { CaBundle } from "../x509/ca-bundle.ts";
import type { RequestHeaderSettings } from "./request-header.ts";

const NAMESPACE = "kube-system";
const NAME = "extension-apiserver-authentication";
export const CLUSTER_AUTHENTICATION = `ConfigMap ${NAMESPACE}/${NAME}`;

const FIRST_READ_LIMIT_MS = 10_000;

export interface ClusterAuthenticationParts {
  readonly client: ClientSet;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
}

/**
 * How the API server authenticates, as it publishes it for servers like this one. What was read last stays when the
 * ConfigMap is deleted, broken, or out of reach.
 */
export class ClusterAuthentication {
  readonly #parts: ClusterAuthenticationParts;
  readonly #onChange: () => void;
  #clientAuthorities: CaBundle | undefined;
  #requestHeader: RequestHeaderSettings | undefined;

  constructor(parts: ClusterAuthenticationParts, onChange: () => void) {
    this.#parts = parts;
    this.#onChange = onChange;
  }

  get clientAuthorities(): CaBundle | undefined {
    return this.#clientAuthorities;
  }

  get requestHeader(): RequestHeaderSettings | undefined {
    return this.#requestHeader;
  }

  /** Reads it once. Rejects when it cannot be read; that there is none yet is no error. */
  async load(): Promise<void> {
    const { client, clock } = this.#parts;
    const configMaps = client.clientFor(resources.configMaps);
    try {
      const ref = { namespace: NAMESPACE, name: NAME };
      const read = async (signal: AbortSignal): Promise<ConfigMap> => configMaps.get(ref, {}, signal);
      this.#apply(
        await withDeadline(clock, { limitMs: FIRST_READ_LIMIT_MS, what: CLUSTER_AUTHENTICATION }, read),
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** Follows it until the signal aborts. */
  follow(signal: AbortSignal): void {
    const { client, log } = this.#parts;
    const informers = new SharedInformerFactory({ ...this.#parts, clients: client, name: "authentication" });
    const informer = informers.informer(resources.configMaps, {
      namespace: NAMESPACE,
      fieldSelector: `metadata.name=${NAME}`,
    });
    const apply = (configMap: ConfigMap): void => {
      try {
        if (this.#apply(configMap)) log.info("Loaded the authentication settings of the cluster");
      } catch (error) {
        log.error(error, `${CLUSTER_AUTHENTICATION} cannot be used; what was read before stays`);
      }
    };
    informer.addHandler({ onAdd: apply, onUpdate: (_, after) => apply(after) });
    informers.start(signal);
  }

  /** Whether anything has changed. Throws when a part of it cannot be used, and then changes nothing. */
  #apply({ data = {} }: ConfigMap): boolean {
    const client = bundleOf(data["client-ca-file"], this.#clientAuthorities);
    const proxies = bundleOf(data["requestheader-client-ca-file"], this.#requestHeader?.authorities);
    const list = (key: string): readonly string[] => stringsOf(data[`requestheader-${key}`], key);
    const requestHeader = proxies && {
      authorities: proxies,
      allowedNames: list("allowed-names"),
      usernameHeaders: list("username-headers"),
      uidHeaders: list("uid-headers"),
      groupHeaders: list("group-headers"),
      extraHeaderPrefixes: list("extra-headers-prefix"),
    };
    const before = fingerprint(this.#clientAuthorities, this.#requestHeader);
    if (fingerprint(client, requestHeader) === before) return false;
    this.#clientAuthorities = client;
    this.#requestHeader = requestHeader;
    this.#onChange();
    return true;
  }
}

function fingerprint(client: CaBundle | undefined, requestHeader: RequestHeaderSettings | undefined): string {
  return JSON.stringify([
    client?.pem,
    requestHeader && { ...requestHeader, authorities: requestHeader.authorities.pem },
  ]);
}

/** An entry that is missing or empty leaves the bundle as it was: nobody can have meant to trust no one. */
function bundleOf(pem: string | undefined, before: CaBundle | undefined): CaBundle | undefined {
  return pem === undefined || pem === "" ? before : new CaBundle(pem);
}

function stringsOf(json: string | undefined, key: string): readonly string[] {
  if (json === undefined || json === "") return [];
  const values: unknown = parseJson(json);
  if (values === null) return [];
  if (Array.isArray(values) && values.every((value) => typeof value === "string")) return values;
  throw new Error(`requestheader-${key} is not a list of strings`);
}

import { X509Certificate } from "node:crypto";
import type { Json } from "../../api/json.ts";
import type { WebhookClientConfig } from "../../api/types/admissionregistration-v1.gen.ts";
import type { Clock } from "../../clock/clock.ts";
import type { Random } from "../../clock/random.ts";
import { withDeadline } from "../../clock/wait.ts";
import type { ClusterReader } from "../admission/cluster-reader.ts";
import { callFailure } from "./call-failure.ts";
import { requireReview, type ReviewKind } from "./review-reply.ts";
import { serviceEndpoint } from "./service-endpoint.ts";
import { WebhookCallError } from "./webhook-call-error.ts";
import type { WebhookReply, WebhookTarget, WebhookTransport } from "./webhook-transport.ts";

export interface WebhookClientOptions {
  readonly reader: ClusterReader;
  readonly clock: Clock;
  readonly random: Random;
  readonly transport: WebhookTransport;
}

/** One question. */
export interface WebhookQuestion {
  readonly config: WebhookClientConfig;
  readonly review: Json;
  readonly kind: ReviewKind;
  readonly timeoutSeconds: number;
}

const HTTPS_PORT = 443;

/** Asks webhooks, wherever their configuration says they are. */
export class WebhookClient {
  readonly #options: WebhookClientOptions;

  constructor(options: WebhookClientOptions) {
    this.#options = options;
  }

  /** The review with its response. Throws a WebhookCallError, whatever goes wrong. */
  async ask({ config, review, kind, timeoutSeconds }: WebhookQuestion): Promise<Json> {
    const ca = authorityOf(config);
    const url = urlOf(config, timeoutSeconds);
    let reply: WebhookReply;
    try {
      const target = { ...this.#placeOf(config, url), url, ca };
      const { clock, transport } = this.#options;
      reply = await withDeadline(
        clock,
        { limitMs: timeoutSeconds * 1_000, what: "a webhook" },
        async (signal) => transport.post(target, JSON.stringify(review), signal),
      );
    } catch (error) {
      const where = config.service === undefined ? String(url) : serviceUrl(config.service, url);
      throw failed(`Post ${JSON.stringify(where)}: ${callFailure(error, url)}`, error);
    }
    return requireReview(reply, kind);
  }

  #placeOf(config: WebhookClientConfig, url: URL): Pick<WebhookTarget, "host" | "port" | "serverName"> {
    const { service } = config;
    const serverName = url.hostname.replace(/^\[(.*)\]$/, "$1");
    const port = url.port === "" ? HTTPS_PORT : Number(url.port);
    if (service === undefined) return { host: serverName, port, serverName };
    const { reader, random } = this.#options;
    return { ...serviceEndpoint(reader, random, { ...service, port }), serverName };
  }
}

function urlOf({ url, service }: WebhookClientConfig, timeoutSeconds: number): URL {
  const text =
    service === undefined
      ? (url ?? "")
      : `https://${service.name}.${service.namespace}.svc:${service.port ?? HTTPS_PORT}${service.path || "/"}`;
  const parsed = new URL(text);
  // upstream: client-go/rest/request.go#NewRequest joins the parts of paths anew.
  parsed.pathname = parsed.pathname.replaceAll(/\/+/g, "/").replace(/(.)\/$/, "$1");
  parsed.searchParams.set("timeout", `${timeoutSeconds}s`);
  return parsed;
}

/** A URL says nothing of the port that goes without saying; Go's client does. */
function serviceUrl({ port }: NonNullable<WebhookClientConfig["service"]>, url: URL): string {
  return `https://${url.hostname}:${port ?? HTTPS_PORT}${url.pathname}${url.search}`;
}

/** PEM; blank is none. */
function authorityOf({ caBundle = "" }: WebhookClientConfig): string | undefined {
  const pem = Buffer.from(caBundle, "base64").toString();
  if (pem.trim() === "") return undefined;
  try {
    firstCertificate(pem);
    return pem;
  } catch (error) {
    const problem =
      "could not get REST client: unable to load root certificates: unable to parse bytes as PEM block";
    throw new WebhookCallError(problem, error);
  }
}

/** Throws where there is none. */
const firstCertificate = (pem: string): X509Certificate => new X509Certificate(pem);

function failed(message: string, cause: unknown): WebhookCallError {
  return new WebhookCallError(`failed to call webhook: ${message}`, cause);
}

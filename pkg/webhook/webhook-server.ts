import type { IncomingMessage } from "node:http";
import { messageOf } from "../api/errors.ts";
import { resources } from "../api/resources.ts";
import type { ClientSet } from "../client/client-set.ts";
import type { Clock } from "../clock/clock.ts";
import { sleep } from "../clock/wait.ts";
import type { Logger } from "../log/logger.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { type AnswerOptions, DEFAULT_LIMITS, type Limits, RequestAnswerer } from "./answer-request.ts";
import { type WebhookAddress, webhookConfigurations } from "./configurations.ts";
import { HttpsListener } from "./https-listener.ts";
import { injectAuthorities } from "./inject-authorities.ts";
import { refusal, type Reply } from "./reply.ts";
import { ServingCertificate } from "./serving-certificate.ts";
import { SharedAuthority } from "./shared-authority.ts";
import type { AnyWebhook } from "./webhook.ts";
import { WebhookMetrics } from "./webhook-metrics.ts";

export interface WebhookServerOptions {
  /** Of the configurations, and the beginning of that of the Secret. */
  readonly name: string;
  readonly webhooks: readonly AnyWebhook[];
  readonly client: ClientSet;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Where the Secret is kept. */
  readonly namespace: string;
  /** Where API servers find the webhooks. */
  readonly address: WebhookAddress;
  /** Where this server listens: on all addresses, port 9443. */
  readonly listen?: { readonly host?: string; readonly port?: number };
  /** Whether the configurations are written as well; else they only get the certificates. */
  readonly install?: boolean;
  readonly limits?: Partial<Limits>;
}

const USUAL_PORT = 9_443;
/** How often certificates and configurations are looked after. */
const ROUND_MS = 60_000;
const RETRY_MS = 5_000;

/** Serves webhooks over TLS, with certificates that it makes and renews, and that it tells API servers to trust. */
export class WebhookServer {
  readonly #options: WebhookServerOptions;
  readonly #answerer: RequestAnswerer;
  readonly #metrics: WebhookMetrics;
  readonly #authority: SharedAuthority;
  readonly #certificate: ServingCertificate;
  #listener: HttpsListener | undefined;
  #lacks: readonly string[] = ["the certificates are not made yet"];

  constructor(options: WebhookServerOptions) {
    const { name, webhooks, client, clock, metrics, namespace, address, limits } = options;
    const log = options.log.child({ component: "webhook" });
    this.#options = { ...options, log };
    const answering: AnswerOptions = { webhooks, clock, log, limits: { ...DEFAULT_LIMITS, ...limits } };
    this.#answerer = new RequestAnswerer(answering);
    this.#metrics = new WebhookMetrics(metrics, clock);
    this.#authority = new SharedAuthority({ client, clock, log, namespace, name: `${name}-webhook-ca` });
    this.#certificate = new ServingCertificate(clock, hostsOf(address));
  }

  /** 0 while nobody listens. */
  get port(): number {
    return this.#listener?.port ?? 0;
  }

  /** What is missing before API servers can ask; none when all is well. */
  get lacks(): readonly string[] {
    return this.#lacks;
  }

  /** Serves until the signal aborts, and resolves when the last request is answered. Rejects when the port is taken. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) await this.#round(signal);
    } finally {
      await this.#listener?.close();
      this.#listener = undefined;
    }
  }

  async #round(signal: AbortSignal): Promise<void> {
    let waitMs = ROUND_MS;
    const problems: string[] = [];
    try {
      const { current, bundle } = await this.#authority.authorities(signal);
      // API servers trust a new authority before they meet its certificates.
      problems.push(...(await this.#tell(Buffer.from(bundle).toString("base64"), signal)));
      const pair = await this.#certificate.renewed(current);
      if (pair !== undefined) this.#listener?.use(pair);
    } catch (error) {
      if (signal.aborted) return;
      this.#options.log.error(error, "The certificates of the webhooks cannot be looked after");
      problems.push(`the certificates cannot be looked after: ${messageOf(error)}`);
    }
    await this.#listen();
    this.#lacks = problems;
    if (problems.length > 0) waitMs = RETRY_MS;
    await sleep(this.#options.clock, waitMs, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  async #listen(): Promise<void> {
    const { pair } = this.#certificate;
    if (this.#listener !== undefined || pair === undefined) return;
    const { clock, log, listen: { host = "::", port = USUAL_PORT } = {} } = this.#options;
    this.#listener = await HttpsListener.start({
      host,
      port,
      clock,
      log,
      pair,
      answer: async (request, signal) => this.#answer(request, signal),
    });
    log.info("Serving webhooks", { port: this.#listener.port, paths: this.#answerer.paths });
  }

  async #tell(caBundle: string, signal: AbortSignal): Promise<readonly string[]> {
    const { name, webhooks, client, address, install = false } = this.#options;
    if (install) {
      const { mutating, validating } = webhookConfigurations({ name, webhooks, address, caBundle });
      const options = { fieldManager: name, force: true };
      if (mutating !== undefined)
        await client.clientFor(resources.mutatingWebhookConfigurations).apply(mutating, options, signal);
      if (validating !== undefined)
        await client.clientFor(resources.validatingWebhookConfigurations).apply(validating, options, signal);
    }
    return injectAuthorities({ client, name, webhooks, caBundle }, signal);
  }

  async #answer(request: IncomingMessage, signal: AbortSignal): Promise<Reply> {
    const path = (request.url ?? "").split("?")[0] ?? "";
    if (path === "/healthz" || path === "/livez") return { status: 200, body: { status: "ok" } };
    if (path === "/readyz")
      return this.#lacks.length === 0
        ? { status: 200, body: { status: "ok" } }
        : refusal(503, this.#lacks.join("; "));
    if (!this.#answerer.paths.includes(path)) return refusal(404, `there is no webhook at ${path}`);
    return this.#metrics.counted(path, async () => {
      const reply = await this.#answerer.answer(request, signal);
      return reply ?? refusal(404, `there is no webhook at ${path}`);
    });
  }
}

/** The names under which API servers ask. */
function hostsOf(address: WebhookAddress): readonly string[] {
  if ("url" in address) return [new URL(address.url).hostname.replace(/^\[(.*)\]$/, "$1")];
  const { namespace, name } = address.service;
  return [`${name}.${namespace}.svc`, `${name}.${namespace}.svc.cluster.local`];
}

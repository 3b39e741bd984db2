import type { X509Certificate } from "node:crypto";
import type { Socket } from "node:net";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Clock } from "../../../../pkg/clock/clock.ts";
import type { Logger } from "../../../../pkg/log/logger.ts";
import type { Attempt, Authorizer, Decision } from "../../../../pkg/manager/access/authorizer.ts";
import { endHttp2ConnectionAfter, peerCertificates, type PeerRequest, peerRequest } from "../peer-request.ts";
import { NO_SNIFF, replyFailure, replyText } from "../reply.ts";
import type { AccessMetrics } from "../server-metrics.ts";
import { isAnonymous, type User } from "../../../../pkg/manager/access/user.ts";

export interface AccessControlOptions {
  readonly authenticate: (request: PeerRequest) => Promise<User>;
  readonly authorize: Authorizer;
  readonly metrics: AccessMetrics;
  readonly clock: Clock;
  readonly log: Logger;
  /** UnauthenticatedHTTP2DOSMitigation */
  readonly endStrangersConnections: boolean;
}

/** Answers requests of those who are not who they say, or may not do what they ask; passes on all others. */
export class AccessControl {
  readonly #options: AccessControlOptions;
  /** A connection keeps its certificates for life. */
  readonly #certificates = new WeakMap<Socket, readonly X509Certificate[]>();

  constructor(options: AccessControlOptions) {
    this.#options = options;
  }

  /** Resolves to true when the request may go on; otherwise it has been answered. */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const user = await this.#userOf(request);
    if (this.#options.endStrangersConnections && (user === undefined || isAnonymous(user))) {
      endHttp2ConnectionAfter(request.raw, reply.raw);
    }
    if (user === undefined) {
      await replyFailure(reply, { message: "Unauthorized", reason: "Unauthorized", code: 401 });
      return false;
    }
    const attempt = { user, verb: request.method.toLowerCase(), path: pathOf(request.url) };
    const decision = await this.#decide(attempt);
    if (decision instanceof Error) {
      const text = `Internal Server Error: ${JSON.stringify(request.url)}: ${decision.message}\n`;
      await replyText(reply, 500, escaped(text));
      return false;
    }
    if (decision.result === "allowed") return true;
    this.#options.log.verbose(4, "Forbidden", { URI: request.url, reason: decision.reason });
    await replyFailure(reply.header(...NO_SNIFF), forbidden(attempt, decision));
    return false;
  }

  async #userOf(request: FastifyRequest): Promise<User | undefined> {
    const { authenticate, clock, metrics, log } = this.#options;
    const startMs = clock.monotonicMs();
    try {
      const { rawHeaders, socket } = request.raw;
      const user = await authenticate(peerRequest(rawHeaders, this.#certificatesOf(socket)));
      metrics.authentication("success", clock.monotonicMs() - startMs, user.name);
      return user;
    } catch (error) {
      metrics.authentication("error", clock.monotonicMs() - startMs);
      log.error(error, "Unable to authenticate the request");
      return undefined;
    }
  }

  #certificatesOf(socket: Socket): readonly X509Certificate[] {
    const known = this.#certificates.get(socket) ?? peerCertificates(socket);
    this.#certificates.set(socket, known);
    return known;
  }

  async #decide(attempt: Attempt): Promise<Decision | Error> {
    const { authorize, clock, metrics, log } = this.#options;
    const startMs = clock.monotonicMs();
    try {
      const decision = await authorize(attempt);
      metrics.authorization(decision.result, clock.monotonicMs() - startMs);
      return decision;
    } catch (error) {
      metrics.authorization("error", clock.monotonicMs() - startMs);
      log.error(error, "Unable to authorize the request", { path: attempt.path });
      return error instanceof Error ? error : new Error(String(error), { cause: error });
    }
  }
}

/** The decoded path, as policies name it. The router has refused what cannot be decoded. */
export function pathOf(url: string): string {
  return decodeURIComponent(url.split(/[?#]/, 1)[0] ?? "");
}

function forbidden(
  { user, verb, path }: Attempt,
  { reason = "" }: Decision,
): Parameters<typeof replyFailure>[1] {
  const message = `User ${JSON.stringify(user.name)} cannot ${verb} path ${JSON.stringify(path)}`;
  return {
    message: `forbidden: ${escaped(message)}${reason === "" ? "" : `: ${reason}`}`,
    reason: "Forbidden",
    details: {},
    code: 403,
  };
}

/** What a client wrote must not become markup where somebody looks at the answer. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

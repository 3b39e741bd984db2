import { messageOf } from "../../api/errors.ts";
import type { BuiltInResource } from "../../api/resource.ts";
import { allResources, isServedByDefault } from "../../api/resources.ts";
import type { Clock } from "../../clock/clock.ts";
import type { Random } from "../../clock/random.ts";
import { type Logger, silentLogger } from "../../log/logger.ts";
import type { KindRules } from "../kinds/kind.ts";
import type { ExposedMetrics } from "../../metrics/registry.ts";
import { Store } from "../storage/store.ts";
import {
  type AccessRequest,
  type Authenticator,
  type Authorizer,
  everybodyIsAdmin,
  everythingIsAllowed,
  type UserInfo,
} from "./access.ts";
import { type Admission, admitEverything } from "./admission.ts";
import { type Call, makeCall, type ServerParts } from "./call.ts";
import { bucketOf, type ComputedResource, servedComputed } from "./computed-resource.ts";
import { handlerOf, verbOf } from "./dispatch.ts";
import { DisconnectError, Faults } from "./faults.ts";
import { deprecationsOf } from "./deprecations.ts";
import { parseImpersonation } from "./impersonation.ts";
import { needsCreate } from "./pod-connect.ts";
import type { PodProcesses } from "./pod-processes.ts";
import { Registry } from "./registry.ts";
import type { ApiRequest, ApiResponse } from "./request.ts";
import { namedBySelector, parseResourcePath, type RequestInfo } from "./request-info.ts";
import { RequestMetrics, type RoutedRequest } from "./request-metrics.ts";
import type { VirtualHandlers } from "./virtual-handlers.ts";
import { acceptedType } from "./negotiate.ts";
import { checkTimeout } from "./query-options.ts";
import { forbidden, internalError, noSuchResource, StatusError, unauthorized } from "./status-error.ts";
import { warningLines } from "./warning-headers.ts";

export interface ApiServerOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly log?: Logger;
  /** An empty one in memory when left out. */
  readonly store?: Store;
  /** The built-in resources; what every server of the newest release serves when left out. */
  readonly served?: readonly BuiltInResource[];
  /** Rules of the built-in kinds; a kind without rules is served with plain ones. */
  readonly kinds?: readonly KindRules[];
  readonly authenticator?: Authenticator;
  readonly authorizer?: Authorizer;
  readonly admission?: Admission;
  /** Who answers creates that store nothing; such resources without a handler answer 405. */
  readonly virtual?: VirtualHandlers;
  /** What is behind pods; without it their logs and processes are refused. */
  readonly processes?: PodProcesses;
  /** Served beside the built-in resources, as by an aggregated API server. */
  readonly computed?: readonly ComputedResource[];
  /** Counts requests and stored objects, and shows them at /metrics. */
  readonly metrics?: ExposedMetrics;
  /** Answers for what is not a resource: discovery, health, OpenAPI. Undefined: not theirs. */
  readonly documents?: DocumentSource;
}

/** Work of the server itself, beside requests. */
export interface ServerService {
  start(): void;
  stop(): void;
  /** Resolves when what a write to this bucket set in motion is done; the writer's answer waits for that. */
  settled(bucket: string): Promise<void> | undefined;
}

/** What was found out about a request on its way. */
interface Seen {
  routed?: RoutedRequest;
  /** It is known who asks, and that they may. */
  admitted?: true;
  /** What there is to be warned of the resource. */
  deprecations?: readonly string[];
}

export type DocumentSource = (server: ServerParts, request: ApiRequest) => ApiResponse | undefined;

const MANY_CAUSES = 1_000;
const readVerbs = new Set(["get", "list", "watch"]);

/** The Kubernetes API without a network: a request in, an answer out. */
export class ApiServer {
  readonly parts: ServerParts;
  readonly #log: Logger;
  readonly #authenticator: Authenticator;
  readonly #authorizer: Authorizer;
  readonly #documents: DocumentSource;
  readonly #metrics: RequestMetrics | undefined;
  readonly #services: ServerService[] = [];
  #crashed = false;

  constructor(options: ApiServerOptions) {
    const { clock, random } = options;
    const served = options.served ?? allResources().filter(isServedByDefault);
    this.#log = options.log ?? silentLogger;
    this.#authenticator = options.authenticator ?? everybodyIsAdmin;
    this.#authorizer = options.authorizer ?? everythingIsAllowed;
    this.#documents = options.documents ?? (() => undefined);
    this.parts = {
      clock,
      random,
      store: options.store ?? new Store({ clock }),
      registry: new Registry(served, options.kinds ?? []),
      admission: options.admission ?? admitEverything,
      faults: new Faults(clock),
      virtual: options.virtual ?? {},
      processes: options.processes,
      computed: new Map(options.computed?.map((computed) => [bucketOf(computed), computed])),
    };
    this.#metrics = options.metrics && new RequestMetrics(options.metrics, this.parts);
    for (const computed of options.computed ?? []) {
      const { group, version, plural } = computed.resource;
      // A built-in kind is served as such; only its objects come from elsewhere.
      if (this.parts.registry.find(group, version, plural) === undefined)
        this.parts.registry.replaceCustom(group, plural, [servedComputed(computed)]);
    }
  }

  addService(service: ServerService): void {
    this.#services.push(service);
    service.start();
  }

  /** Ends the services and the storage. Requests end on their own, or by their signals. */
  async close(): Promise<void> {
    for (const service of this.#services) service.stop();
    await this.parts.store.close();
  }

  /** As when the process is killed: watches break off, and nobody gets an answer until `restart`. */
  crash(): void {
    this.#crashed = true;
    this.parts.faults.dropWatches();
  }

  /** What was stored is there again; the history for watches is not. */
  restart(): void {
    this.#crashed = false;
    this.parts.store.compact();
  }

  /** Every failure is an answer, except a DisconnectError, which stands for no answer at all. */
  async handle(request: ApiRequest): Promise<ApiResponse> {
    if (this.#crashed) throw new DisconnectError("refused");
    if (this.#metrics === undefined) return this.#answer(request, {});
    const end = this.#metrics.begin(request);
    const seen: Seen = {};
    let response: ApiResponse | undefined;
    try {
      response = await this.#answer(request, seen);
      return response;
    } finally {
      end(response, seen.routed);
    }
  }

  async #answer(request: ApiRequest, seen: Seen): Promise<ApiResponse> {
    const warnings: string[] = [];
    try {
      const response = await this.#route(request, warnings, seen);
      return warnings.length === 0 ? response : withWarnings(response, warnings);
    } catch (error) {
      if (error instanceof DisconnectError) throw error;
      const failure = this.#failure(request, error);
      // A refusal can be longer than what is refused.
      const { causes = [] } = error instanceof StatusError ? (error.status.details ?? {}) : {};
      if (causes.length >= MANY_CAUSES) await this.parts.clock.turn();
      const isNegotiated =
        seen.admitted || acceptedType(request.headers["accept"], true, true) !== "application/json";
      const told = isOfRouter(error)
        ? warnings.filter((one) => seen.deprecations?.includes(one) !== true)
        : warnings;
      return withWarnings(isNegotiated ? failure : inJson(failure), told);
    }
  }

  #failure(request: ApiRequest, error: unknown): ApiResponse {
    if (!(error instanceof StatusError)) {
      this.#log.error(error, "request failed", { method: request.method, path: request.path });
      return statusResponse(internalError(messageOf(error), error));
    }
    return statusResponse(error);
  }

  async #route(request: ApiRequest, warnings: string[], seen: Seen): Promise<ApiResponse> {
    checkTimeout(request.query);
    const user = await this.#userOf(request);
    const info = parseResourcePath(request.path);
    const served =
      info === undefined ? undefined : this.parts.registry.find(info.group, info.version, info.plural);
    if (info === undefined || served === undefined) return this.#document(request, user, info);

    const verb = verbOf(request, info);
    // What clients make up is not counted: there is no end of it.
    const [subresource = ""] = info.subresource.split("/");
    if (subresource === "" || served.subresources.has(subresource))
      seen.routed = { verb, info: { ...info, subresource } };
    await this.#authorize(user, verb, request.path, namedBySelector(info, verb, request.query));
    if (needsCreate(info.subresource)) await this.#authorizeSession(user, request.path, info);
    seen.admitted = true;
    seen.deprecations = deprecationsOf(served.resource);
    warnings.push(...seen.deprecations);
    const call = makeCall(this.parts, { request, verb, info, served, user, warnings });
    await this.parts.faults.before(call.subject, request.signal);
    const response = await handled(call);
    if (this.#crashed) throw new DisconnectError("acted");
    if (!readVerbs.has(verb)) {
      for (const service of this.#services) {
        const settled = service.settled(served.bucket);
        if (settled !== undefined) await settled;
      }
    }
    this.parts.faults.after(call.subject);
    // Whoever sends the answer has to encode it.
    await call.turns.step();
    return response;
  }

  /** Who asks, or whom they may ask in the name of. */
  async #userOf(request: ApiRequest): Promise<UserInfo> {
    const user = request.user ?? (await this.#authenticator.authenticate(request.headers));
    if (user === undefined) throw unauthorized();
    const impersonation = parseImpersonation(request.headers);
    if (impersonation === undefined) return user;
    for (const need of impersonation.needs) await this.#authorize(user, "impersonate", request.path, need);
    return impersonation.user;
  }

  async #document(request: ApiRequest, user: UserInfo, info: RequestInfo | undefined): Promise<ApiResponse> {
    const verb = info === undefined ? request.method.toLowerCase() : verbOf(request, info);
    await this.#authorize(user, verb, request.path, info);
    if (request.path === "/metrics" && request.method === "GET" && this.#metrics !== undefined)
      return this.#metrics.expose();
    const document = this.#documents(this.parts, request);
    if (document !== undefined) return document;
    const [, root = "", group = ""] = request.path.split("/");
    const isKnown =
      info === undefined
        ? root === "api" || (root === "apis" && this.parts.registry.hasGroup(group))
        : this.parts.registry.hasGroupVersion(info.group, info.version);
    if (isKnown) throw noSuchResource();
    const headers = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };
    return { status: 404, headers, body: { kind: "text", text: "404 page not found\n" } };
  }

  /** WebSockets are opened by GET. upstream: pkg/registry/core/pod/rest/subresources.go#ensureAuthorizedForVerb */
  async #authorizeSession(user: UserInfo, path: string, info: RequestInfo): Promise<void> {
    const decision = await this.#authorizer.authorize({ user, verb: "create", path, resource: info });
    if (!decision.allowed) throw forbidden(info, info.name, decision.reason);
  }

  async #authorize(user: UserInfo, verb: string, path: string, info: RequestInfo | undefined): Promise<void> {
    const access = { user, verb, path, ...(info === undefined ? {} : { resource: inOwnNamespace(info) }) };
    const decision = await this.#authorizer.authorize(access);
    if (!decision.allowed) throw accessDenied(access, decision.reason);
  }
}

/** What has no route is not known to be deprecated. */
function isOfRouter(error: unknown): boolean {
  return error instanceof StatusError && (error.code === 405 || error.message.startsWith("406: "));
}

async function handled(call: Call): Promise<ApiResponse> {
  try {
    return await handlerOf(call)(call);
  } finally {
    call.scope.end();
  }
}

/** A namespace that the path names lies in itself: roles there can be about it. */
function inOwnNamespace(info: RequestInfo): RequestInfo {
  const isNamespace = info.group === "" && info.plural === "namespaces" && info.bySelector !== true;
  return isNamespace ? { ...info, namespace: info.name } : info;
}

function accessDenied(access: AccessRequest, reason: string): StatusError {
  const { user, verb, path, resource: info } = access;
  const who = `User ${JSON.stringify(user.username)} cannot ${verb}`;
  const because = reason === "" ? "" : `: ${reason}`;
  if (info === undefined) {
    const message = `forbidden: ${who} path ${JSON.stringify(path)}${because}`;
    return new StatusError(403, "Forbidden", message, { details: {} });
  }
  const what = info.subresource === "" ? info.plural : `${info.plural}/${info.subresource}`;
  const scope =
    info.namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(info.namespace)}`;
  const why = `${who} resource ${JSON.stringify(what)} in API group ${JSON.stringify(info.group)} ${scope}${because}`;
  return forbidden(info, info.name, why);
}

export function statusResponse(error: StatusError): ApiResponse {
  // Clients repeat requests by themselves when there is this header: an eviction that a budget forbids must not have it.
  const { retryAfterSeconds = 0 } = error.status.details ?? {};
  const headers = retryAfterSeconds > 0 ? { "retry-after": String(retryAfterSeconds) } : {};
  return { status: error.code, headers, body: { kind: "object", value: error.status } };
}

function inJson(response: ApiResponse): ApiResponse {
  return { ...response, headers: { "content-type": "application/json", ...response.headers } };
}

function withWarnings(response: ApiResponse, warnings: readonly string[]): ApiResponse {
  if (warnings.length === 0) return response;
  return { ...response, headers: { ...response.headers, warning: warningLines(warnings) } };
}

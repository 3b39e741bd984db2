import type { KeyObject } from "node:crypto";
import { type ClientBuilder, clientBuilder, type Transports } from "../client/client-builder.ts";
import type { ClientSet } from "../client/client-set.ts";
import type { Clock } from "../clock/clock.ts";
import { silentLogger } from "../log/logger.ts";
import { noMetrics } from "../metrics/metrics.ts";
import { createMetrics } from "../metrics/registry.ts";
import type { ControllerDescriptor } from "../controller/env.ts";
import { accessControl } from "../apiserver/access-control.ts";
import { builtInAdmission } from "../apiserver/admission/built-in-admission.ts";
import { createBootstrapObjects } from "../apiserver/bootstrap.ts";
import { NEWEST_MINOR } from "../apiserver/discovery/release.ts";
import { DirectTransport } from "../apiserver/direct-transport.ts";
import { HollowProcesses } from "./hollow/hollow-processes.ts";
import { metricsApi } from "./metrics/metrics-api.ts";
import { settableMetrics } from "./metrics/settable-metrics.ts";
import type { ComputedResource } from "../apiserver/server/computed-resource.ts";
import { componentStatuses } from "./component-statuses.ts";
import { HttpsWebhookTransport } from "../apiserver/webhook-client/webhook-transport.ts";
import { HttpServer, type HttpServerOptions } from "../apiserver/http/http-server.ts";
import { adminUser, type UserInfo } from "../apiserver/server/access.ts";
import type { ApiServer, DocumentSource } from "../apiserver/server/api-server.ts";
import { serverDocuments } from "../apiserver/discovery/documents.ts";
import { type EmbeddedOptions, embeddedServer } from "../apiserver/embedded-server.ts";
import { Store } from "../apiserver/storage/store.ts";

export interface ClusterServerOptions extends Pick<
  EmbeddedOptions,
  "clock" | "random" | "log" | "store" | "kubernetesMinor" | "eventTtlMs" | "webhooks" | "runtimeConfig"
> {
  /** Those that work in this cluster, or will. */
  readonly controllers?: readonly Pick<ControllerDescriptor, "name">[];
  /** How many hollow nodes; 0 or absent: none, and no scheduler. */
  readonly nodes?: number;
  /** Everybody is the administrator; otherwise users are known by certificates and tokens, and roles tell what they may. */
  readonly insecure?: boolean;
  /** An RSA key that signs the tokens of service accounts; without it there are none. */
  readonly serviceAccountKey?: KeyObject;
  /** Without it there are only clients in this process. */
  readonly listen?: Omit<HttpServerOptions, "server" | "log">;
}

/** Whose deprecations of metrics apply. */
const METRICS_VERSION = "1.36.4";
/** Of Services; and of pods, as far as Services leave them: each node has 256 addresses. */
export const SERVICE_CIDR = "10.96.0.0/16";
export const POD_CIDR = "10.0.0.0/8";

/** The API server of a cluster, with what every cluster has: what programs of the control plane work on. */
export class ClusterServer {
  readonly server: ApiServer;
  readonly http: HttpServer | undefined;
  /** Clients in this process: the administrator for "admin", or the component or controller of that name. */
  readonly clients: ClientBuilder;

  private constructor(server: ApiServer, http: HttpServer | undefined, clients: ClientBuilder) {
    this.server = server;
    this.http = http;
    this.clients = clients;
  }

  /** Resolves once the API is there; rejects when it cannot listen. */
  static async start(options: ClusterServerOptions): Promise<ClusterServer> {
    const server = apiServer(options);
    const log = options.log ?? silentLogger;
    let http: HttpServer | undefined;
    try {
      if (options.listen !== undefined) http = await HttpServer.start({ ...options.listen, server, log });
      const clients = inProcessClients(server, options.clock);
      const bootstrap = {
        port: http?.port ?? 443,
        serviceAccounts: usesServiceAccounts(options),
        tokenUses: usesServiceAccounts(options) || http !== undefined,
        nowMs: options.clock.nowMs(),
        ...(options.runtimeConfig === undefined ? {} : { runtimeConfig: options.runtimeConfig }),
      };
      await createBootstrapObjects(clients.client("admin"), bootstrap);
      return new ClusterServer(server, http, clients);
    } catch (error) {
      await http?.close();
      await server.close();
      throw error;
    }
  }

  client(name: string): ClientSet {
    return this.clients.client(name);
  }

  /** Resolves when all is written and the port is free. */
  async close(): Promise<void> {
    await this.clients.close();
    await this.http?.close();
    await this.server.close();
  }
}

/** As test servers of other makes do it: where nobody creates the accounts, pods need none. */
function usesServiceAccounts({ controllers = [] }: ClusterServerOptions): boolean {
  return controllers.some(({ name }) => name === "serviceaccount-controller");
}

function computedOf(
  { clock, controllers = [], nodes = 0 }: ClusterServerOptions,
  store: Store,
): readonly ComputedResource[] {
  const statuses = componentStatuses({ scheduler: nodes > 0, controllers: controllers.length > 0 });
  return nodes === 0 ? [statuses] : [statuses, ...metricsApi(store, clock)];
}

function apiServer(options: ClusterServerOptions): ApiServer {
  const { clock, random, store = new Store({ clock }), insecure = false } = options;
  const { kubernetesMinor = NEWEST_MINOR, webhooks = new HttpsWebhookTransport() } = options;
  const serviceAccounts = usesServiceAccounts(options);
  const { rbac, ...access } = accessControl({ ...options, store, insecure });
  return embeddedServer({
    clock,
    random,
    store,
    processes: new HollowProcesses(clock),
    computed: computedOf(options, store),
    ...(options.nodes !== undefined && { documents: documentsOf(store, clock, kubernetesMinor) }),
    kubernetesMinor,
    ...(options.runtimeConfig === undefined ? {} : { runtimeConfig: options.runtimeConfig }),
    admission: builtInAdmission({
      clock,
      random,
      store,
      serviceCidr: SERVICE_CIDR,
      serviceAccounts,
      rbac,
      webhooks,
      log: options.log,
    }),
    webhooks,
    ...access,
    // Nobody else could ask for them.
    ...(options.listen === undefined ? {} : { metrics: createMetrics({ version: METRICS_VERSION }).main }),
    ...(options.eventTtlMs === undefined ? {} : { eventTtlMs: options.eventTtlMs }),
    ...(options.log === undefined ? {} : { log: options.log }),
  });
}

/** Those of every server, and metrics that users set. */
function documentsOf(store: Store, clock: Clock, kubernetesMinor: number): DocumentSource {
  const [usual, metrics] = [serverDocuments(kubernetesMinor), settableMetrics(store, clock)];
  return (server, request) => metrics(server, request) ?? usual(server, request);
}

/** Named as upstream's programs are, which is what managedFields tell of who wrote what. */
type Program =
  | "csi-attacher"
  | "csi-provisioner"
  | "csi-resizer"
  | "kcm"
  | "kube-apiserver"
  | "kube-controller-manager"
  | "kube-scheduler"
  | "kubelet"
  | "metrics-server";

interface Component {
  readonly program: Program;
  readonly user: UserInfo;
}

/** By the names of their clients; every other name is that of a controller's service account. */
const components: Readonly<Record<string, Component>> = {
  admin: { program: "kcm", user: adminUser },
  "kube-controller-manager": component("kube-controller-manager", "system:kube-controller-manager"),
  scheduler: component("kube-scheduler", "system:kube-scheduler"),
  "tokens-controller": component("kube-controller-manager", "system:kube-controller-manager"),
  "hollow-nodes": component("kubelet", "system:hollow-nodes", ["system:masters"]),
  "hollow-metrics": component("metrics-server", "system:hollow-metrics", ["system:masters"]),
  "hollow-devices": component("kubelet", "system:hollow-devices", ["system:masters"]),
  "hollow-attacher": component("csi-attacher", "system:hollow-attacher", ["system:masters"]),
  "hollow-provisioner": component("csi-provisioner", "system:hollow-provisioner", ["system:masters"]),
  "hollow-resizer": component("csi-resizer", "system:hollow-resizer", ["system:masters"]),
  "service-addresses": component("kube-apiserver", "system:apiserver", ["system:masters"]),
};

function component(program: Program, username: string, groups: readonly string[] = []): Component {
  return { program, user: { username, groups: [...groups, "system:authenticated"] } };
}

function componentOf(name: string): Component {
  const known = components[name];
  if (known !== undefined) return known;
  const groups = ["system:serviceaccounts", "system:serviceaccounts:kube-system"];
  return component("kube-controller-manager", `system:serviceaccount:kube-system:${name}`, groups);
}

/** The server trusts its own process: who asks is said, not proven. Each component may do what its role allows. */
function inProcessClients(server: ApiServer, clock: Clock): ClientBuilder {
  const transports: Transports = {
    forClient: (name) => new DirectTransport(server, componentOf(name).user),
    userAgentSuffix: (name) => name,
    close: async () => undefined,
  };
  const limits = { qps: UNLIMITED, burst: UNLIMITED };
  // All they have to say is what the server warns of, and that it does in this process's own name.
  const parts = { transports, clock, log: silentLogger };
  const builderOf = (userAgent: Program): ClientBuilder =>
    clientBuilder({ ...parts, metrics: noMetrics, host: "in-process", userAgent, ...limits });
  const builders: Readonly<Record<Program, ClientBuilder>> = {
    "csi-attacher": builderOf("csi-attacher"),
    "csi-provisioner": builderOf("csi-provisioner"),
    "csi-resizer": builderOf("csi-resizer"),
    kcm: builderOf("kcm"),
    "kube-apiserver": builderOf("kube-apiserver"),
    "kube-controller-manager": builderOf("kube-controller-manager"),
    "kube-scheduler": builderOf("kube-scheduler"),
    kubelet: builderOf("kubelet"),
    "metrics-server": builderOf("metrics-server"),
  };
  return {
    client: (name, options) => builders[componentOf(name).program].client(name, options),
    close: async () => undefined,
  };
}

const UNLIMITED = 1_000_000;

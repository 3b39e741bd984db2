import { homedir } from "node:os";
import type { Clock } from "../clock/clock.ts";
import { realClock, realEnvironment } from "../clock/real.ts";
import { type Logger, silentLogger } from "../log/logger.ts";
import { type Metrics, noMetrics } from "../metrics/metrics.ts";
import { findAccess } from "./config/access.ts";
import { accessOfKubeConfig, type KubeConfigLike } from "./config/client-node.ts";
import type { Access } from "./config/identity-source.ts";
import type { KubeconfigOptions } from "./config/kubeconfig.ts";
import type { DiscoveryCacheOptions } from "./discovery-file.ts";
import type { ClientSet } from "./client-set.ts";
import type { ClientBuilder, ClientOptions } from "./client-builder.ts";
import { httpClients } from "./http-clients.ts";

/** Which cluster, and as whom; with nothing given the one that kubectl would use. */
export interface ConnectOptions extends KubeconfigOptions {
  /** The path of a kubeconfig, in place of $KUBECONFIG and ~/.kube/config. */
  readonly kubeconfig?: string | undefined;
  /** In place of all kubeconfigs; a KubeConfig of @kubernetes/client-node will do. */
  readonly access?: Access | KubeConfigLike;
  /** How requests name the program. */
  readonly userAgent?: string;
  /** Requests a second, 50 when left out, and how many at once after a rest, 100. Namespaces take turns. */
  readonly qps?: number;
  readonly burst?: number;
  /** Keeps what the server offers on disk, so that the next run need not ask for it: in memory alone when left out. */
  readonly discoveryCache?: DiscoveryCacheOptions;
  readonly clock?: Clock;
  readonly log?: Logger;
  readonly metrics?: Metrics;
  /** The process's own when left out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The clients of one user of one cluster. */
export interface Connected extends ClientSet {
  readonly access: Access;
  /** Where objects are meant to be when nobody says otherwise. */
  readonly namespace: string;
  /** More clients of the same user, with limits or connections of their own. */
  readonly builder: ClientBuilder;
  client(name: string, options?: ClientOptions): ClientSet;
  /** Ends idle connections now, and busy ones when they are done. */
  close(): Promise<void>;
}

const USER_AGENT = "kube-controller-manager-ts";
const QPS = 50;
const BURST = 100;

/** Rejects with a ConfigError for what cannot work. No request is made: the server may be away for now. */
export async function connect(options: ConnectOptions = {}): Promise<Connected> {
  const { env = realEnvironment, clock = realClock, log = silentLogger, metrics = noMetrics } = options;
  const { userAgent = USER_AGENT, qps = QPS, burst = BURST, discoveryCache } = options;
  const access = await accessOf(options, env);
  const limits = { qps, burst };
  const builder = httpClients({ access, clock, log, metrics, env, userAgent, discoveryCache, ...limits });
  const client = (name: string, own?: ClientOptions): ClientSet => builder.client(name, own);
  return {
    ...client("client"),
    access,
    namespace: access.namespace ?? "default",
    builder,
    client,
    close: async () => builder.close(),
  };
}

async function accessOf(
  { access, ...options }: ConnectOptions,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Access> {
  if (access === undefined) return findAccess({ ...options, env, home: env["HOME"] ?? homedir() });
  return "exportConfig" in access ? accessOfKubeConfig(access, options) : access;
}

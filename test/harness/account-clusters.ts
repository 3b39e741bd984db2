import { generateKeyPairSync, createPrivateKey, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import { featureGates } from "../../pkg/api/feature-gates.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { ClientBuilder } from "../../pkg/client/client-builder.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { loadAccess } from "../../pkg/client/config/access.ts";
import type { Access } from "../../pkg/client/config/identity-source.ts";
import { httpClients, serviceAccountClients } from "../../pkg/client/http-clients.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import { seededRandom } from "../../pkg/clock/random.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { EmbeddedCluster } from "../../pkg/cluster/cluster.ts";
import { openGate } from "../../pkg/leader/fence.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { noMetrics } from "../../pkg/metrics/metrics.ts";
import { ControllerSet } from "../../pkg/controller/controller-set.ts";
import type { ControllerDescriptor } from "../../pkg/controller/env.ts";
import { hasRealCluster, startRealCluster } from "./real-cluster.ts";
import { embeddedOptions } from "./servers.ts";
import { TestSpace } from "./test-space.ts";
import { UndeclaredReads } from "./undeclared-reads.ts";

/** What of a cluster's keys its controllers know. */
export interface ClusterKeys {
  /** Signs tokens that the API server takes. */
  readonly tokenKey: KeyObject;
}

export interface AccountClusterKind {
  readonly name: "embedded" | "real";
  /** With the controllers that `make` gives. The flags are for kube-apiserver. */
  start(
    make: (keys: ClusterKeys) => readonly ControllerDescriptor[],
    apiServerFlags?: readonly string[],
  ): Promise<AccountCluster>;
}

/**
 * Clusters as they are meant to be: with roles, tokens and all admission, that of service accounts and quotas included.
 * Each controller is the service account of its name, which may do no more than its role allows.
 */
export const accountClusterKinds: readonly AccountClusterKind[] = [
  { name: "embedded", start: startEmbedded },
  ...(hasRealCluster() ? [{ name: "real", start: startReal } as const] : []),
];

interface Parts {
  readonly admin: ClientSet;
  readonly controllerClients: ClientBuilder;
  readonly informerClient: ClientSet;
  readonly access: Access;
  readonly onStop: () => Promise<void>;
}

export class AccountCluster {
  readonly client: ClientSet;
  readonly #parts: Parts;
  readonly #clients: ClientBuilder[] = [];
  readonly #undeclared = new UndeclaredReads();
  readonly #running: { readonly stop: AbortController; readonly ended: Promise<void> }[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
    this.client = parts.admin;
  }

  /** Runs more controllers; ends them with the function that it gives. */
  run(descriptors: readonly ControllerDescriptor[], clock: Clock = realClock): () => Promise<void> {
    const set = new ControllerSet({
      descriptors,
      clients: this.#parts.controllerClients,
      gate: openGate,
      informerClient: this.#parts.informerClient,
      clock,
      random: seededRandom(1),
      log: silentLogger,
      metrics: noMetrics,
      features: featureGates(),
      name: "test",
      strict: this.#undeclared.note,
    });
    const stop = new AbortController();
    const running = { stop, ended: set.run(stop.signal) };
    this.#running.push(running);
    return async () => {
      stop.abort(new Error("the test is over"));
      await running.ended;
    };
  }

  /** A client that shows this token, and no other credentials; in the name of somebody else, where that is given. */
  clientWith(token: string, inTheNameOf?: string): ClientSet {
    const { server, identity: of } = this.#parts.access;
    const trust = of.ca === undefined ? {} : { ca: of.ca };
    const impersonation = inTheNameOf === undefined ? {} : { impersonation: { user: inTheNameOf } };
    const identity = { ...trust, ...impersonation, token: { data: Buffer.from(token) } };
    const access = { server, identity };
    const clients = httpClients({ ...common, access });
    this.#clients.push(clients);
    return clients.client("token-holder");
  }

  async space(): Promise<TestSpace> {
    const made = await this.client
      .clientFor(resources.namespaces)
      .create({ metadata: { generateName: "test-" } });
    return new TestSpace(this.client, made.metadata.name ?? "");
  }

  /** None of the controllers may have read what it has not declared. */
  async stop(): Promise<void> {
    for (const { stop } of this.#running) stop.abort(new Error("the test is over"));
    await Promise.all(this.#running.map(async ({ ended }) => ended));
    await Promise.all(this.#clients.map(async (clients) => clients.close()));
    await this.#parts.onStop();
    this.#undeclared.check();
  }
}

async function startEmbedded(
  make: (keys: ClusterKeys) => readonly ControllerDescriptor[],
  apiServerFlags: readonly string[] = [],
): Promise<AccountCluster> {
  const tokenKey = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const cluster = await EmbeddedCluster.start({
    clock: realClock,
    random: seededRandom(1),
    controllers: make({ tokenKey }),
    serviceAccountKey: tokenKey,
    ...embeddedOptions(apiServerFlags),
    listen: { port: 0 },
  });
  return new AccountCluster({
    admin: cluster.client("admin"),
    controllerClients: { client: (name) => cluster.client(name), close: async () => undefined },
    informerClient: cluster.client("kube-controller-manager"),
    access: { server: new URL(cluster.http?.url ?? ""), identity: {} },
    onStop: async () => cluster.stop(),
  });
}

async function startReal(
  make: (keys: ClusterKeys) => readonly ControllerDescriptor[],
  apiServerFlags: readonly string[] = [],
): Promise<AccountCluster> {
  const real = await startRealCluster({ apiServerFlags });
  const access = await loadAccess({ kubeconfig: real.kubeconfig, env: {} });
  const options = { ...common, access };
  const admins = httpClients(options);
  const accounts = serviceAccountClients(options, "kube-system");
  const cluster = new AccountCluster({
    admin: admins.client("test"),
    controllerClients: accounts,
    informerClient: admins.client("shared-informers"),
    access,
    onStop: async () => {
      await Promise.all([accounts.close(), admins.close()]);
      await real.stop();
    },
  });
  cluster.run(make({ tokenKey: createPrivateKey(await readFile(real.serviceAccountKeyFile)) }));
  return cluster;
}

const common = {
  clock: realClock,
  log: silentLogger,
  metrics: noMetrics,
  env: {},
  userAgent: "test",
  qps: 100_000,
  burst: 100_000,
};

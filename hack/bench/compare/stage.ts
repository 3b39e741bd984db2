import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ApiObject } from "../../../pkg/api/object.ts";
import type { Resource } from "../../../pkg/api/resource.ts";
import { resourceOfKind, resources } from "../../../pkg/api/resources.ts";
import type { ClientBuilder } from "../../../pkg/client/client-builder.ts";
import type { ClientSet } from "../../../pkg/client/client-set.ts";
import { ApiError } from "../../../pkg/client/errors.ts";
import { clientsOf } from "../../../test/harness/admin-client.ts";
import { HOLLOW_WORLD_FLAGS } from "../../../test/harness/hollow-world.ts";
import {
  freePorts,
  hasRealCluster,
  type RealCluster,
  startRealCluster,
} from "../../../test/harness/real-cluster.ts";
import { until } from "../../../test/harness/until.ts";
import { storeInEtcd } from "./etcd-store.ts";
import { inParallel } from "./in-parallel.ts";

/** A fresh cluster: API server, and hollow nodes with a scheduler in another process. */
export interface Stage {
  readonly kubeconfig: string;
  /** Of the cluster, for managers: files that some controllers need. */
  readonly managerFlags: readonly string[];
  readonly directory: string;
  readonly client: ClientSet;
  /** A share of the full size of a workload, at least one. */
  scaled(count: number): number;
  /** Puts whole objects, status and uid included, where the API server finds them. */
  store(objects: readonly ApiObject[]): Promise<void>;
  stop(): Promise<void>;
}

export interface Surroundings {
  /** Controllers that hollow nodes wait for: without their names volumes are there unattached. */
  readonly nodesAwait?: readonly string[];
  /** How long each answer of etcd takes on its way to the API server: on the disk of this machine none takes any time. */
  readonly storeDelayMs?: number;
  /** Of a real API server, besides those of every workload. */
  readonly apiServerFlags?: readonly string[];
}

interface Server {
  readonly kubeconfig: string;
  readonly managerFlags: readonly string[];
  readonly etcdUrl?: string;
  stop(): Promise<void>;
}

export async function openStage(
  nodes: number,
  scale: number,
  { nodesAwait = [], storeDelayMs = 0, apiServerFlags = [] }: Surroundings = {},
): Promise<Stage> {
  const directory = mkdtempSync(join(tmpdir(), "kcm-compare-"));
  const server = hasRealCluster()
    ? await realServer(storeDelayMs, apiServerFlags)
    : await embeddedServer(directory);
  let clients: ClientBuilder | undefined;
  let plant: ChildProcess | undefined;
  const stop = async (): Promise<void> => {
    if (plant !== undefined) await endProcess(plant);
    await clients?.close();
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    clients = await clientsOf(server.kubeconfig);
    const client = clients.client("user");
    if (nodes > 0) {
      plant = spawn(
        process.execPath,
        // It keeps whole pods, of which there may be 150,000.
        [
          "--max-old-space-size=8192",
          join(import.meta.dirname, "plant.ts"),
          server.kubeconfig,
          String(nodes),
          ...nodesAwait,
        ],
        { stdio: "ignore" },
      );
      const count = async (): Promise<number> =>
        (await client.clientFor(resources.nodes).list()).items.length;
      await until("all nodes are there", async () => (await count()) >= nodes, 300_000, 250);
    }
    const { etcdUrl } = server;
    return {
      kubeconfig: server.kubeconfig,
      managerFlags: server.managerFlags,
      directory,
      client,
      scaled: (count) => Math.max(1, Math.round(count * scale)),
      store: async (objects) => {
        if (etcdUrl === undefined) return storeThroughApi(client, objects);
        await storeInEtcd(etcdUrl, objects);
        await untilServed(client, objects);
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function realServer(storeDelayMs: number, flags: readonly string[]): Promise<Server> {
  const [port = 0] = await freePorts(1);
  let link: ChildProcess | undefined;
  const etcdFor = (etcdUrl: string): string => {
    const args = [port, new URL(etcdUrl).port, storeDelayMs].map(String);
    link = spawn(process.execPath, [join(import.meta.dirname, "slow-link.ts"), ...args], { stdio: "ignore" });
    return `http://127.0.0.1:${port}`;
  };
  const cluster: RealCluster = await startRealCluster({
    apiServerFlags: [...HOLLOW_WORLD_FLAGS, ...flags],
    ...(storeDelayMs > 0 && { etcdFor }),
  });
  return {
    kubeconfig: cluster.kubeconfig,
    etcdUrl: cluster.etcdUrl,
    managerFlags: [
      `--root-ca-file=${join(cluster.directory, "ca.crt")}`,
      `--service-account-private-key-file=${cluster.serviceAccountKeyFile}`,
    ],
    stop: async () => {
      await cluster.stop();
      if (link !== undefined) await endProcess(link);
    },
  };
}

async function embeddedServer(directory: string): Promise<Server> {
  const program = join(import.meta.dirname, "../../../cmd/kcm/main.ts");
  const kubeconfig = join(directory, "kubeconfig");
  const args = [program, "up", "--apiserver-only", "--port=0", `--kubeconfig=${kubeconfig}`];
  const env = { ...process.env, KCM_HOME: directory };
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "ignore"] });
  for await (const line of createInterface({ input: child.stdout })) {
    if (/ready after/.test(line))
      return { kubeconfig, managerFlags: [], stop: async () => endProcess(child) };
  }
  throw new Error("kcm up ended before it was ready");
}

/** The server of this repository has no other door; what a client may not say (uid, status of a new object) is lost. */
async function storeThroughApi(client: ClientSet, objects: readonly ApiObject[]): Promise<void> {
  await inParallel(objects, async (object) => {
    await client.dynamic(knownResource(object.apiVersion ?? "", object.kind ?? "")).create(object);
  });
}

/** The server's caches take a while to read so much, and refuse watches until then. */
async function untilServed(client: ClientSet, objects: readonly ApiObject[]): Promise<void> {
  const last = new Map(objects.map((object) => [`${object.apiVersion} ${object.kind}`, object]));
  for (const { apiVersion = "", kind = "", metadata } of last.values()) {
    const resource = knownResource(apiVersion, kind);
    const { name, namespace } = metadata;
    const options = {
      fieldSelector: `metadata.name=${name}`,
      ...(namespace === undefined ? {} : { namespace }),
    };
    const isServed = async (): Promise<boolean> => {
      try {
        return (await client.dynamic(resource).list(options)).items.length === 1;
      } catch (error) {
        if (error instanceof ApiError && error.code === 504) return false;
        throw error;
      }
    };
    await until(`${kind} ${name} is served`, isServed, 120_000, 250);
  }
}

function knownResource(apiVersion: string, kind: string): Resource {
  const resource = resourceOfKind(apiVersion, kind);
  if (resource === undefined) throw new Error(`unknown kind ${kind}`);
  return resource;
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

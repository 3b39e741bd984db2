import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ApiObject } from "../../../pkg/api/object.ts";
import { resourceOfKind, resources } from "../../../pkg/api/resources.ts";
import type { ClientBuilder } from "../../../pkg/client/client-builder.ts";
import type { ClientSet } from "../../../pkg/client/client-set.ts";
import { clientsOf } from "../../../test/harness/admin-client.ts";
import { HOLLOW_WORLD_FLAGS } from "../../../test/harness/hollow-world.ts";
import { hasRealCluster, type RealCluster, startRealCluster } from "../../../test/harness/real-cluster.ts";
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

interface Server {
  readonly kubeconfig: string;
  readonly managerFlags: readonly string[];
  readonly etcdUrl?: string;
  stop(): Promise<void>;
}

export const serverKind = hasRealCluster() ? "etcd and kube-apiserver" : "embedded API server";

export async function openStage(nodes: number, scale: number): Promise<Stage> {
  const directory = mkdtempSync(join(tmpdir(), "kcm-compare-"));
  const server = hasRealCluster() ? await realServer() : await embeddedServer(directory);
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
        [join(import.meta.dirname, "plant.ts"), server.kubeconfig, String(nodes)],
        {
          stdio: "ignore",
        },
      );
      const count = async (): Promise<number> =>
        (await client.clientFor(resources.nodes).list()).items.length;
      await until("all nodes are there", async () => (await count()) >= nodes);
    }
    const { etcdUrl } = server;
    return {
      kubeconfig: server.kubeconfig,
      managerFlags: server.managerFlags,
      directory,
      client,
      scaled: (count) => Math.max(1, Math.round(count * scale)),
      store: async (objects) =>
        etcdUrl === undefined ? storeThroughApi(client, objects) : storeInEtcd(etcdUrl, objects),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function realServer(): Promise<Server> {
  const cluster: RealCluster = await startRealCluster({ apiServerFlags: HOLLOW_WORLD_FLAGS });
  return {
    kubeconfig: cluster.kubeconfig,
    etcdUrl: cluster.etcdUrl,
    managerFlags: [
      `--root-ca-file=${join(cluster.directory, "ca.crt")}`,
      `--service-account-private-key-file=${cluster.serviceAccountKeyFile}`,
    ],
    stop: async () => cluster.stop(),
  };
}

async function embeddedServer(directory: string): Promise<Server> {
  const program = join(import.meta.dirname, "../../../cmd/kcm/main.ts");
  const kubeconfig = join(directory, "kubeconfig");
  const args = [program, "up", "--apiserver-only", "--port=0", `--kubeconfig=${kubeconfig}`];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
  for await (const line of createInterface({ input: child.stdout })) {
    if (/ready after/.test(line))
      return { kubeconfig, managerFlags: [], stop: async () => endProcess(child) };
  }
  throw new Error("kcm up ended before it was ready");
}

/** The server of this repository has no other door; what a client may not say (uid, status of a new object) is lost. */
async function storeThroughApi(client: ClientSet, objects: readonly ApiObject[]): Promise<void> {
  await inParallel(objects, async (object) => {
    const resource = resourceOfKind(object.apiVersion ?? "", object.kind ?? "");
    if (resource === undefined) throw new Error(`unknown kind ${object.kind}`);
    await client.dynamic(resource).create(object);
  });
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await ended;
}

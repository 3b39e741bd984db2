import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { Deployment } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Lease } from "../../pkg/api/types/coordination-v1.gen.ts";
import type { Pod } from "../../pkg/api/types/core-v1.gen.ts";
import type { ClientBuilder } from "../../pkg/client/client-builder.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { clientsOf } from "../harness/admin-client.ts";
import { Daemon, ourProgram } from "../harness/daemon.ts";
import { KcmProcess, withDirectory } from "./kcm-process.ts";

const READY = /ready after [\d.]+ s: (https?:\/\/127\.0\.0\.1:(\d+))/;
const REPLICAS = 10;

let stops: (() => Promise<unknown>)[] = [];

interface Cluster {
  readonly process: KcmProcess;
  readonly kubeconfig: string;
  readonly client: ClientSet;
}

async function up(directory: string, ...flags: readonly string[]): Promise<Cluster> {
  const process = new KcmProcess(["up", "--port=0", ...flags], directory);
  stops.push(async () => process.end("SIGKILL"));
  await process.says(READY);
  await process.says(/ {2}kcm down/);
  const [, kubeconfig = ""] = await process.says(/KUBECONFIG=(\S+)/);
  const clients: ClientBuilder = await clientsOf(kubeconfig);
  stops.push(async () => clients.close());
  return { process, kubeconfig, client: clients.client("test") };
}

function daemon(kubeconfig: string): Daemon {
  const started = new Daemon(ourProgram, [`--kubeconfig=${kubeconfig}`, "--secure-port=0"]);
  stops.push(async () => started.end());
  return started;
}

const holder = async ({ client }: Cluster): Promise<string | undefined> => {
  const ref = { namespace: "kube-system", name: "kube-controller-manager" };
  return (await client.clientFor<Lease>(resources.leases).get(ref)).spec?.holderIdentity;
};

/** Makes a Deployment of ten; resolves to how many pods there ever were when all of them are available. */
async function podsMade({ client }: Cluster): Promise<number> {
  const pods = client.clientFor<Pod>(resources.pods);
  const seen = new Set<string>();
  const stop = new AbortController();
  const options = { namespace: "default", labelSelector: "app=ten" };
  const watching = (async () => {
    for await (const { object } of pods.watch(options, stop.signal)) seen.add(object.metadata.uid ?? "");
  })().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  const deployments = client.clientFor<Deployment>(resources.deployments);
  const labels = { app: "ten" };
  await deployments.create({
    metadata: { name: "ten", namespace: "default" },
    spec: {
      replicas: REPLICAS,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "c" }] } },
    },
  });
  const available = async (): Promise<number | undefined> =>
    (await deployments.get({ namespace: "default", name: "ten" })).status?.availableReplicas;
  await expect.poll(available).toBe(REPLICAS);
  await expect.poll(() => seen.size).toBeGreaterThanOrEqual(REPLICAS);
  stop.abort();
  await watching;
  return seen.size;
}

beforeEach(() => {
  stops = [];
});
afterEach(async () => {
  for (const stop of stops.toReversed()) await stop();
});

describe("kcm up and a controller manager beside it", () => {
  test("only one of them works: ten replicas are ten pods", async () => {
    await withDirectory(async (directory) => {
      const cluster = await up(directory);
      await cluster.process.says(/controllers work\n/);
      const other = daemon(cluster.kubeconfig);
      await other.says("Attempting to acquire leader lease");
      await other.says("New leader elected");
      expect(await podsMade(cluster)).toBe(REPLICAS);
      expect(other.leads).toBe(false);
      expect(await other.end("SIGTERM")).toEqual({ code: 0, signal: null });
      expect(await cluster.process.end("SIGTERM")).toEqual({ exitCode: 0, signal: null });
    });
  });

  test("without controllers of its own it leaves all to the other", async () => {
    await withDirectory(async (directory) => {
      const cluster = await up(directory, "--controllers=-*");
      const other = daemon(cluster.kubeconfig);
      await other.says("uccessfully acquired lease");
      expect(await podsMade(cluster)).toBe(REPLICAS);
      expect(await other.end("SIGTERM")).toEqual({ code: 0, signal: null });
    });
  });

  test("it stands by where the other leads already, says so, and takes over when that ends", async () => {
    await withDirectory(async (directory) => {
      const data = "--data-dir=data";
      const first = await up(directory, data, "--controllers=-*");
      const other = daemon(first.kubeconfig);
      await other.says("uccessfully acquired lease");
      other.kill("SIGKILL");
      await other.exit;
      await first.process.end("SIGTERM");
      // What the other has held is held until it runs out.
      const second = await up(directory, data);
      await second.process.says(/the controllers here stand by: \S+ leads\n/);
      await second.process.says(/controllers work\n/);
      expect(await podsMade(second)).toBe(REPLICAS);
    });
  });
});

describe("--data-dir", () => {
  test.each(["SIGTERM", "SIGKILL"] as const)(
    "after %s controllers work again at once, under the Lease of their own",
    async (signal) => {
      await withDirectory(async (directory) => {
        const first = await up(directory, "--data-dir=data");
        await first.process.says(/controllers work\n/);
        const before = await holder(first);
        await first.process.end(signal);
        const second = await up(directory, "--data-dir=data");
        await second.process.says(/controllers work\n/);
        expect(second.process.stdout).not.toContain("stand by");
        expect(second.kubeconfig).toBe(join(directory, "data", "kubeconfig"));
        expect(await holder(second)).toBe(before);
      });
    },
  );
});

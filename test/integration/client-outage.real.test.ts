import { afterAll, beforeAll, expect, test } from "vitest";
import { resources } from "../../pkg/api/resources.ts";
import type { ClientBuilder } from "../../pkg/client/client-builder.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import { loadAccess } from "../../pkg/client/config/access.ts";
import { isConnectionError, isExpired } from "../../pkg/client/errors.ts";
import { httpClients } from "../../pkg/client/http-clients.ts";
import { realClock } from "../../pkg/clock/real.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { noMetrics } from "../../pkg/metrics/metrics.ts";
import { type RealCluster, startRealCluster } from "../harness/real-cluster.ts";
import { until } from "../harness/until.ts";

let cluster: RealCluster;
let builder: ClientBuilder;
let clients: ClientSet;

beforeAll(async () => {
  cluster = await startRealCluster();
  builder = httpClients({
    access: await loadAccess({ kubeconfig: cluster.kubeconfig, env: {} }),
    clock: realClock,
    log: silentLogger,
    metrics: noMetrics,
    env: { HTTP2_READ_IDLE_TIMEOUT_SECONDS: "3", HTTP2_PING_TIMEOUT_SECONDS: "3" },
    userAgent: "client-test",
    qps: 1_000,
    burst: 1_000,
  });
  clients = builder.client("test");
});

afterAll(async () => {
  await builder?.close();
  await cluster?.stop();
});

const ref = (name: string): { namespace: string; name: string } => ({ namespace: "default", name });

async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

test("a frozen API server fails every watch in its time; after a thaw and a restart all goes on", async () => {
  const client = clients.clientFor(resources.configMaps);
  await client.create({ metadata: ref("frozen") });
  const failures: unknown[] = [];
  let seen = 0;
  const watches = Array.from({ length: 50 }, async () => {
    const work = (async () => {
      for await (const _ of client.watch({ fieldSelector: "metadata.name=frozen", timeoutSeconds: 300 }))
        seen++;
    })();
    failures.push(await failure(work));
  });
  await until("all watches are open", () => seen >= 50);
  const startMs = performance.now();
  cluster.freezeApiServer();
  try {
    await Promise.all(watches);
    expect(performance.now() - startMs).toBeLessThan(20_000);
    expect(failures.every((error) => isConnectionError(error))).toBe(true);
  } finally {
    cluster.thawApiServer();
  }
  expect((await client.get(ref("frozen"))).metadata.name).toBe("frozen");
  await cluster.killApiServer();
  expect(isConnectionError(await failure(client.get(ref("frozen"))))).toBe(true);
  await cluster.restartApiServer();
  expect((await client.get(ref("frozen"))).metadata.name).toBe("frozen");
});

test("lists and watches from a version that was compacted away are `expired`", async () => {
  const client = clients.clientFor(resources.configMaps);
  const { metadata } = await client.create({ metadata: ref("compacted") });
  const body = JSON.stringify({ revision: metadata.resourceVersion, physical: true });
  expect((await fetch(`${cluster.etcdUrl}/v3/kv/compaction`, { method: "POST", body })).status).toBe(200);
  await cluster.restartApiServer();
  const listing = client.list({ resourceVersion: "2", resourceVersionMatch: "Exact" });
  expect(isExpired(await failure(listing))).toBe(true);
  const watching = async (): Promise<void> => {
    for await (const event of client.watch({ resourceVersion: "2", timeoutSeconds: 5 }))
      expect(event).toBeUndefined();
  };
  expect(isExpired(await failure(watching()))).toBe(true);
});

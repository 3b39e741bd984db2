import { expect, test } from "vitest";
import { realClock } from "../clock/real.ts";
import { silentLogger } from "../log/logger.ts";
import { createMetrics } from "../metrics/registry.ts";
import { httpClients } from "./http-clients.ts";

test("transports are counted when they are made, shared and given up", async () => {
  const { main } = createMetrics({ version: "1.36.4" });
  const clients = httpClients({
    access: { server: new URL("http://127.0.0.1:1"), identity: {} },
    clock: realClock,
    log: silentLogger,
    metrics: main,
    env: {},
    userAgent: "test",
    qps: -1,
    burst: 1,
  });
  const shown = async (): Promise<readonly string[]> => {
    const lines = (await main.expose()).split("\n");
    return lines.filter((line) => /^rest_client_transport_(cache|create)/.test(line)).toSorted();
  };
  for (const name of ["a", "b", "c"]) clients.client(name);
  clients.client("leader-election", { ownConnection: true });
  expect(await shown()).toEqual([
    "rest_client_transport_cache_entries 2",
    'rest_client_transport_cache_gc_calls_total{result="deleted"} 0',
    'rest_client_transport_create_calls_total{result="hit"} 2',
    'rest_client_transport_create_calls_total{result="miss"} 2',
  ]);
  await clients.close();
  expect((await shown()).slice(0, 2)).toEqual([
    "rest_client_transport_cache_entries 0",
    'rest_client_transport_cache_gc_calls_total{result="deleted"} 2',
  ]);
});

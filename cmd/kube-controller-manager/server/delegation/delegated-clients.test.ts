import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { realClock } from "../../../../pkg/clock/real.ts";
import { silentLogger } from "../../../../pkg/log/logger.ts";
import { noMetrics } from "../../../../pkg/metrics/metrics.ts";
import { HttpListener, plainKubeconfig } from "../../../../test/harness/http-listener.ts";
import { resolveOptions } from "../../options/resolve.ts";
import { delegatedClients, type DelegatedClients } from "./delegated-clients.ts";

const get = { method: "GET", path: "/asked" } as const;

async function clientsWith(flags: readonly string[]): Promise<DelegatedClients> {
  const { options } = resolveOptions(flags, () => "");
  const parts = {
    environment: {},
    userAgent: "test",
    clock: realClock,
    log: silentLogger,
    metrics: noMetrics,
  };
  return delegatedClients(options, parts);
}

test("who somebody is, is asked by --authentication-kubeconfig, and what he may do by --authorization-kubeconfig", async () => {
  const directory = await mkdtemp(join(tmpdir(), "delegated-"));
  const servers = [await HttpListener.start(), await HttpListener.start()] as const;
  const paths = servers.map((_, index) => join(directory, `config-${index}`));
  for (const [index, { url }] of servers.entries()) await writeFile(paths[index] ?? "", plainKubeconfig(url));
  const [who, may] = paths;
  const both = await clientsWith([`--authentication-kubeconfig=${who}`, `--authorization-kubeconfig=${may}`]);
  await both.authentication?.rest.json(get);
  expect(servers.map(({ lines }) => lines.length)).toEqual([1, 0]);
  await both.authorization?.rest.json(get);
  expect(servers.map(({ lines }) => lines.length)).toEqual([1, 1]);
  const first = await clientsWith([`--authentication-kubeconfig=${who}`]);
  expect([first.authentication === undefined, first.authorization === undefined]).toEqual([false, true]);
  const second = await clientsWith([`--authorization-kubeconfig=${may}`]);
  expect([second.authentication === undefined, second.authorization === undefined]).toEqual([true, false]);
  await Promise.all([both, first, second].map(async (clients) => clients.close()));
  await Promise.all(servers.map(async (server) => server.stop()));
  await rm(directory, { recursive: true });
});

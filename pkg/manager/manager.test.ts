import { once } from "node:events";
import { createServer, get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { DirectTransport } from "../apiserver/direct-transport.ts";
import { embeddedServer } from "../apiserver/embedded-server.ts";
import type { ApiServer } from "../apiserver/server/api-server.ts";
import { resources } from "../api/resources.ts";
import type { ConfigMap } from "../api/types/core-v1.gen.ts";
import { type ClientBuilder, clientBuilder, sharedTransports } from "../client/client-builder.ts";
import { seededRandom } from "../clock/random.ts";
import { controller } from "../controller/index.ts";
import type { ControllerDescriptor } from "../controller/env.ts";
import { defineController } from "../controller/kit.ts";
import { silentLogger } from "../log/logger.ts";
import { noMetrics } from "../metrics/metrics.ts";
import { createMetrics } from "../metrics/registry.ts";
import { webhook, webhookConfigurations } from "../webhook/index.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import type { Host } from "./host.ts";
import { manager, type Manager, type ManagerOptions } from "./index.ts";

const { configMaps, leases, secrets } = resources;
const NAMESPACE = "default";

let clock: VirtualClock;
let server: ApiServer;
let clients: ClientBuilder;
let stops: (() => Promise<unknown>)[];
beforeEach(async () => {
  clock = new VirtualClock();
  server = embeddedServer({ clock, random: seededRandom(1) });
  clients = clientsTo();
  stops = [];
  await clients
    .client("test")
    .clientFor(resources.namespaces)
    .create({ metadata: { name: NAMESPACE } });
});
afterEach(async () => {
  for (const stop of stops) await stop();
});

function clientsTo(): ClientBuilder {
  const transports = sharedTransports(new DirectTransport(server));
  const limits = { qps: 1_000_000, burst: 1_000_000 };
  const parts = { transports, clock, log: silentLogger, metrics: noMetrics };
  return clientBuilder({ ...parts, host: "embedded", userAgent: "test", ...limits });
}

function hostOf(identity: string): { readonly host: Host; readonly ask: () => void } {
  const asked = new AbortController();
  const host: Host = {
    clock,
    random: seededRandom(2),
    log: silentLogger,
    metrics: createMetrics({ version: "1.36.4" }),
    environment: {},
    identity,
    asked: asked.signal,
    close: async () => undefined,
  };
  return { host, ask: () => asked.abort(new Error("stopped by SIGTERM")) };
}

interface Started {
  readonly it: Manager;
  /** Asks it to end, and gives why it did otherwise. */
  readonly end: () => Promise<unknown>;
  readonly outcome: () => unknown;
}

async function start(options: Partial<ManagerOptions> = {}, identity = "one"): Promise<Started> {
  const { host, ask } = hostOf(identity);
  const it = manager({ name: "program", run: [], host, clients, ...options });
  let outcome: unknown;
  let isOver = false;
  const ended = it
    .run()
    .catch((error: unknown) => (outcome = error))
    .finally(() => (isOver = true));
  const end = async (): Promise<unknown> => {
    ask();
    // Ports are closed in the time of the machine.
    await expect.poll(async () => (await clock.advanceBy(1_000), isOver)).toBe(true);
    await ended;
    return outcome;
  };
  stops.push(end);
  await expect.poll(async () => (await clock.advanceBy(1_000), isOver || isServed(it, options))).toBe(true);
  return { it, end, outcome: () => outcome };
}

function isServed({ ports }: Manager, { port = {} }: Partial<ManagerOptions>): boolean {
  return (port.health === undefined) === (ports.health === undefined);
}

/** Gives each ConfigMap a Secret of its name. */
const copier = (name = "copier"): ControllerDescriptor =>
  controller(name, configMaps)
    .owns(secrets)
    .reconcile(
      async ({ metadata: { name } }, ctx) => void (await ctx.apply(secrets, { metadata: { name } })),
    );
const create = async (name: string): Promise<ConfigMap> =>
  clients
    .client("test")
    .clientFor(configMaps)
    .create({ metadata: { name, namespace: NAMESPACE } });
const copies = async (): Promise<readonly string[]> =>
  (await clients.client("test").clientFor(secrets).list()).items.map(({ metadata }) => metadata.name);
const holder = async (): Promise<string | null | undefined> =>
  (await clients.client("test").clientFor(leases).get({ namespace: NAMESPACE, name: "program" })).spec
    ?.holderIdentity;
const untilAborted = async (signal: AbortSignal): Promise<void> =>
  new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
const page = async (port: number | undefined, path: string): Promise<readonly [number, string]> => {
  // A connection of its own: one that is kept may end with the server just as it is used again.
  const asked = get({ host: "127.0.0.1", port, path, agent: false });
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  return [response.statusCode ?? 0, await text(response)];
};

test("controllers run until the process is asked to end", async () => {
  const { end } = await start({ run: [copier()] });
  await create("a");
  await clock.advanceBy(1_000);
  expect(await copies()).toEqual(["a"]);
  expect(await end()).toBeUndefined();
  await create("b");
  await clock.advanceBy(10_000);
  expect(await copies()).toEqual(["a"]);
});

test("health, metrics and what controllers did are served, each on its port", async () => {
  const { it, end } = await start({ run: [copier()], port: { health: 0, metrics: 0 } });
  await create("a");
  await clock.advanceBy(1_000);
  const { health, metrics } = it.ports;
  expect(await page(health, "/readyz?verbose")).toEqual([
    200,
    "[+]copier ok\n[+]informer-sync ok\nreadyz check passed\n",
  ]);
  expect(await page(health, "/healthz/copier")).toEqual([200, "ok"]);
  expect((await page(health, "/metrics"))[0]).toBe(404);
  const [, exposed] = await page(metrics, "/metrics");
  expect(exposed).toContain('controller_runtime_reconcile_total{controller="copier",result="success"} 2');
  expect((await page(metrics, "/debug/controllers/copier?key=default/a"))[1]).toContain("secrets/a 201");
  expect((await page(metrics, "/healthz"))[0]).toBe(404);
  await end();
  await expect(page(health, "/healthz")).rejects.toThrow("ECONNREFUSED");
});

test("health is not served where metrics are not for everybody", async () => {
  const { outcome } = await start({ port: { health: 18_081, metrics: 18_081 }, secureMetrics: {} });
  expect(String(outcome())).toContain("they need a port each");
});

test("it is ready when its webhooks can be asked", async () => {
  const run = [webhook(configMaps).validate(() => undefined)];
  const { it } = await start({ port: { health: 0, webhooks: 0 }, webhooks: { run, namespace: NAMESPACE } });
  const ready = async () => page(it.ports.health, "/readyz/webhooks");
  // Nobody has installed their configuration.
  await expect.poll(async () => (await clock.advanceBy(1_000), it.ports.webhooks)).toBeGreaterThan(0);
  expect((await ready())[0]).toBe(500);
  const metadata = { name: "program" };
  const { validating } = webhookConfigurations({
    name: "program",
    webhooks: run,
    address: { url: "https://a" },
  });
  await clients
    .client("test")
    .clientFor(resources.validatingWebhookConfigurations)
    .create({ ...validating, metadata });
  await expect.poll(async () => (await clock.advanceBy(5_000), (await ready())[0])).toBe(200);
});

test("webhooks that cannot be served end it", async () => {
  const taken = createServer().listen(0);
  await once(taken, "listening");
  const { port } = taken.address() as AddressInfo;
  const run = [webhook(configMaps).validate(() => undefined)];
  const { outcome } = await start({ port: { webhooks: port }, webhooks: { run, namespace: NAMESPACE } });
  await expect.poll(async () => (await clock.advanceBy(1_000), String(outcome()))).toContain("EADDRINUSE");
  taken.close();
});

describe("with an election", () => {
  const leaderElection = { namespace: NAMESPACE };

  test("one works at a time, and the next one as soon as it has ended", async () => {
    const first = await start({ run: [copier()], leaderElection });
    const second = await start({ run: [copier("other")], leaderElection, port: { health: 0 } }, "two");
    await create("a");
    await clock.advanceBy(5_000);
    expect(await holder()).toBe("one");
    expect((await page(second.it.ports.health, "/healthz?verbose"))[1]).not.toContain("other");
    expect(await first.end()).toBeUndefined();
    await clock.advanceBy(5_000);
    expect(await holder()).toBe("two");
    await create("b");
    await clock.advanceBy(1_000);
    expect(await copies()).toEqual(["a", "b"]);
  });

  test("a standby that is warm has read everything before it leads", async () => {
    const lists: string[] = [];
    for (const warm of [false, true]) {
      const first = await start({ run: [], leaderElection }, `first-${warm}`);
      const second = await start(
        { run: [copier()], leaderElection: { ...leaderElection, warm } },
        `second-${warm}`,
      );
      await clock.advanceBy(5_000);
      lists.push(`${warm} ${server.parts.faults.openWatches > 1}`);
      await first.end();
      await second.end();
    }
    expect(lists).toEqual(["false false", "true true"]);
  });

  test("who loses the Lease writes no more, and fails", async () => {
    const { outcome } = await start({ run: [copier()], leaderElection });
    const client = clients.client("test").clientFor(leases);
    const lease = await client.get({ namespace: NAMESPACE, name: "program" });
    await client.update({ ...lease, spec: { ...lease.spec, holderIdentity: "somebody else" } });
    await create("late");
    await clock.advanceBy(30_000);
    expect(String(outcome())).toContain("leader election lost");
    await create("later");
    await clock.advanceBy(30_000);
    expect(await copies()).not.toContain("later");
  });

  test("what is still to be written when the Lease is lost is refused", async () => {
    const held = Promise.withResolvers<void>();
    const written: unknown[] = [];
    const late = controller("late", configMaps).reconcile(async ({ metadata: { name, namespace } }, ctx) => {
      await held.promise;
      const secret = { metadata: { name, namespace } };
      written.push(await ctx.client.clientFor(secrets).create(secret).catch(String));
    });
    await start({ run: [late], leaderElection });
    await create("a");
    await clock.advanceBy(1_000);
    const client = clients.client("test").clientFor(leases);
    const lease = await client.get({ namespace: NAMESPACE, name: "program" });
    await client.update({ ...lease, spec: { ...lease.spec, holderIdentity: "somebody else" } });
    await clock.advanceBy(20_000);
    held.resolve();
    await clock.advanceBy(1_000);
    expect(written).toEqual([expect.stringMatching(/lease|lead/i)]);
    expect(await copies()).toEqual([]);
  });

  test("what runs everywhere does not wait for it", async () => {
    const ran: string[] = [];
    const task = (name: string, everywhere?: true) => ({
      name,
      ...(everywhere && { everywhere }),
      run: async (signal: AbortSignal): Promise<void> => {
        ran.push(name);
        await untilAborted(signal);
      },
    });
    const first = await start({ leaderElection });
    await start({ run: [task("led"), task("everywhere", true)], leaderElection }, "two");
    expect(ran).toEqual(["everywhere"]);
    await first.end();
    await clock.advanceBy(5_000);
    expect(ran).toEqual(["everywhere", "led"]);
  });
});

describe("at run time", () => {
  test("controllers are added, and removed with all that they read", async () => {
    const { it } = await start({ run: [] });
    await create("a");
    it.add(copier());
    await clock.advanceBy(1_000);
    expect(await copies()).toEqual(["a"]);
    expect(server.parts.faults.openWatches).toBe(2);
    const removed = it.remove("copier");
    await clock.advanceBy(1_000);
    await removed;
    expect(server.parts.faults.openWatches).toBe(0);
    await create("b");
    await clock.advanceBy(1_000);
    expect(await copies()).toEqual(["a"]);
    it.add(copier());
    await clock.advanceBy(1_000);
    expect(await copies()).toEqual(["a", "b"]);
  });

  test("others go on that read the same", async () => {
    const seen: string[] = [];
    const reader = controller("reader", configMaps).reconcile(
      async ({ metadata }) => void seen.push(metadata.name),
    );
    const { it } = await start({ run: [reader, copier()] });
    const removed = it.remove("copier");
    await clock.advanceBy(1_000);
    await removed;
    await create("a");
    await clock.advanceBy(1_000);
    expect([seen, await copies()]).toEqual([["a"], []]);
  });

  test("one that is removed hears nothing more of what others go on reading", async () => {
    const heard: string[] = [];
    const hearer = defineController({ name: "hearer" }, (kit) => {
      kit.reads(configMaps).hears(({ object }) => void heard.push(object.metadata.name));
      kit.task(untilAborted);
    });
    const { it } = await start({ run: [hearer(), copier()] });
    await create("a");
    await clock.advanceBy(1_000);
    const removed = it.remove("hearer");
    await clock.advanceBy(1_000);
    await removed;
    await create("b");
    await clock.advanceBy(1_000);
    expect([heard, await copies()]).toEqual([["a"], ["a", "b"]]);
  });

  test("two of one name are refused", async () => {
    const { it } = await start({ run: [copier()] });
    expect(() => it.add(copier())).toThrow("copier is there already");
  });
});

test("a task that fails ends everything, and is told", async () => {
  const run = async (): Promise<void> => {
    throw new Error("the disk is full");
  };
  const { outcome } = await start({ run: [copier(), { name: "failing", run, everywhere: true }] });
  expect(String(outcome())).toContain("the disk is full");
});

test("a controller that does not end in time is told of", async () => {
  const { end } = await start({
    shutdownMs: 5_000,
    run: [{ name: "deaf", run: async () => new Promise<void>(() => undefined) }],
  });
  expect(String(await end())).toContain("had not ended after 5000 ms");
});

test("what only the start has used is given back once, some time after the controllers began", async () => {
  let shrunk = 0;
  const heap = { usedBytes: () => 20 << 20, allocatedBytes: () => 50 << 20, shrink: () => void shrunk++ };
  const { host, ask } = hostOf("one");
  const first = manager({ name: "program", run: [copier()], host: { ...host, heap }, clients });
  const ended = first.run();
  await clock.advanceBy(14_000);
  expect(shrunk).toBe(0);
  await clock.advanceBy(60_000);
  expect(shrunk).toBe(1);
  ask();
  await clock.advanceBy(1_000);
  await ended;
  const again = hostOf("two");
  const second = manager({ name: "program", run: [copier()], host: { ...again.host, heap }, clients }).run();
  await clock.advanceBy(1_000);
  again.ask();
  await clock.advanceBy(60_000);
  await second;
  expect(shrunk).toBe(1);
});

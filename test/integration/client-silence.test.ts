import { describe, expect, test } from "vitest";
import { httpClients } from "../../pkg/client/http-clients.ts";
import type { TransportError, TransportRequest } from "../../pkg/client/transport.ts";
import { silentLogger } from "../../pkg/log/logger.ts";
import { noMetrics } from "../../pkg/metrics/metrics.ts";
import { Relay } from "../harness/relay.ts";
import { drain, type Protocol, TransportStage } from "../harness/transport-stage.ts";
import { until as untilLong } from "../harness/until.ts";
import { settle, VirtualClock } from "../../pkg/testing/virtual-clock.ts";

const stage = TransportStage.use();

const GET: TransportRequest = { method: "GET", path: "/x" };
const WATCH: TransportRequest = { ...GET, endless: true };
const PUT: TransportRequest = { method: "PUT", path: "/x", body: { a: 1 } };
/** A step of virtual time after which real bytes get their time to arrive. */
const STEP_MS = 1_000;

async function until(what: string, condition: () => boolean): Promise<void> {
  await untilLong(what, condition, 30_000);
}

/** Virtual time goes on in steps, real bytes go through in each, until the condition holds. Returns how long it took. */
async function pass(clock: VirtualClock, limitMs: number, isEnough = (): boolean => false): Promise<number> {
  const startMs = clock.monotonicMs();
  while (clock.monotonicMs() - startMs < limitMs && !isEnough()) {
    await clock.advanceBy(STEP_MS);
    for (let turn = 0; turn < 10; turn++) await settle();
  }
  return clock.monotonicMs() - startMs;
}

describe.each<Protocol>(["h2", "http/1.1"])("a peer over %s", (protocol) => {
  test("that stalls for 9 s answers the PUT that was in flight, on the same connection", async () => {
    await stage.relisten(protocol);
    const relay = await Relay.start(stage.port);
    const clock = new VirtualClock();
    const transport = stage.transportTo({ port: relay.port, clock });
    let answer = (): void => undefined;
    let asked = 0;
    stage.handler = (_, response) => {
      asked++;
      answer = () => void response.end('{"done":true}');
    };
    const putting = transport.send(PUT);
    await until("the PUT has arrived", () => asked === 1);
    relay.freeze();
    await pass(clock, 9_000);
    relay.thaw();
    answer();
    expect(await (await putting).json()).toEqual({ done: true });
    expect(asked).toBe(1);
    await relay.stop();
  });

  test("that freezes fails every request on it, 30 to 50 s later", async () => {
    await stage.relisten(protocol);
    stage.handler = (_, response) => void response.write("1\n");
    const relay = await Relay.start(stage.port);
    const clock = new VirtualClock();
    const transport = stage.transportTo({ port: relay.port, clock });
    let seen = 0;
    const codes: string[] = [];
    const watches = Array.from({ length: 20 }, async () =>
      drain(await transport.send(WATCH), () => seen++).catch((error: unknown) =>
        codes.push((error as TransportError).code),
      ),
    );
    await until("all watches are open", () => seen === 20);
    relay.freeze();
    const tookMs = await pass(clock, 60_000, () => codes.length === 20);
    expect(codes).toEqual(Array.from({ length: 20 }, () => "lost"));
    expect(tookMs).toBeGreaterThan(30_000);
    expect(tookMs).toBeLessThanOrEqual(51_000);
    await Promise.all(watches);
    await relay.stop();
  });

  test("that is given less time fails sooner", async () => {
    await stage.relisten(protocol);
    stage.handler = (_, response) => void response.write("1\n");
    const relay = await Relay.start(stage.port);
    const clock = new VirtualClock();
    const patience = { idleMs: 3_000, pingMs: 2_000 };
    const transport = stage.transportTo({ port: relay.port, clock, patience });
    let code = "";
    let seen = 0;
    const watching = drain(await transport.send(WATCH), () => seen++).catch(
      (error: unknown) => (code = (error as TransportError).code),
    );
    await until("the watch is open", () => seen === 1);
    relay.freeze();
    expect(await pass(clock, 60_000, () => code !== "")).toBeLessThanOrEqual(7_000);
    await watching;
    await relay.stop();
  });

  test("that is quiet and answers when it is asked keeps its watches", async () => {
    await stage.relisten(protocol);
    const paths = new Set<string>();
    stage.handler = (request, response) => {
      paths.add(request.url);
      if (request.url === "/x") response.write("1\n");
      else response.end("{}");
    };
    const clock = new VirtualClock();
    const transport = stage.transportTo({ clock });
    let seen = 0;
    let ended = false;
    const abort = new AbortController();
    const watching = drain(await transport.send(WATCH, abort.signal), () => seen++).finally(
      () => (ended = true),
    );
    watching.catch(() => undefined);
    await until("the watch is open", () => seen === 1);
    await pass(clock, 300_000);
    expect(ended).toBe(false);
    expect([...paths]).toEqual(protocol === "h2" ? ["/x"] : ["/x", "/version"]);
    abort.abort(new Error("stop"));
    await pass(clock, 1_000, () => ended);
    await expect(watching).rejects.toThrow("stop");
  });
});

test("a connection without requests is not looked at", async () => {
  const clock = new VirtualClock();
  await (await stage.transportTo({ clock }).send(GET)).discard();
  expect(clock.pendingTimers).toBe(0);
});

test("over HTTP/1.1, watches that receive do not fail because other answers are slow", async () => {
  await stage.relisten("http/1.1");
  const lines: (() => void)[] = [];
  const paths: string[] = [];
  stage.handler = (request, response) => {
    if (request.url !== "/x") paths.push(request.url);
    else lines.push(() => void response.write("1\n"));
  };
  const clock = new VirtualClock();
  const transport = stage.transportTo({ clock });
  const [talking, silent] = [transport.send(WATCH), transport.send(WATCH)];
  await until("both have arrived", () => lines.length === 2);
  for (const line of lines) line();
  const seen = [0, 0];
  const codes: (string | undefined)[] = [undefined, undefined];
  const watches = [talking, silent].map(async (sent, n) =>
    drain(await sent, () => (seen[n] = (seen[n] ?? 0) + 1)).catch(
      (error: unknown) => (codes[n] = (error as TransportError).code),
    ),
  );
  for (let times = 2; times <= 12; times++) {
    lines[0]?.();
    await until("the line has arrived", () => seen[0] === times);
    await pass(clock, 10_000);
  }
  // Nothing is answered: the silent one fails, and only that one.
  expect(paths).toContain("/version");
  expect(codes).toEqual([undefined, "lost"]);
  for (const socket of stage.sockets) socket.destroy();
  await Promise.all(watches);
});

test("after a request that nobody answered in time, others go over a new connection; those in flight stay", async () => {
  const relay = await Relay.start(stage.port);
  const clock = new VirtualClock();
  const transport = stage.transportTo({ port: relay.port, clock });
  let arrived = 0;
  stage.handler = (request, response) => {
    if (request.method === "GET") {
      say = () => void response.write("1\n");
      say();
    } else if (++arrived > 1) response.end("{}");
  };
  let say = (): void => undefined;
  let seen = 0;
  const watching = drain(await transport.send(WATCH), () => seen++);
  watching.catch(() => undefined);
  await until("the watch is open", () => seen === 1);
  const abort = new AbortController();
  const putting = failureOf(transport.send(PUT, abort.signal));
  await until("the first PUT has arrived", () => arrived === 1);
  await pass(clock, 5_000);
  abort.abort(new Error("too late"));
  await pass(clock, 1_000);
  expect(await putting).toMatchObject({ message: "too late" });
  expect((await transport.send(PUT)).status).toBe(200);
  expect(stage.sessions).toHaveLength(2);
  say();
  await until("the watch hears of more", () => seen === 2);
  await relay.stop();
  await expect(watching).rejects.toMatchObject({ code: "lost" });
});

test.each([
  ["DISABLE_HTTP2", "1", "1.1", 50_000],
  ["HTTP2_READ_IDLE_TIMEOUT_SECONDS", "3", "2.0", 20_000],
  ["HTTP2_PING_TIMEOUT_SECONDS", "1", "2.0", 36_000],
])("the environment's %s=%s reaches the connections of clients", async (name, value, version, limitMs) => {
  let httpVersion = "";
  stage.handler = (request, response) => {
    ({ httpVersion } = request);
    response.write("1\n");
  };
  const relay = await Relay.start(stage.port);
  const clock = new VirtualClock();
  const clients = httpClients({
    access: {
      server: new URL(`https://127.0.0.1:${relay.port}`),
      identity: { ca: { data: Buffer.from(stage.authority.cert) } },
    },
    clock,
    log: silentLogger,
    metrics: noMetrics,
    env: { [name]: value },
    userAgent: "test",
    qps: 100,
    burst: 100,
  });
  const response = await clients.client("test").rest.open({ method: "GET", path: "/x" });
  let code = "";
  let seen = 0;
  const watching = drain(response, () => seen++).catch(
    (error: unknown) => (code = (error as TransportError).code),
  );
  await until("the watch is open", () => seen === 1);
  expect(httpVersion).toBe(version);
  relay.freeze();
  expect(await pass(clock, 60_000, () => code === "lost")).toBeLessThanOrEqual(limitMs);
  await watching;
  await clients.close();
  await relay.stop();
});

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: unknown) => error);
}

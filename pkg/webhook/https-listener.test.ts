import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { ClientRequest, IncomingMessage } from "node:http";
import { request } from "node:https";
import { connect, Server } from "node:net";
import { json } from "node:stream/consumers";
import type { TLSSocket } from "node:tls";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { realClock } from "../clock/real.ts";
import { type Logger, silentLogger } from "../log/logger.ts";
import { CertificateAuthority, type KeyPair } from "../pki/certificate-authority.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { HttpsListener, type ListenerOptions } from "./https-listener.ts";

let authority: CertificateAuthority;
let pair: KeyPair;
const issue = async (): Promise<KeyPair> => authority.issue({ commonName: "webhooks", hosts: ["localhost"] });
beforeAll(async () => {
  authority = await CertificateAuthority.create("test", realClock);
  pair = await issue();
});

let clock: VirtualClock;
let listener: HttpsListener | undefined;
beforeEach(() => {
  clock = new VirtualClock();
});
afterEach(async () => {
  await listener?.close();
  listener = undefined;
});

const ok = { status: 200, body: { said: "yes" } };

async function start(answer: ListenerOptions["answer"], log: Logger = silentLogger): Promise<HttpsListener> {
  return (listener = await HttpsListener.start({ host: "127.0.0.1", port: 0, clock, log, pair, answer }));
}

function ask(): ClientRequest {
  const trusting = { ca: authority.cert, servername: "localhost", agent: false };
  return request({ host: "127.0.0.1", port: listener?.port, method: "POST", path: "/a", ...trusting }).end();
}

async function answerOf(asked: ClientRequest): Promise<readonly [body: unknown, serial: string]> {
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  const { serialNumber } = (response.socket as TLSSocket).getPeerCertificate();
  return [await json(response), serialNumber];
}

test("another certificate is shown from its coming on", async () => {
  await start(async () => ok);
  const [body, first] = await answerOf(ask());
  expect(body).toEqual(ok.body);
  listener?.use(await issue());
  expect((await answerOf(ask()))[1]).not.toBe(first);
});

test("a port that is taken is told of", async () => {
  const { port } = await start(async () => ok);
  const second = HttpsListener.start({
    host: "127.0.0.1",
    port,
    clock,
    log: silentLogger,
    pair,
    answer: async () => ok,
  });
  await expect(second).rejects.toMatchObject({ code: "EADDRINUSE" });
});

test("connections that cannot be accepted are told of, and others are accepted after them", async () => {
  const servers: Server[] = [];
  const onListening = (message: unknown): void => {
    const { server } = message as { readonly server: unknown };
    if (server instanceof Server) servers.push(server);
  };
  subscribe("tracing:net.server.listen:asyncEnd", onListening);
  const told: unknown[] = [];
  await start(async () => ok, { ...silentLogger, error: (error) => told.push(error) });
  unsubscribe("tracing:net.server.listen:asyncEnd", onListening);
  const failure = new Error("accept EMFILE");
  servers[0]?.emit("error", failure);
  expect(told).toEqual([failure]);
  expect((await answerOf(ask()))[0]).toEqual(ok.body);
});

test("whoever gives up during the hand-shake is let go, and nobody else hears of it", async () => {
  await start(async () => ok);
  const stranger = connect({ host: "127.0.0.1", port: listener?.port ?? 0 });
  stranger.on("error", () => undefined).resume();
  stranger.write("POST / HTTP/1.1\r\n\r\n");
  await once(stranger, "close");
  expect((await answerOf(ask()))[0]).toEqual(ok.body);
});

test("who is answering hears that the API server has gone away", async () => {
  const heard = Promise.withResolvers<AbortSignal>();
  await start(async (_request, signal) => {
    heard.resolve(signal);
    await once(signal, "abort");
    return ok;
  });
  const asked = ask();
  asked.on("error", () => undefined);
  const signal = await heard.promise;
  asked.destroy();
  await expect.poll(() => String(signal.reason)).toBe("Error: the API server went away");
});

test("what is answered in time is waited for at the end, and leaves no timer", async () => {
  const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await start(async () => {
    begun.resolve();
    await go.promise;
    return ok;
  });
  const answer = answerOf(ask());
  await begun.promise;
  const closed = listener?.close();
  go.resolve();
  expect((await answer)[0]).toEqual(ok.body);
  await closed;
  expect(clock.pendingTimers).toBe(0);
});

test("what is not answered in time is broken off at the end, and told why", async () => {
  const heard = Promise.withResolvers<AbortSignal>();
  await start(async (_request, signal) => {
    heard.resolve(signal);
    return new Promise(() => undefined);
  });
  const asked = ask();
  const broken = once(asked, "error");
  const signal = await heard.promise;
  const closed = listener?.close();
  await clock.advanceBy(9_999);
  expect(signal.aborted).toBe(false);
  await clock.advanceBy(1);
  await Promise.all([closed, broken]);
  expect(String(signal.reason)).toBe("Error: the webhooks end");
});

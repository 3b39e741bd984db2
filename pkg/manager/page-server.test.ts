import { X509Certificate } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { get, type RequestOptions } from "node:https";
import { get as getPlain, type IncomingMessage } from "node:http";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect, Server } from "node:net";
import type { TLSSocket } from "node:tls";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { type Logger, silentLogger } from "../log/logger.ts";
import { CertificateAuthority } from "../pki/certificate-authority.ts";
import { certificateOfFiles, ownCertificate, type PageCertificate } from "./page-certificate.ts";
import { type PageServer, servePages } from "./page-server.ts";
import type { Page } from "./pages.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

let clock: VirtualClock;
let server: PageServer | undefined;
let directory: string;
beforeEach(async () => {
  clock = new VirtualClock();
  server = undefined;
  directory = await mkdtemp(join(tmpdir(), "page-server-"));
});
afterEach(async () => {
  await server?.close();
  await rm(directory, { recursive: true });
});

const pages = [async (path: string) => ({ status: 200, contentType: "text/plain", body: path })];
const serve = async (certificate: PageCertificate): Promise<PageServer> =>
  (server = await servePages(pages, { port: 0, clock, log: silentLogger, certificate }));

/** What is answered, and the serial number of the certificate that is shown. */
async function ask(options: RequestOptions = {}): Promise<readonly [body: string, serial: string]> {
  const asked = get({
    host: "127.0.0.1",
    port: server?.port,
    path: "/a",
    agent: false,
    rejectUnauthorized: false,
    ...options,
  });
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  const { serialNumber } = (response.socket as TLSSocket).getPeerCertificate();
  return [await text(response), serialNumber];
}

test("a certificate of its own making is for the names that were given, and is renewed in good time", async () => {
  const certificate = ownCertificate(clock, ["localhost"]);
  const first = new X509Certificate((await certificate.renewed())?.cert ?? "");
  expect(first.checkHost("localhost")).toBe("localhost");
  expect(await certificate.renewed()).toBeUndefined();
  await clock.advanceBy(300 * DAY_MS);
  expect(await certificate.renewed()).toBeUndefined();
  await clock.advanceBy(MINUTE_MS);
  const second = new X509Certificate((await certificate.renewed())?.cert ?? "");
  expect(second.validToDate.getTime() - first.validToDate.getTime()).toBeGreaterThan(299 * DAY_MS);
});

test("pages are shown over TLS, with a certificate of its own making", async () => {
  await serve(ownCertificate(clock, ["localhost"]));
  expect((await ask())[0]).toBe("/a");
});

test("a certificate in files is read again, and stays while they cannot be used", async () => {
  const authority = await CertificateAuthority.create("test", clock);
  const files = { cert: join(directory, "tls.crt"), key: join(directory, "tls.key") };
  const renew = async (): Promise<void> => {
    const { cert, key } = await authority.issue({ commonName: "pages", hosts: ["localhost"] });
    await writeFile(files.cert, cert);
    await writeFile(files.key, key);
  };
  await renew();
  await serve(certificateOfFiles(files));
  const trusting = { ca: authority.cert, rejectUnauthorized: true, servername: "localhost" };
  const [, first] = await ask(trusting);
  await writeFile(files.key, "torn");
  await clock.advanceBy(MINUTE_MS);
  expect((await ask(trusting))[1]).toBe(first);
  await renew();
  await expect.poll(async () => (await clock.advanceBy(MINUTE_MS), (await ask(trusting))[1])).not.toBe(first);
});

test("without a certificate nothing is served", async () => {
  const files = { cert: join(directory, "none"), key: join(directory, "none") };
  await expect(serve(certificateOfFiles(files))).rejects.toThrow("there is no certificate to serve with");
});

/** All that have begun to listen. */
async function serversOf(start: () => Promise<unknown>): Promise<readonly Server[]> {
  const servers: Server[] = [];
  const onListening = (message: unknown): void => {
    const { server: listening } = message as { readonly server: unknown };
    if (listening instanceof Server) servers.push(listening);
  };
  subscribe("tracing:net.server.listen:asyncEnd", onListening);
  await start();
  unsubscribe("tracing:net.server.listen:asyncEnd", onListening);
  return servers;
}

test("a connection that cannot be accepted stops neither the pages nor the care for their certificate", async () => {
  let rounds = 0;
  const own = ownCertificate(clock, ["localhost"]);
  const certificate = { renewed: async () => (rounds++, own.renewed()) };
  const [listening] = await serversOf(async () => serve(certificate));
  for (const code of ["EMFILE", "ENFILE"]) listening?.emit("error", new Error(`accept ${code}`));
  expect((await ask())[0]).toBe("/a");
  const before = rounds;
  await clock.advanceBy(MINUTE_MS);
  expect(rounds).toBe(before + 1);
});

test("a port that is taken is no port, and nobody looks after a certificate for it", async () => {
  const { port } = await servePages(pages, { port: 0, clock, log: silentLogger }).then(
    (first) => (server = first),
  );
  let rounds = 0;
  const own = ownCertificate(clock, ["localhost"]);
  const certificate = { renewed: async () => (rounds++, own.renewed()) };
  await expect(servePages(pages, { port, clock, log: silentLogger, certificate })).rejects.toThrow(
    `cannot listen on port ${port}`,
  );
  await clock.advanceBy(MINUTE_MS);
  expect([rounds, clock.pendingTimers]).toEqual([1, 0]);
});

test("a page that fails is answered with 500, and the others go on", async () => {
  const errors: string[] = [];
  const log: Logger = { ...silentLogger, error: (error) => errors.push(String(error)) };
  const failing = async (path: string): Promise<Page> => {
    if (path === "/torn") throw new Error("torn");
    return { status: 200, contentType: "text/plain", body: path };
  };
  server = await servePages([failing], { port: 0, clock, log });
  const statuses = await Promise.all(
    ["/torn", "/b"].map(async (path) => {
      const asked = getPlain({ host: "127.0.0.1", port: server?.port, path, agent: false });
      const [response] = (await once(asked, "response")) as [IncomingMessage];
      response.resume();
      return response.statusCode;
    }),
  );
  expect(statuses).toEqual([500, 200]);
  expect(errors).toEqual(["Error: torn"]);
});

test("whoever gives up during the hand-shake is let go, and nobody else hears of it", async () => {
  await serve(ownCertificate(clock, ["localhost"]));
  const stranger = connect({ host: "127.0.0.1", port: server?.port ?? 0 });
  stranger.on("error", () => undefined).resume();
  stranger.write("GET / HTTP/1.1\r\n\r\n");
  await once(stranger, "close");
  expect((await ask())[0]).toBe("/a");
});

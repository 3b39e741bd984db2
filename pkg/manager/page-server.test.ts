import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { get, type RequestOptions } from "node:https";
import type { IncomingMessage } from "node:http";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { TLSSocket } from "node:tls";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { silentLogger } from "../log/logger.ts";
import { CertificateAuthority } from "../pki/certificate-authority.ts";
import { certificateOfFiles, ownCertificate, type PageCertificate } from "./page-certificate.ts";
import { type PageServer, servePages } from "./page-server.ts";

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

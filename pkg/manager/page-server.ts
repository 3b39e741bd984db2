import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { createServer as createSecureServer, type Server as SecureServer } from "node:https";
import { messageOf } from "../api/errors.ts";
import { nodeHttp } from "../client/http/node-http.ts";
import type { Clock } from "../clock/clock.ts";
import { sleep } from "../clock/wait.ts";
import type { Logger } from "../log/logger.ts";
import type { PageCertificate } from "./page-certificate.ts";
import { type Page, type Pages, TEXT } from "./pages.ts";
import { StartError } from "./start-error.ts";

export interface PageServer {
  readonly port: number;
  /** Takes no more connections; resolves when requests under way are answered. */
  close(): Promise<void>;
}

/** What somebody asks for. */
export interface Asked {
  readonly authorization: string | undefined;
  /** As rules name it: "get". */
  readonly verb: string;
  readonly path: string;
}

/** Gives what is answered to those who may not see the page; undefined: they may. */
export type Guard = (asked: Asked) => Promise<Page | undefined>;

export interface PageServerOptions {
  /** 0: any that is free. */
  readonly port: number;
  readonly clock: Clock;
  readonly log: Logger;
  /** HTTPS with this certificate; HTTP when left out. */
  readonly certificate?: PageCertificate | undefined;
  /** Everybody sees the pages when left out. */
  readonly guard?: Guard | undefined;
}

const OLDEST_TLS = "TLSv1.2";
/** How often certificates are looked after. */
const ROUND_MS = 60_000;

/** Serves pages. Throws a StartError when it cannot listen, or has no certificate to begin with. */
export async function servePages(pages: readonly Pages[], options: PageServerOptions): Promise<PageServer> {
  const { port, log, guard } = options;
  const handle: RequestListener = (request, response) => {
    answer({ pages, guard }, request, response).catch((error: unknown) => {
      log.error(error, "A page cannot be shown", { url: request.url });
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  };
  const stop = new AbortController();
  const { server, followed } = await created(handle, options, stop.signal);
  await new Promise<void>((resolve, reject) => {
    const onError = (error: Error): void => {
      stop.abort(error);
      reject(new StartError(`cannot listen on port ${port}`, error));
    };
    server.once("error", onError);
    server.listen(port, () => {
      server.off("error", onError);
      resolve();
    });
  });
  server.on("error", (error) => log.error(error, "The server of pages failed", { why: messageOf(error) }));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    close: async () => {
      stop.abort(new Error("the server of pages ends"));
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      await Promise.all([closed, followed()]);
    },
  };
}

interface Created {
  readonly server: Server | SecureServer;
  /** Looks after its certificate from now on. */
  readonly followed: () => Promise<void>;
}

async function created(
  handle: RequestListener,
  { clock, log, certificate }: PageServerOptions,
  signal: AbortSignal,
): Promise<Created> {
  if (certificate === undefined)
    return { server: nodeHttp.createServer(handle), followed: async () => undefined };
  const pair = await certificate.renewed().catch((error: unknown) => {
    throw new StartError("there is no certificate to serve with", error);
  });
  const server = createSecureServer({ ...pair, minVersion: OLDEST_TLS }, handle);
  const following = follow(server, { clock, log, certificate }, signal);
  return { server, followed: async () => following };
}

async function follow(
  server: SecureServer,
  { clock, log, certificate }: { clock: Clock; log: Logger; certificate: PageCertificate },
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      await sleep(clock, ROUND_MS, signal);
      const pair = await certificate.renewed();
      if (pair !== undefined) server.setSecureContext({ ...pair, minVersion: OLDEST_TLS });
    } catch (error) {
      if (signal.aborted) return;
      log.error(error, "The certificate of the server of pages cannot be renewed: the former one stays");
    }
  }
}

async function answer(
  { pages, guard }: { readonly pages: readonly Pages[]; readonly guard: Guard | undefined },
  { url = "/", method = "GET", headers }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  const { authorization } = headers;
  const page =
    (await guard?.({ authorization, verb: method.toLowerCase(), path })) ??
    (method === "GET" || method === "HEAD" ? await find(pages, path, url.slice(path.length + 1)) : undefined);
  const { status, contentType, body } = page ?? {
    status: 404,
    contentType: TEXT,
    body: "404 page not found\n",
  };
  response.writeHead(status, {
    "content-type": contentType,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(method === "HEAD" ? undefined : body);
}

async function find(pages: readonly Pages[], path: string, query: string): Promise<Page | undefined> {
  const asked = new URLSearchParams(query);
  for (const show of pages) {
    const page = await show(path, asked);
    if (page !== undefined) return page;
  }
  return undefined;
}

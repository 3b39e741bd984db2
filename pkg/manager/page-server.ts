import type { IncomingMessage, ServerResponse } from "node:http";
import { messageOf } from "../api/errors.ts";
import { nodeHttp } from "../client/http/node-http.ts";
import type { Logger } from "../log/logger.ts";
import type { Page, Pages } from "./pages.ts";
import { StartError } from "./start-error.ts";

export interface PageServer {
  readonly port: number;
  /** Takes no more connections; resolves when requests under way are answered. */
  close(): Promise<void>;
}

/** Serves pages over HTTP, on a port of its own choice for 0. Throws a StartError when it cannot listen. */
export async function servePages(pages: readonly Pages[], port: number, log: Logger): Promise<PageServer> {
  const server = nodeHttp.createServer((request, response) => {
    answer(pages, request, response).catch((error: unknown) => {
      log.error(error, "A page cannot be shown", { url: request.url });
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(new StartError(`cannot listen on port ${port}`, error)));
    server.listen(port, resolve);
  });
  server.on("error", (error) => log.error(error, "The server of pages failed", { why: messageOf(error) }));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : port,
    close: async () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

async function answer(
  pages: readonly Pages[],
  { url = "/", method = "GET" }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const page = method === "GET" || method === "HEAD" ? await find(pages, url) : undefined;
  if (page === undefined) {
    response.writeHead(404, { "content-type": "text/plain" });
    response.end("404 page not found\n");
    return;
  }
  response.writeHead(page.status, {
    "content-type": page.contentType,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
  });
  response.end(method === "HEAD" ? undefined : page.body);
}

async function find(pages: readonly Pages[], url: string): Promise<Page | undefined> {
  const mark = url.indexOf("?");
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? "" : url.slice(mark + 1));
  for (const show of pages) {
    const page = await show(path, query);
    if (page !== undefined) return page;
  }
  return undefined;
}

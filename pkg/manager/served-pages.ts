import type { ClientBuilder } from "../client/client-builder.ts";
import { unlimited } from "../client/limiter.ts";
import { delegatedGuard } from "./access/delegated-guard.ts";
import type { Host } from "./host.ts";
import type { Ports, SecureMetricsOptions } from "./options.ts";
import { certificateOfFiles, ownCertificate } from "./page-certificate.ts";
import { type PageServer, type PageServerOptions, servePages } from "./page-server.ts";
import type { Pages } from "./pages.ts";
import { StartError } from "./start-error.ts";

export interface ServedPagesOptions {
  /** Of the program. */
  readonly name: string;
  readonly port: Ports;
  readonly secure: SecureMetricsOptions | undefined;
  readonly health: readonly Pages[];
  readonly metrics: readonly Pages[];
  readonly host: Host;
  readonly clients: ClientBuilder;
}

export interface ServedPages {
  readonly ports: Pick<Ports, "health" | "metrics">;
  close(): Promise<void>;
}

/** Serves health and metrics, each on its port; on the same where that is asked for. Throws a StartError. */
export async function servedPages(options: ServedPagesOptions): Promise<ServedPages> {
  const { port, secure, health, metrics, host } = options;
  const { clock, log } = host;
  const isOne = port.health !== undefined && port.health === port.metrics && port.health !== 0;
  if (isOne && secure !== undefined)
    throw new StartError("health is for everybody and metrics are not: they need a port each");
  const servers: PageServer[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(servers.map(async (server) => server.close()));
  };
  const serve = async (pages: readonly Pages[], parts: PageServerOptions): Promise<number> => {
    const server = await servePages(pages, parts);
    servers.push(server);
    return server.port;
  };
  const ports: { health?: number; metrics?: number } = {};
  try {
    if (port.health !== undefined)
      ports.health = await serve(isOne ? [...health, ...metrics] : health, { port: port.health, clock, log });
    if (isOne) ports.metrics = port.health;
    else if (port.metrics !== undefined)
      ports.metrics = await serve(metrics, { port: port.metrics, clock, log, ...secured(options) });
  } catch (error) {
    await close();
    throw error;
  }
  return { ports, close };
}

function secured({
  name,
  secure,
  host: { clock, random, log, metrics },
  clients,
}: ServedPagesOptions): Pick<PageServerOptions, "certificate" | "guard"> {
  if (secure === undefined) return {};
  const { files, hosts = [`${name}-metrics`, "localhost"], everybody = false } = secure;
  const certificate = files === undefined ? ownCertificate(clock, hosts) : certificateOfFiles(files);
  if (everybody) return { certificate };
  const { rest } = clients.client("metrics-access", { limiter: unlimited });
  return { certificate, guard: delegatedGuard({ rest, clock, random, log, metrics: metrics.main }) };
}

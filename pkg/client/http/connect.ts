import { messageOf } from "../../api/errors.ts";
import { isIP, type Socket } from "node:net";
import { connect as connectTls, createSecureContext, type SecureContext } from "node:tls";
import type { Clock } from "../../clock/clock.ts";
import { DeadlineError, withDeadline } from "../../clock/wait.ts";
import { TransportError } from "../transport.ts";
import { hostAndPort, hostOf } from "../url-host.ts";
import { dial, ready } from "./dial.ts";
import type { TlsMaterial } from "./identity.ts";
import { connectThroughProxy } from "./proxy.ts";

export interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  readonly proxy?: URL;
  readonly http1Only: boolean;
}

export type Protocol = "h2" | "http/1.1";

export interface Connected {
  readonly socket: Socket;
  readonly protocol: Protocol;
}

const CONNECT_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 30_000;

export function endpointOf(server: URL, http1Only: boolean, proxy?: URL): Endpoint {
  const secure = server.protocol === "https:";
  const host = hostOf(server);
  const port = server.port === "" ? (secure ? 443 : 80) : Number(server.port);
  return { host, port, secure, http1Only, ...(proxy === undefined ? {} : { proxy }) };
}

/** A connection to the API server, ready for requests; HTTP/2 where the server speaks it. */
export async function connect(endpoint: Endpoint, tls: TlsMaterial, clock: Clock): Promise<Connected> {
  const where = hostAndPort(endpoint.host, endpoint.port);
  try {
    return await withDeadline(
      clock,
      { limitMs: CONNECT_TIMEOUT_MS, what: `connecting to ${where}` },
      async (signal) => {
        const tcp = await openTcp(endpoint, signal);
        return endpoint.secure ? startTls(tcp, endpoint, tls, signal) : { socket: tcp, protocol: "http/1.1" };
      },
    );
  } catch (failure) {
    if (failure instanceof TransportError) throw failure;
    const message = messageOf(failure);
    if (failure instanceof DeadlineError) throw new TransportError("timeout", message, false, failure);
    throw new TransportError("refused", `cannot connect to ${where}: ${message}`, false, failure);
  }
}

async function openTcp(endpoint: Endpoint, signal: AbortSignal): Promise<Socket> {
  const socket =
    endpoint.proxy === undefined
      ? await dial(endpoint.host, endpoint.port, signal)
      : await connectThroughProxy(endpoint.proxy, endpoint, signal);
  socket.setNoDelay(true);
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
  return socket;
}

async function startTls(
  tcp: Socket,
  { host, http1Only }: Endpoint,
  tls: TlsMaterial,
  signal: AbortSignal,
): Promise<Connected> {
  const serverName = tls.serverName ?? host;
  const socket = connectTls({
    socket: tcp,
    host,
    secureContext: contextOf(tls),
    // An address is no name to ask for (RFC 6066), but the certificate must bear it all the same.
    ...(isIP(serverName) === 0 ? { servername: serverName } : {}),
    ALPNProtocols: http1Only ? ["http/1.1"] : ["h2", "http/1.1"],
    ...(tls.insecure ? { rejectUnauthorized: false } : {}),
  });
  try {
    await ready(socket, "secureConnect", signal);
  } catch (failure) {
    tcp.destroy();
    if (signal.aborted || isReset(failure)) throw failure;
    throw new TransportError("tls", `TLS with ${host}: ${(failure as Error).message}`, false, failure);
  }
  return { socket, protocol: socket.alpnProtocol === "h2" ? "h2" : "http/1.1" };
}

/** Authorities and keys are read once for all connections with them. */
const contexts = new WeakMap<TlsMaterial, SecureContext>();

function contextOf(tls: TlsMaterial): SecureContext {
  const known = contexts.get(tls);
  if (known !== undefined) return known;
  const context = createSecureContext({
    // As Go has it, what is named as an authority is one: a certificate that another one has signed, too.
    ...(tls.ca === undefined ? {} : { ca: tls.ca, allowPartialTrustChain: true }),
    ...(tls.cert === undefined ? {} : { cert: tls.cert }),
    ...(tls.key === undefined ? {} : { key: tls.key }),
  });
  contexts.set(tls, context);
  return context;
}

function isReset(failure: unknown): boolean {
  return failure instanceof Error && "code" in failure && failure.code === "ECONNRESET";
}

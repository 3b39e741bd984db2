import { request as requestHttps } from "node:https";
import type { Socket } from "node:net";
import { TransportError } from "../transport.ts";
import { hostAndPort, hostOf } from "../url-host.ts";
import { dial } from "./dial.ts";
import { nodeHttp } from "./node-http.ts";
import { socksHandshake } from "./socks.ts";

const SOCKS_PORT = 1080;

interface Target {
  readonly host: string;
  readonly port: number;
}

/** A tunnel to the target: through an HTTP(S) proxy (CONNECT) or a SOCKS5 proxy. */
export async function connectThroughProxy(proxy: URL, target: Target, signal: AbortSignal): Promise<Socket> {
  return proxy.protocol.startsWith("socks")
    ? throughSocks(proxy, target, signal)
    : throughHttp(proxy, target, signal);
}

async function throughSocks(proxy: URL, target: Target, signal: AbortSignal): Promise<Socket> {
  const port = proxy.port === "" ? SOCKS_PORT : Number(proxy.port);
  const socket = await dial(hostOf(proxy), port, signal);
  const onAbort = (): void => void socket.destroy(signal.reason as Error);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    await socksHandshake(socket, proxy, target);
    return socket;
  } catch (failure) {
    socket.destroy();
    throw signal.aborted ? (signal.reason as Error) : failure;
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}

async function throughHttp(proxy: URL, target: Target, signal: AbortSignal): Promise<Socket> {
  const authority = hostAndPort(target.host, target.port);
  const secure = proxy.protocol === "https:";
  return new Promise<Socket>((resolve, reject) => {
    const refuse = (why: string, cause?: unknown): void =>
      reject(new TransportError("refused", `the proxy ${proxy.host} ${why}`, false, cause));
    const tunnel = (secure ? requestHttps : nodeHttp.request)({
      host: hostOf(proxy),
      port: proxy.port === "" ? (secure ? 443 : 80) : Number(proxy.port),
      method: "CONNECT",
      path: authority,
      headers: { host: authority, ...proxyAuthorization(proxy) },
      agent: false,
      signal,
    });
    tunnel.once("connect", (response, socket: Socket) => {
      if (response.statusCode === 200) {
        resolve(socket);
        return;
      }
      socket.destroy();
      refuse(`answered with ${response.statusCode}`);
    });
    tunnel.once("error", (cause) => {
      if (signal.aborted) reject(signal.reason as Error);
      else refuse(`cannot be used: ${cause.message}`, cause);
    });
    tunnel.end();
  });
}

function proxyAuthorization(proxy: URL): Record<string, string> {
  if (proxy.username === "") return {};
  const user = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(user).toString("base64")}` };
}

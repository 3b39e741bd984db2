import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { Socket } from "node:net";
import { TransportError } from "../transport.ts";

/** A tunnel to the target through an HTTP(S) proxy (CONNECT). */
export async function connectThroughProxy(
  proxy: URL,
  target: { readonly host: string; readonly port: number },
  signal: AbortSignal,
): Promise<Socket> {
  const authority = `${target.host.includes(":") ? `[${target.host}]` : target.host}:${target.port}`;
  const request = proxy.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise<Socket>((resolve, reject) => {
    const tunnel = request({
      host: proxy.hostname,
      port: proxy.port === "" ? (proxy.protocol === "https:" ? 443 : 80) : Number(proxy.port),
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
      reject(
        new TransportError("refused", `the proxy ${proxy.host} answered with ${response.statusCode}`, false),
      );
    });
    tunnel.once("response", (response) => {
      response.destroy();
      reject(
        new TransportError("refused", `the proxy ${proxy.host} answered with ${response.statusCode}`, false),
      );
    });
    tunnel.once("error", (cause) => {
      const reason = signal.aborted ? (signal.reason as Error) : cause;
      reject(
        signal.aborted
          ? reason
          : new TransportError("refused", `the proxy ${proxy.host}: ${cause.message}`, false, cause),
      );
    });
    tunnel.end();
  });
}

function proxyAuthorization(proxy: URL): Record<string, string> {
  if (proxy.username === "") return {};
  const user = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(user).toString("base64")}` };
}

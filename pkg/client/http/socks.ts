import { messageOf } from "../../api/errors.ts";
import { once } from "node:events";
import type { Socket } from "node:net";
// undici exports only a whole dispatcher for it.
import { Socks5Client } from "undici/lib/core/socks5-client.js";
import { TransportError } from "../transport.ts";

/** Asks the SOCKS5 proxy at the other end of `socket` for a connection to the target (RFC 1928, 1929). */
export async function socksHandshake(
  socket: Socket,
  proxy: URL,
  target: { readonly host: string; readonly port: number },
): Promise<void> {
  const [username = "", password = ""] = [proxy.username, proxy.password].map(decodeURIComponent);
  const client = new Socks5Client(socket, { username, password });
  // It tells of failures and of the end of the connection by one event each, whoever listens.
  const ended = Promise.withResolvers<never>();
  client.on("error", ended.reject).on("close", () => ended.reject(new Error("it closed the connection")));
  ended.promise.catch(() => undefined);
  const step = async (event: string, take: () => void): Promise<void> => {
    const reached = once(client, event);
    reached.catch(() => undefined);
    take();
    await Promise.race([reached, ended.promise]);
  };
  try {
    await step("authenticated", () => client.handshake());
    // The proxy looks the name up: this side of it may know no names of the other.
    await step("connected", () => client.connect(target.host, target.port));
  } catch (cause) {
    const why = messageOf(cause);
    throw new TransportError("refused", `the proxy ${proxy.host} gives no connection: ${why}`, false, cause);
  }
}

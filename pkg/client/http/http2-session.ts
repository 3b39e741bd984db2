import type { ClientHttp2Session } from "node:http2";
import type { Client } from "undici";
import symbols from "undici/lib/core/symbols.js";

/** The HTTP/2 session of a client that is connected; undici gives no other way to what its server allows. */
export function sessionOf(client: Client): ClientHttp2Session | undefined {
  const session = (client as { [symbols.kHTTP2Session]?: ClientHttp2Session | null })[symbols.kHTTP2Session];
  return session?.destroyed === false ? session : undefined;
}

import type { Socket } from "node:net";
import { TransportError } from "../transport.ts";

const VERSION = 5;
const NO_AUTHENTICATION = 0;
const USERNAME_PASSWORD = 2;
const CONNECT = 1;
const DOMAIN_NAME = 3;
/** Length of the address in a reply, by its type: IPv4, (name: its first byte says), IPv6. */
const ADDRESS_BYTES: ReadonlyMap<number, number> = new Map([
  [1, 4],
  [4, 16],
]);

/** Asks the SOCKS5 proxy at the other end of `socket` for a connection to the target (RFC 1928, 1929). */
export async function socksHandshake(
  socket: Socket,
  proxy: URL,
  target: { readonly host: string; readonly port: number },
): Promise<void> {
  const read = reader(socket);
  const withPassword = proxy.username !== "";
  const methods = withPassword ? [NO_AUTHENTICATION, USERNAME_PASSWORD] : [NO_AUTHENTICATION];
  socket.write(Buffer.from([VERSION, methods.length, ...methods]));
  const [version, method] = await read(2);
  if (version !== VERSION) throw refused(proxy, "speaks no SOCKS5");
  if (method === USERNAME_PASSWORD && withPassword) await logIn(socket, proxy, read);
  else if (method !== NO_AUTHENTICATION) throw refused(proxy, "accepts no way to log in that is configured");

  // The proxy looks the name up: this side of it may know no names of the other.
  const port = Buffer.alloc(2);
  port.writeUInt16BE(target.port);
  socket.write(
    Buffer.concat([Buffer.from([VERSION, CONNECT, 0, DOMAIN_NAME]), lengthAndText(target.host), port]),
  );
  const [, status, , addressType = 0] = await read(4);
  if (status !== 0) throw refused(proxy, `refused the connection (code ${status})`);
  await read((ADDRESS_BYTES.get(addressType) ?? (await read(1))[0] ?? 0) + 2);
}

async function logIn(socket: Socket, proxy: URL, read: Read): Promise<void> {
  const [user, password] = [proxy.username, proxy.password].map((text) => decodeURIComponent(text));
  socket.write(Buffer.concat([Buffer.from([1]), lengthAndText(user ?? ""), lengthAndText(password ?? "")]));
  const [, status] = await read(2);
  if (status !== 0) throw refused(proxy, "rejected the user or the password");
}

function lengthAndText(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

function refused(proxy: URL, why: string): TransportError {
  return new TransportError("refused", `the proxy ${proxy.host} ${why}`, false);
}

type Read = (length: number) => Promise<Buffer>;

/** Takes exactly so many bytes from the socket: what follows belongs to the tunnel. */
function reader(socket: Socket): Read {
  return async (length) => {
    for (;;) {
      const bytes = socket.read(length) as Buffer | null;
      if (bytes !== null) return bytes;
      await new Promise<void>((resolve, reject) => {
        const settle = (finish: () => void) => (): void => {
          socket.off("readable", onReadable).off("end", onEnd).off("error", onError);
          finish();
        };
        const onReadable = settle(resolve);
        const onEnd = settle(() => reject(new Error("the proxy closed the connection")));
        const onError = settle(() => reject(new Error("the connection to the proxy broke")));
        socket.on("readable", onReadable).on("end", onEnd).on("error", onError);
      });
    }
  };
}

import { once } from "node:events";
import type { AddressInfo, Server, Socket } from "node:net";
import { connect, createServer, SocketAddress } from "node:net";
import { hostAndPort } from "../../pkg/client/url-host.ts";

interface Login {
  readonly user: string;
  readonly password: string;
  readonly required: boolean;
}

const IPV4 = 1;
const IPV6 = 4;

/** A SOCKS5 proxy, as far as clients use one: names and addresses, with or without a password. */
export class SocksServer {
  readonly targets: string[] = [];
  port = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(login: Login) {
    this.#server = createServer((client) => {
      this.#sockets.add(client);
      client.on("error", () => client.destroy());
      this.#serve(client, login).catch(() => client.destroy());
    });
  }

  static async start(login: Login, host = "127.0.0.1"): Promise<SocksServer> {
    const server = new SocksServer(login);
    await new Promise<void>((resolve) => server.#server.listen(0, host, resolve));
    server.port = (server.#server.address() as AddressInfo).port;
    return server;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(client: Socket, login: Login): Promise<void> {
    const next = async (length: number): Promise<Buffer> => {
      for (;;) {
        const bytes = client.read(length) as Buffer | null;
        if (bytes?.length === length) return bytes;
        if (client.readableEnded) throw new Error("the client asked for half of something");
        await once(client, "readable");
      }
    };
    const text = async (): Promise<string> => (await next((await next(1))[0] ?? 0)).toString();
    const address = async (family: number): Promise<string> => {
      if (family === IPV4) return (await next(4)).join(".");
      const groups = (await next(16)).toString("hex").match(/.{4}/g) ?? [];
      return new SocketAddress({ address: groups.join(":"), family: "ipv6" }).address;
    };
    await next((await next(2))[1] ?? 0);
    client.write(Buffer.from([5, login.required ? 2 : 0]));
    if (login.required) {
      await next(1);
      const good = (await text()) === login.user && (await text()) === login.password;
      client.write(Buffer.from([1, good ? 0 : 1]));
      if (!good) throw new Error("wrong user or password");
    }
    const type = (await next(4))[3];
    const host = await (type === IPV4 || type === IPV6 ? address(type) : text());
    const port = (await next(2)).readUInt16BE();
    this.targets.push(hostAndPort(host, port));
    const target = connect(port, host, () => {
      client.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]));
      target.pipe(client).pipe(target);
    });
    target.on("error", () => client.destroy());
    client.on("close", () => target.destroy());
  }
}

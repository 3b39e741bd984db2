import type { AddressInfo, Server, Socket } from "node:net";
import { connect, createServer } from "node:net";

/** A TCP relay in front of a server that can freeze: connections stay open (new ones too), and no byte passes until it thaws. */
export class Relay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #frozen = false;

  private constructor(targetPort: number) {
    this.#server = createServer((client) => {
      const target = connect(targetPort, "127.0.0.1");
      for (const [from, to] of [
        [client, target],
        [target, client],
      ] as const) {
        this.#sockets.add(from);
        from.on("data", (chunk) => to.write(chunk));
        from.on("close", () => {
          this.#sockets.delete(from);
          to.destroy();
        });
        from.on("error", () => to.destroy());
        if (this.#frozen) from.pause();
      }
    });
  }

  static async start(targetPort: number): Promise<Relay> {
    const relay = new Relay(targetPort);
    await new Promise<void>((resolve) => relay.#server.listen(0, "127.0.0.1", resolve));
    return relay;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  freeze(): void {
    this.#frozen = true;
    for (const socket of this.#sockets) socket.pause();
  }

  thaw(): void {
    this.#frozen = false;
    for (const socket of this.#sockets) socket.resume();
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

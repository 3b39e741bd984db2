declare module "undici/lib/dispatcher/client.js" {
  export { Client as default } from "undici";
}

declare module "undici/lib/core/symbols.js" {
  const symbols: { readonly kHTTP2Session: unique symbol };
  export default symbols;
}

declare module "undici/lib/core/socks5-client.js" {
  import type { EventEmitter } from "node:events";
  import type { Socket } from "node:net";
  export class Socks5Client extends EventEmitter {
    constructor(socket: Socket, options: { readonly username?: string; readonly password?: string });
    handshake(): void;
    connect(address: string, port: number): void;
  }
}

import { createHash, randomBytes } from "node:crypto";
import type { Duplex } from "node:stream";
import type { MessageStream } from "../transport.ts";
import { writeThrough } from "./write-through.ts";

/** RFC 6455. */
const MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const CONTINUATION = 0x0;
const TEXT = 0x1;
const BINARY = 0x2;
const CLOSE = 0x8;
const PING = 0x9;
const PONG = 0xa;
const MOST_BYTES = 16 * 1024 * 1024;
const NORMAL_CLOSURE = 1000;

interface Frame {
  readonly isLast: boolean;
  readonly opcode: number;
  readonly payload: Buffer;
}

/** What the server answers to the key of a client. */
export function acceptKey(key: string): string {
  return createHash("sha1")
    .update(key + MAGIC)
    .digest("base64");
}

export class WebSocketError extends Error {
  readonly code = "WEB_SOCKET";
}

/** Clients mask what they send, and servers do not. */
export type WebSocketEnd = "client" | "server";

/** One end of a WebSocket, after the handshake. */
export class WebSocket implements MessageStream {
  readonly protocol: string;
  readonly #socket: Duplex;
  readonly #end: WebSocketEnd;
  #buffered: Buffer;
  #isClosed = false;

  constructor(socket: Duplex, head: Buffer, end: WebSocketEnd = "server", protocol = "") {
    this.#socket = socket;
    this.#buffered = head;
    this.#end = end;
    this.protocol = protocol;
  }

  /** Whole messages, until the other side closes or the connection ends. Pings are answered. */
  async *messages(): AsyncIterable<Buffer> {
    let parts: Buffer[] = [];
    let length = 0;
    for await (const { isLast, opcode, payload } of this.#frames()) {
      if (opcode === CLOSE) {
        await this.close();
        return;
      }
      if (opcode === PING) await this.#write(PONG, payload);
      if (opcode !== CONTINUATION && opcode !== TEXT && opcode !== BINARY) continue;
      parts.push(payload);
      length += payload.length;
      if (length > MOST_BYTES) throw new WebSocketError("a message is too long");
      if (!isLast) continue;
      yield Buffer.concat(parts);
      parts = [];
      length = 0;
    }
  }

  /** As fast as the other side reads. */
  async send(payload: Uint8Array): Promise<void> {
    if (!this.#isClosed) await this.#write(BINARY, payload);
  }

  /** Asks for a sign of life. */
  async ping(): Promise<void> {
    if (!this.#isClosed) await this.#write(PING, Buffer.alloc(0));
  }

  /** Says good-bye; what comes after that is not read. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    const code = Buffer.alloc(2);
    code.writeUInt16BE(NORMAL_CLOSURE);
    await this.#write(CLOSE, code);
    this.#isClosed = true;
    this.#socket.end();
  }

  async *#frames(): AsyncIterable<Frame> {
    const next = this.#takeFrame.bind(this);
    for (let frame = next(); frame !== undefined; frame = next()) yield frame;
    for await (const chunk of this.#socket as AsyncIterable<Buffer>) {
      this.#buffered = this.#buffered.length === 0 ? chunk : Buffer.concat([this.#buffered, chunk]);
      for (let frame = next(); frame !== undefined; frame = next()) yield frame;
    }
  }

  #takeFrame(): Frame | undefined {
    const header = headerOf(this.#buffered, this.#end === "server");
    if (header === undefined) return undefined;
    const { start, length, mask } = header;
    if (length > MOST_BYTES) throw new WebSocketError("a frame is too long");
    if (this.#buffered.length < start + length) return undefined;
    const payload = Buffer.from(this.#buffered.subarray(start, start + length));
    if (mask !== undefined) applyMask(payload, mask);
    const [first = 0] = this.#buffered;
    this.#buffered = this.#buffered.subarray(start + length);
    return { isLast: (first & 0x80) !== 0, opcode: first & 0x0f, payload };
  }

  async #write(opcode: number, payload: Uint8Array): Promise<void> {
    const socket = this.#socket;
    if (socket.writableEnded || socket.destroyed) return;
    const head = frameHead(opcode, payload.length);
    if (this.#end === "client") {
      const mask = randomBytes(4);
      head[1] = (head[1] ?? 0) | 0x80;
      socket.write(Buffer.concat([head, mask]));
      payload = Buffer.from(payload);
      applyMask(payload, mask);
    } else socket.write(head);
    await writeThrough(socket, payload);
  }
}

function applyMask(payload: Uint8Array, mask: Buffer): void {
  for (let index = 0; index < payload.length; index++)
    payload[index] = (payload[index] ?? 0) ^ (mask[index & 3] ?? 0);
}

interface FrameHeader {
  /** Where the payload begins. */
  readonly start: number;
  readonly length: number;
  readonly mask: Buffer | undefined;
}

function headerOf(bytes: Buffer, isMasked: boolean): FrameHeader | undefined {
  if (bytes.length < 2) return undefined;
  const second = bytes[1] ?? 0;
  if (((second & 0x80) !== 0) !== isMasked) {
    throw new WebSocketError(
      isMasked ? "a client has to mask what it sends" : "a server must not mask what it sends",
    );
  }
  const short = second & 0x7f;
  const wide = short === 126 ? 2 : short === 127 ? 8 : 0;
  const start = 2 + wide + (isMasked ? 4 : 0);
  if (bytes.length < start) return undefined;
  let length = short;
  if (wide === 2) length = bytes.readUInt16BE(2);
  if (wide === 8) length = Number(bytes.readBigUInt64BE(2));
  return { start, length, mask: isMasked ? bytes.subarray(start - 4, start) : undefined };
}

/** E.g. 70,000 bytes: 82 7f 00 00 00 00 00 01 11 70. */
function frameHead(opcode: number, length: number): Buffer {
  const first = 0x80 | opcode;
  if (length < 126) return Buffer.from([first, length]);
  if (length < 0x1_0000) {
    const head = Buffer.from([first, 126, 0, 0]);
    head.writeUInt16BE(length, 2);
    return head;
  }
  const head = Buffer.alloc(10);
  head[0] = first;
  head[1] = 127;
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

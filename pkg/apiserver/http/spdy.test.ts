import { createDeflate, createInflate, constants, type Deflate, type Inflate } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { MessageStream } from "../../client/transport.ts";
import { messagePipe } from "./message-pipe.ts";
import { SpdyConnection, type SpdyStream } from "./spdy.ts";
import { spdyDictionary } from "./spdy-dictionary.ts";

const [SYN_STREAM, SYN_REPLY, RST_STREAM, PING, GOAWAY, FIN] = [1, 2, 3, 6, 7, 1];

let near: MessageStream;
let opened: SpdyStream[];
let served: Promise<void>;
let deflate: Deflate;
let inflate: Inflate;

beforeEach(() => {
  const [client, server] = messagePipe("SPDY/3.1");
  near = client;
  opened = [];
  served = new SpdyConnection(server, (stream) => void opened.push(stream)).serve();
  deflate = createDeflate({ dictionary: spdyDictionary });
  inflate = createInflate({ dictionary: spdyDictionary });
});

afterEach(async () => {
  await near.close();
  deflate.destroy();
  inflate.destroy();
});

function control(type: number, payload: Buffer, flags = 0): Buffer {
  const head = Buffer.from([0x80, 3, 0, type, flags, 0, 0, 0]);
  head.writeUIntBE(payload.length, 5, 3);
  return Buffer.concat([head, payload]);
}

function data(stream: number, text: string, flags = 0): Buffer {
  return Buffer.concat([Buffer.from([0, 0, 0, stream, flags, 0, 0, text.length]), Buffer.from(text)]);
}

const number = (value: number): Buffer => Buffer.from([value >>> 24, value >> 16, value >> 8, value]);

/** What a codec makes of these bytes, which belong to one stream of zlib. */
async function through(codec: Deflate | Inflate, bytes: Buffer): Promise<Buffer> {
  const out: Buffer[] = [];
  const keep = (chunk: Buffer): void => void out.push(chunk);
  codec.on("data", keep);
  await new Promise<void>((resolve) => codec.write(bytes, () => resolve()));
  await new Promise<void>((resolve) => codec.flush(constants.Z_SYNC_FLUSH, () => resolve()));
  codec.off("data", keep);
  return Buffer.concat(out);
}

async function opening(id: number, headers: Readonly<Record<string, string>>, flags = 0): Promise<Buffer> {
  const texts = Object.entries(headers)
    .flat()
    .map((text) => Buffer.concat([number(text.length), Buffer.from(text)]));
  const block = Buffer.concat([number(Object.keys(headers).length), ...texts]);
  const packed = await through(deflate, block);
  return control(SYN_STREAM, Buffer.concat([number(id), number(0), Buffer.from([0, 0]), packed]), flags);
}

interface Frame {
  /** Of a control frame its type, of another its stream. */
  readonly head: number;
  readonly flags: number;
  readonly payload: Buffer;
}

async function answer(): Promise<Frame> {
  for await (const message of near.messages()) {
    const frame = Buffer.from(message);
    expect(frame.readUIntBE(5, 3)).toBe(frame.length - 8);
    const isControl = frame.readUInt16BE(0) === 0x8003;
    return {
      head: isControl ? frame.readUInt16BE(2) : frame.readUInt32BE(0),
      flags: frame[4] ?? 0,
      payload: frame.subarray(8),
    };
  }
  throw new Error("the connection has ended");
}

async function textOf({ incoming }: SpdyStream): Promise<string> {
  return Buffer.concat(await Array.fromAsync(incoming)).toString();
}

test("streams are opened and answered, each with its headers", async () => {
  await near.send(await opening(1, { streamtype: "error", port: "80" }));
  await near.send(await opening(3, { streamtype: "data", port: "80" }));
  for (const id of [1, 3]) {
    const { head, flags, payload } = await answer();
    expect([head, flags, payload.readUInt32BE(0)]).toEqual([SYN_REPLY, 0, id]);
    // No headers.
    expect(await through(inflate, payload.subarray(4))).toEqual(number(0));
  }
  expect(opened.map(({ headers }) => Object.fromEntries(headers))).toEqual([
    { streamtype: "error", port: "80" },
    { streamtype: "data", port: "80" },
  ]);
});

test.each([1, 7, 8, 9, 1_000])("what comes in pieces of %i bytes is put together", async (size) => {
  const all = Buffer.concat([await opening(1, {}), data(1, "hello, "), data(1, "world"), data(1, "", FIN)]);
  for (let at = 0; at < all.length; at += size) await near.send(all.subarray(at, at + size));
  await answer();
  expect(await textOf(opened[0] as SpdyStream)).toBe("hello, world");
});

test("data goes to its stream, and none to one that is not there", async () => {
  await near.send(Buffer.concat([await opening(1, {}), await opening(3, {})]));
  await near.send(Buffer.concat([data(3, "b"), data(5, "c"), data(1, "a", FIN), data(3, "b", FIN)]));
  await answer();
  await answer();
  expect(await Promise.all(opened.map(textOf))).toEqual(["a", "bb"]);
});

test.each([
  ["opened with an end", async () => [await opening(1, {}, FIN)]],
  ["reset", async () => [await opening(1, {}), control(RST_STREAM, Buffer.concat([number(1), number(5)]))]],
  ["left when all ends", async () => [await opening(1, {}), control(GOAWAY, number(0))]],
])("a stream that is %s has ended", async (_, frames) => {
  await near.send(Buffer.concat(await frames()));
  await answer();
  expect(await textOf(opened[0] as SpdyStream)).toBe("");
});

test("what is sent carries the number of its stream, and its end", async () => {
  await near.send(await opening(5, {}));
  await answer();
  const [stream] = opened;
  await stream?.send(Buffer.alloc(0));
  await stream?.send(Buffer.from("yes"));
  await stream?.end();
  expect(await answer()).toEqual({ head: 5, flags: 0, payload: Buffer.from("yes") });
  expect(await answer()).toEqual({ head: 5, flags: FIN, payload: Buffer.alloc(0) });
  await near.send(data(5, "too late"));
  expect(await textOf(stream as SpdyStream)).toBe("");
});

test("a ping is sent back, and a good-bye ends the connection", async () => {
  await near.send(control(PING, number(7)));
  expect(await answer()).toEqual({ head: PING, flags: 0, payload: number(7) });
  await near.send(control(GOAWAY, number(0)));
  await expect(served).resolves.toBeUndefined();
});

test("a frame that would be very long is not waited for", async () => {
  await near.send(Buffer.from([0, 0, 0, 1, 0, 0x40, 0, 1]));
  await expect(served).rejects.toThrow("a frame is too long");
});

test("headers that are not compressed are refused", async () => {
  await near.send(control(SYN_STREAM, Buffer.concat([number(1), number(0), Buffer.from("..no headers")])));
  await expect(served).rejects.toThrow("incorrect header check");
});

import { afterEach, beforeEach, expect, test } from "vitest";
import { messagePipe } from "./message-pipe.ts";
import { SpdyConnection, type SpdyStream } from "./spdy.ts";
import {
  control,
  data,
  FIN,
  GOAWAY,
  number,
  PING,
  RST_STREAM,
  SpdyClient,
  SYN_STREAM,
} from "./spdy-client.test-data.ts";

let client: SpdyClient;
let opened: SpdyStream[];
let served: Promise<void>;

beforeEach(() => {
  const [near, far] = messagePipe("SPDY/3.1");
  client = new SpdyClient(near);
  opened = [];
  served = new SpdyConnection(far, (stream) => void opened.push(stream)).serve();
});

afterEach(async () => client.close());

async function textOf({ incoming }: SpdyStream): Promise<string> {
  return Buffer.concat(await Array.fromAsync(incoming)).toString();
}

test("streams are opened and answered, each with its headers", async () => {
  const all = [
    { streamtype: "error", port: "80" },
    { streamtype: "data", port: "80" },
  ];
  await client.send(await client.opening(1, all[0] ?? {}));
  await client.send(await client.opening(3, all[1] ?? {}));
  await client.opened(1);
  await client.opened(3);
  expect(opened.map(({ headers }) => Object.fromEntries(headers))).toEqual(all);
});

test.each([1, 7, 8, 9, 1_000])("what comes in pieces of %i bytes is put together", async (size) => {
  const frames = [await client.opening(1, {}), data(1, "hello, "), data(1, "world"), data(1, "", FIN)];
  const all = Buffer.concat(frames);
  for (let at = 0; at < all.length; at += size) await client.send(all.subarray(at, at + size));
  await client.opened(1);
  expect(await textOf(opened[0] as SpdyStream)).toBe("hello, world");
});

test("data goes to its stream, and none to one that is not there", async () => {
  await client.send(await client.opening(1, {}), await client.opening(3, {}));
  await client.send(data(3, "b"), data(5, "c"), data(1, "a", FIN), data(3, "b", FIN));
  await client.opened(1);
  await client.opened(3);
  expect(await Promise.all(opened.map(textOf))).toEqual(["a", "bb"]);
});

test.each<[string, number, readonly Buffer[]]>([
  ["opened with an end", FIN, []],
  ["reset", 0, [control(RST_STREAM, Buffer.concat([number(1), number(5)]))]],
  ["left when all ends", 0, [control(GOAWAY, number(0))]],
])("a stream that is %s has ended", async (_, flags, frames) => {
  await client.send(await client.opening(1, {}, flags), ...frames);
  await client.opened(1);
  expect(await textOf(opened[0] as SpdyStream)).toBe("");
});

test("what is sent carries the number of its stream, and its end", async () => {
  await client.send(await client.opening(5, {}));
  await client.opened(5);
  const [stream] = opened;
  await stream?.send(Buffer.alloc(0));
  await stream?.send(Buffer.from("yes"));
  await stream?.end();
  expect(await client.answer()).toEqual({ head: 5, flags: 0, payload: Buffer.from("yes") });
  expect(await client.answer()).toEqual({ head: 5, flags: FIN, payload: Buffer.alloc(0) });
  await client.send(data(5, "too late"));
  expect(await textOf(stream as SpdyStream)).toBe("");
});

test("a ping is sent back, and a good-bye ends the connection", async () => {
  await client.send(control(PING, number(7)));
  expect(await client.answer()).toEqual({ head: PING, flags: 0, payload: number(7) });
  await client.send(control(GOAWAY, number(0)));
  await expect(served).resolves.toBeUndefined();
});

test("a frame that would be very long is not waited for", async () => {
  await client.send(Buffer.from([0, 0, 0, 1, 0, 0x40, 0, 1]));
  await expect(served).rejects.toThrow("a frame is too long");
});

test("headers that are not compressed are refused", async () => {
  await client.send(control(SYN_STREAM, Buffer.concat([number(1), number(0), Buffer.from("..no headers")])));
  await expect(served).rejects.toThrow("incorrect header check");
});

test("headers that grow without end when they are unpacked are refused", async () => {
  await client.send(await client.opening(1, { long: "a".repeat(5 << 20) }));
  await expect(served).rejects.toThrow("headers are too long");
});

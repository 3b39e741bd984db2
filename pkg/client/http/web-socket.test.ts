import { duplexPair } from "node:stream";
import { expect, test } from "vitest";
import { acceptKey, WebSocket, WebSocketError } from "./web-socket.ts";

/** As a client sends it: masked. */
function frame(opcode: number, payload: string, { isLast = true, masked = true } = {}): Buffer {
  const bytes = Buffer.from(payload);
  const mask = Buffer.from([1, 2, 3, 4]);
  const head = [(isLast ? 0x80 : 0) | opcode];
  const bit = masked ? 0x80 : 0;
  if (bytes.length < 126) head.push(bit | bytes.length);
  else if (bytes.length < 0x1_0000) head.push(bit | 126, bytes.length >> 8, bytes.length & 255);
  else {
    const length = Buffer.alloc(8);
    length.writeBigUInt64BE(BigInt(bytes.length));
    head.push(bit | 127, ...length);
  }
  if (!masked) return Buffer.concat([Buffer.from(head), bytes]);
  return Buffer.concat([Buffer.from(head), mask, bytes.map((byte, index) => byte ^ (mask[index & 3] ?? 0))]);
}

async function read(chunks: readonly Buffer[], head = Buffer.alloc(0)): Promise<readonly string[]> {
  const [near, far] = duplexPair();
  far.resume();
  for (const chunk of chunks) far.write(chunk);
  far.end();
  const messages: string[] = [];
  for await (const message of new WebSocket(near, head).messages()) messages.push(message.toString());
  return messages;
}

test("the key of RFC 6455 has the answer that is written there", () => {
  expect(acceptKey("dGhlIHNhbXBsZSBub25jZQ==")).toBe("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
});

test("messages come whole, however they are cut", async () => {
  const long = "x".repeat(70_000);
  const bytes = Buffer.concat([
    frame(2, "one"),
    frame(2, "t", { isLast: false }),
    frame(9, "ping"),
    frame(0, "wo"),
    frame(1, "y".repeat(300)),
    frame(2, long),
    frame(8, ""),
    frame(2, "after the end"),
  ]);
  const expected = ["one", "two", "y".repeat(300), long];
  expect(await read([bytes])).toEqual(expected);
  expect(await read([], bytes)).toEqual(expected);
  const cut = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, index) =>
    bytes.subarray(7 * index, 7 * index + 7),
  );
  expect(await read(cut)).toEqual(expected);
});

test("what is sent has a length of the right size, and a close says so", async () => {
  const [near, far] = duplexPair();
  const got: Buffer[] = [];
  far.on("data", (chunk: Buffer) => got.push(chunk));
  const socket = new WebSocket(near, Buffer.alloc(0));
  for (const length of [1, 200, 70_000]) await socket.send(Buffer.alloc(length, 0x61));
  await socket.close();
  await socket.send(Buffer.from("late"));
  await new Promise((resolve) => far.once("end", resolve));
  const bytes = Buffer.concat(got);
  expect(bytes.subarray(0, 3).toString("hex")).toBe("820161");
  expect(bytes.subarray(3, 7).toString("hex")).toBe("827e00c8");
  expect(bytes.subarray(207, 217).toString("hex")).toBe("827f0000000000011170");
  expect(bytes.subarray(70_217).toString("hex")).toBe("880203e8");
});

test.each([
  ["not masked", frame(2, "x", { masked: false })],
  ["too long", Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0x7f, 0, 0, 0, 1, 2, 3, 4])],
])("a frame that is %s is refused", async (_name, bytes) => {
  await expect(read([bytes])).rejects.toThrow(WebSocketError);
});

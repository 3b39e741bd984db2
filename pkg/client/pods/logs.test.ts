import { expect, test } from "vitest";
import type { ClientSet } from "../client-set.ts";
import { isConnectionError } from "../errors.ts";
import { TransportError, type TransportResponse } from "../transport.ts";
import { linesOf, podLogs } from "./logs.ts";
import { clientsOver } from "./session.test-data.ts";

async function* cut(text: string, length: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length);
}

test("lines are whole, wherever they are cut, and the last one needs no end", async () => {
  for (const [text, lines] of [
    ["one\nzwölf\n\n🦀 four", ["one", "zwölf", "", "🦀 four"]],
    ["äöü\n", ["äöü"]],
    ["", []],
  ] as const) {
    for (let length = 1; length < 12; length++)
      expect(await Array.fromAsync(linesOf(cut(text, length)))).toEqual(lines);
  }
});

const pod = { namespace: "n", name: "p" };

/** A log that breaks off with this after its first line. */
function breaking(failure: Error): ClientSet {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield Buffer.from("one\n");
    throw failure;
  }
  const response = { status: 200, headers: {}, chunks } as Partial<TransportResponse> as TransportResponse;
  return clientsOver({ send: async () => response });
}

test("a log that breaks off is not taken for one that has ended", async () => {
  const lines = podLogs(breaking(new TransportError("lost", "it broke", true)), pod, { follow: true });
  expect((await lines.next()).value).toBe("one");
  const failure: unknown = await lines.next().catch((error: unknown) => error);
  expect(isConnectionError(failure)).toBe(true);
  expect(String(failure)).toContain("it broke");
});

test("whoever stops reading a log hears why, and not that the connection broke", async () => {
  const stop = new AbortController();
  const lines = podLogs(breaking(new TransportError("lost", "it broke", true)), pod, {}, stop.signal);
  await lines.next();
  const reason = new Error("stop");
  stop.abort(reason);
  await expect(lines.next()).rejects.toBe(reason);
});

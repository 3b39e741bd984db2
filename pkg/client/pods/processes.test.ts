import { expect, test } from "vitest";
import type { ClientSet } from "../client-set.ts";
import { isConnectionError } from "../errors.ts";
import type { Transport } from "../transport.ts";
import { exec, type TerminalSize } from "./processes.ts";
import { clientsOver, FarEnd } from "./session.test-data.ts";

const STATUS = 3;

/** A server that says these, each a channel and a text, and what becomes of the connection. */
function saying(...messages: readonly (readonly [channel: number, text: string])[]): {
  readonly clients: ClientSet;
  readonly log: readonly string[];
} {
  const log: string[] = [];
  async function* told(): AsyncGenerator<Uint8Array> {
    try {
      for (const [channel, text] of messages) yield Buffer.from([channel, ...Buffer.from(text)]);
    } finally {
      log.push("broken");
    }
  }
  const transport: Transport = {
    send: async () => expect.unreachable(),
    upgrade: async () => ({
      protocol: "v5.channel.k8s.io",
      messages: told,
      send: async () => undefined,
      close: async () => void log.push("good-bye"),
    }),
    close: async () => undefined,
  };
  return { clients: clientsOver(transport), log };
}

const pod = { namespace: "n", name: "p" };
const command = ["true"];

test("the good-bye goes before the end of the connection", async () => {
  const { clients, log } = saying([1, "out"], [STATUS, '{"status":"Success"}'], [1, "late"]);
  expect(await exec(clients, pod, { command })).toEqual({ exitCode: 0, stdout: "out", stderr: "" });
  expect(log.slice(0, 2)).toEqual(["good-bye", "broken"]);
});

test.each<readonly [string, readonly (readonly [number, string])[], string]>([
  ["the connection ends before the command", [[1, "out"]], "the connection ended before the process"],
  ["the end is no Status", [[STATUS, "7"]], "is no Status"],
])("it is not taken for success that %s", async (_name, messages, said) => {
  const error: unknown = await exec(saying(...messages).clients, pod, { command }).catch((e: unknown) => e);
  expect(String(error)).toContain(said);
});

test("a lost connection is told from a command that failed", async () => {
  const lost: unknown = await exec(saying().clients, pod, { command }).catch((error: unknown) => error);
  expect(isConnectionError(lost)).toBe(true);
  const failure = { status: "Failure", reason: "InternalError", code: 500, message: "no such container" };
  const failed: unknown = await exec(saying([STATUS, JSON.stringify(failure)]).clients, pod, {
    command,
  }).catch((error: unknown) => error);
  expect(isConnectionError(failed)).toBe(false);
  expect(String(failed)).toContain("no such container");
});

test("the sizes of a terminal are sent as they come", async () => {
  let end: FarEnd | undefined;
  const clients = clientsOver({ upgrade: async (request) => (end = new FarEnd(request)) });
  async function* sizes(): AsyncGenerator<TerminalSize> {
    yield { columns: 80, rows: 24 };
    yield { columns: 100, rows: 30 };
    end?.say(STATUS, '{"status":"Success"}');
  }
  await exec(clients, pod, { command, tty: true, sizes: sizes() });
  expect(end?.heard.map(String)).toEqual(['\x04{"Width":80,"Height":24}', '\x04{"Width":100,"Height":30}']);
});

test("what the caller's own streams fail with is not taken for a broken connection", async () => {
  const full = Object.assign(new Error("no space left"), { code: "ENOSPC", syscall: "write" });
  const failing = async (): Promise<never> => Promise.reject(full);
  const stdin = { [Symbol.asyncIterator]: () => ({ next: failing, return: failing }) };
  await expect(exec(saying([1, "out"]).clients, pod, { command, onStdout: failing })).rejects.toBe(full);
  const clients = clientsOver({ upgrade: async (request) => new FarEnd(request) });
  await expect(exec(clients, pod, { command, stdin })).rejects.toBe(full);
});

import { messageOf } from "../../api/errors.ts";
import type { Session } from "../server/request.ts";
import { StatusError } from "../server/status-error.ts";
import { ByteQueue } from "./byte-queue.ts";
import type { MessageStream } from "../../client/transport.ts";

/** The newest first. v5 says when the input ends. */
const protocols = ["v5.channel.k8s.io", "v4.channel.k8s.io"];

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const STATUS = 3;
const END_OF_STREAM = 255;

/** The best one that the client offers. */
export function chooseProtocol(offered: string | undefined): string | undefined {
  const names = new Set((offered ?? "").split(",").map((name) => name.trim()));
  return protocols.find((name) => names.has(name));
}

/** Joins a process and a connection: the first byte of each message names the stream. Resolves when both have ended. */
export async function runSession(
  session: Session,
  socket: MessageStream,
  signal: AbortSignal,
): Promise<void> {
  const gone = new AbortController();
  const lifetime = AbortSignal.any([signal, gone.signal]);
  const stdin = new ByteQueue();
  if (!session.stdin) stdin.end();
  const send = async (channel: number, data: string | Uint8Array): Promise<void> => {
    const bytes = typeof data === "string" ? Buffer.from(data) : data;
    if (bytes.length > 0) await socket.send(Buffer.concat([Buffer.from([channel]), bytes]));
  };
  const streams = {
    stdin,
    stdout: async (data: string | Uint8Array) => (session.stdout ? send(STDOUT, data) : undefined),
    stderr: async (text: string) => (session.stderr ? send(STDERR, text) : undefined),
  };
  const receiving = receive(socket, stdin).finally(() => {
    stdin.end();
    gone.abort(new Error("the client went away"));
  });
  // Its failure is that of the connection, which ends the process.
  receiving.catch(() => undefined);
  let status: object;
  try {
    status = exitStatus(await session.run(streams, lifetime));
  } catch (error) {
    if (lifetime.aborted) return;
    status = failureStatus(error);
  }
  await send(STATUS, JSON.stringify(status));
  await socket.close();
  await receiving;
}

async function receive(socket: MessageStream, stdin: ByteQueue): Promise<void> {
  for await (const message of socket.messages()) {
    const [channel] = message;
    const data = message.subarray(1);
    if (channel === STDIN && data.length > 0) await stdin.push(data);
    if (channel === END_OF_STREAM && data[0] === STDIN) stdin.end();
  }
}

function exitStatus(code: number): object {
  if (code === 0) return { metadata: {}, status: "Success" };
  return {
    metadata: {},
    status: "Failure",
    reason: "NonZeroExitCode",
    message: `command terminated with non-zero exit code: exit status ${code}`,
    details: { causes: [{ reason: "ExitCode", message: String(code) }] },
  };
}

function failureStatus(error: unknown): object {
  if (error instanceof StatusError) return error.status;
  return new StatusError(500, "InternalError", `Internal error occurred: ${messageOf(error)}`).status;
}

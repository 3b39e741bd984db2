import { isJson } from "../../api/json.ts";
import type { ObjectRef, Status } from "../../api/object.ts";
import { resources } from "../../api/resources.ts";
import { parseJson } from "../../api/wire-json.ts";
import type { ClientSet } from "../client-set.ts";
import { errorOfFailure, errorOfStatus } from "../errors.ts";
import { subresourceRequest } from "../resource-requests.ts";
import { type MessageStream, TransportError } from "../transport.ts";

/** The newest first: it can say that the input has ended. upstream: apimachinery/pkg/util/remotecommand/constants.go */
const PROTOCOLS = ["v5.channel.k8s.io", "v4.channel.k8s.io"];
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const STATUS = 3;
const RESIZE = 4;
const END_OF_STREAM = 255;

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

export interface AttachOptions {
  /** Which one; a pod with several has to be told. */
  readonly container?: string;
  /** Sent to the process as fast as it reads; its end is the end of the input. */
  readonly stdin?: AsyncIterable<Uint8Array | string>;
  /** What the process writes; collected into the result when left out. What is returned is waited for. */
  readonly onStdout?: (chunk: Uint8Array) => unknown;
  readonly onStderr?: (chunk: Uint8Array) => unknown;
  /** The process has a terminal: it writes to stdout only. */
  readonly tty?: boolean;
  /** Of that terminal, now and whenever it changes. */
  readonly sizes?: AsyncIterable<TerminalSize>;
}

export interface ExecOptions extends AttachOptions {
  /** The program and its arguments; no shell is asked. */
  readonly command: readonly string[];
}

export interface ProcessResult {
  readonly exitCode: number;
  /** Empty where it was handed over as it came. */
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a command in a container. An exit code other than 0 is a result; rejects with an ApiError where the command cannot
 * be run, or its end is not heard of.
 */
export async function exec(
  clients: Pick<ClientSet, "rest">,
  pod: ObjectRef,
  options: ExecOptions,
  signal?: AbortSignal,
): Promise<ProcessResult> {
  return runSession(clients, { pod, subresource: "exec", command: options.command }, options, signal);
}

/** As exec, with what the container runs itself. */
export async function attach(
  clients: Pick<ClientSet, "rest">,
  pod: ObjectRef,
  options: AttachOptions = {},
  signal?: AbortSignal,
): Promise<ProcessResult> {
  return runSession(clients, { pod, subresource: "attach", command: [] }, options, signal);
}

interface Target {
  readonly pod: ObjectRef;
  readonly subresource: "exec" | "attach";
  readonly command: readonly string[];
}

async function runSession(
  { rest }: Pick<ClientSet, "rest">,
  { pod, subresource, command }: Target,
  options: AttachOptions,
  signal: AbortSignal | undefined,
): Promise<ProcessResult> {
  const { container, stdin, tty = false } = options;
  const query = new URLSearchParams({
    ...(container === undefined ? {} : { container }),
    stdin: String(stdin !== undefined),
    stdout: "true",
    stderr: String(!tty),
    tty: String(tty),
  });
  for (const word of command) query.append("command", word);
  const { path } = subresourceRequest("GET", resources.pods, { ...pod, subresource });
  const stream = await rest.upgrade({ path, query }, PROTOCOLS, signal);
  try {
    return await converse(stream, options, path);
  } catch (failure) {
    signal?.throwIfAborted();
    if (failure instanceof CallersFailure) throw failure.cause;
    throw errorOfFailure(asTransportError(failure), { method: "GET", path });
  }
}

/** Sends and receives at the same time. Resolves when the process has ended, read to its end or not. */
async function converse(stream: MessageStream, options: AttachOptions, path: string): Promise<ProcessResult> {
  const sources = [
    sourceOf(options.stdin, async (chunk) => stream.send(onChannel(STDIN, chunk))),
    sourceOf(options.sizes, async ({ columns, rows }) =>
      stream.send(onChannel(RESIZE, JSON.stringify({ Width: columns, Height: rows }))),
    ),
  ];
  const endInput = async (): Promise<void> => {
    if (options.stdin === undefined || stream.protocol !== PROTOCOLS[0]) return;
    await stream.send(Buffer.from([END_OF_STREAM, STDIN]));
  };
  const sending = Promise.all([sources[0]?.run().then(endInput), sources[1]?.run()]);
  // What is wrong with the input ends the conversation; what is wrong with the connection is heard of by both.
  const failed = sending.then(async () => new Promise<never>(() => undefined));
  try {
    return await Promise.race([receive(stream, options, path), failed]);
  } finally {
    failed.catch(() => undefined);
    for (const source of sources) source.stop();
    await stream.close();
  }
}

interface Source {
  run(): Promise<void>;
  /** Takes nothing more; whoever makes it is told, and not waited for. */
  stop(): void;
}

function sourceOf<T>(items: AsyncIterable<T> | undefined, send: (item: T) => Promise<void>): Source {
  const iterator = items?.[Symbol.asyncIterator]();
  let isStopped = false;
  return {
    run: async () => {
      if (iterator === undefined) return;
      const take = async (): Promise<IteratorResult<T>> => ofCaller(async () => iterator.next());
      for (let next = await take(); next.done !== true; next = await take()) {
        if (isStopped) return;
        await send(next.value);
      }
    },
    stop: () => {
      isStopped = true;
      iterator?.return?.().catch(() => undefined);
    },
  };
}

async function receive(stream: MessageStream, options: AttachOptions, path: string): Promise<ProcessResult> {
  const collected = { [STDOUT]: new TextDecoder(), [STDERR]: new TextDecoder() };
  const texts = { [STDOUT]: "", [STDERR]: "" };
  const sinks = { [STDOUT]: options.onStdout, [STDERR]: options.onStderr };
  for await (const message of stream.messages()) {
    const [channel] = message;
    const data = message.subarray(1);
    if (channel === STATUS) {
      // The good-bye goes before the end of this loop, which breaks the connection.
      await stream.close();
      const exitCode = exitCodeOf(Buffer.from(data).toString("utf8"), path);
      return { exitCode, stdout: texts[STDOUT], stderr: texts[STDERR] };
    }
    if (channel !== STDOUT && channel !== STDERR) continue;
    const sink = sinks[channel];
    if (sink === undefined) texts[channel] += collected[channel].decode(data, { stream: true });
    else await ofCaller(async () => sink(data));
  }
  throw new TransportError("lost", "the connection ended before the process", true);
}

/** upstream: client-go/tools/remotecommand/v4.go#decode */
function exitCodeOf(text: string, path: string): number {
  const status: unknown = parseJson(text);
  if (!isJson(status)) throw new TransportError("malformed", "the end of the process is no Status", true);
  const { status: outcome, reason, details } = status as Status;
  if (outcome === "Success") return 0;
  const code = details?.causes?.find((cause) => cause.reason === "ExitCode")?.message;
  if (reason === "NonZeroExitCode" && code !== undefined && /^\d+$/.test(code)) return Number(code);
  throw errorOfStatus(status, { method: "GET", path });
}

function onChannel(channel: number, data: Uint8Array | string): Uint8Array {
  return Buffer.concat([Buffer.from([channel]), typeof data === "string" ? Buffer.from(data) : data]);
}

/** Of a stream of the caller's: it has nothing to do with the connection, though a file's failures look like a socket's. */
class CallersFailure extends Error {}

async function ofCaller<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw new CallersFailure("a stream of the caller's has failed", { cause });
  }
}

/** Sockets break with errors of their own. */
function asTransportError(failure: unknown): unknown {
  const isOfSocket = failure instanceof Error && "code" in failure && "syscall" in failure;
  if (!isOfSocket) return failure;
  return new TransportError("lost", `the connection broke: ${failure.message}`, true, failure);
}

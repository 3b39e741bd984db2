import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import type { ObjectRef } from "../../api/object.ts";
import { resources } from "../../api/resources.ts";
import type { ClientSet } from "../client-set.ts";
import { subresourceRequest } from "../resource-requests.ts";
import type { RestClient } from "../rest.ts";
import type { MessageStream } from "../transport.ts";
import { writeThrough } from "../http/write-through.ts";

/** upstream: pkg/kubelet (cri-client streaming portforward/websocket.go): two channels for each port, data and error. */
const PROTOCOL = "v4.channel.k8s.io";
const DATA = 0;
const ERROR = 1;
/** Each channel begins with the number of its port. */
const PORT_BYTES = 2;

export interface PortForwardOptions {
  /** Ports of the pod, and where they are to be here; any free one when that is left out. */
  readonly ports: readonly { readonly remote: number; readonly local?: number }[];
  /** 127.0.0.1 when left out. */
  readonly host?: string;
  /** Told of connections that could not be forwarded, or broke. */
  readonly onError?: (error: unknown) => void;
}

export interface PortForward {
  readonly ports: readonly { readonly remote: number; readonly local: number }[];
  /** Takes no more connections, and breaks those that there are. */
  close(): Promise<void>;
}

/**
 * Listens here and forwards each connection to a port of the pod. The protocol has no half-closed connections: whoever
 * ends its side ends both.
 */
export async function portForward(
  { rest }: Pick<ClientSet, "rest">,
  pod: ObjectRef,
  options: PortForwardOptions,
  signal?: AbortSignal,
): Promise<PortForward> {
  signal?.throwIfAborted();
  const { host = "127.0.0.1", onError = () => undefined } = options;
  const { path } = subresourceRequest("GET", resources.pods, { ...pod, subresource: "portforward" });
  const stop = new AbortController();
  const lifetime = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
  const listeners: Server[] = [];
  const onAbort = (): void => void close();
  const close = async (): Promise<void> => {
    signal?.removeEventListener("abort", onAbort);
    stop.abort(new Error("the port is no longer forwarded"));
    await Promise.all(listeners.map(closed));
  };
  try {
    const ports: { remote: number; local: number }[] = [];
    for (const { remote, local = 0 } of options.ports) {
      const listener = createServer((socket) => {
        forward(rest, socket, { path, port: remote }, lifetime).catch((error: unknown) => {
          if (!lifetime.aborted) onError(error);
        });
      });
      listeners.push(listener);
      ports.push({ remote, local: await listening(listener, local, host) });
      // It goes on listening, e.g. where the process has too many open files for one more connection.
      listener.on("error", onError);
    }
    signal?.throwIfAborted();
    signal?.addEventListener("abort", onAbort, { once: true });
    return { ports, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function listening(server: Server, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => {
      server.off("error", reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}

async function closed(server: Server): Promise<void> {
  if (server.listening) await new Promise<void>((resolve) => void server.close(() => resolve()));
}

async function forward(
  rest: RestClient,
  socket: Socket,
  { path, port }: { readonly path: string; readonly port: number },
  signal: AbortSignal,
): Promise<void> {
  // Broken connections show as the end of what is read from them.
  socket.on("error", () => undefined);
  const onAbort = (): void => void socket.destroy();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    const query = new URLSearchParams({ ports: String(port) });
    const stream = await rest.upgrade({ path, query }, [PROTOCOL], signal);
    const sending = send(socket, stream);
    sending.catch(() => undefined);
    await receive(stream, socket);
    // Whatever comes from here after that would go nowhere.
    const flushed = new Promise<void>((resolve) => void socket.end(() => resolve()));
    await Promise.race([flushed, sending.then(async () => flushed)]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    socket.destroy();
  }
}

async function send(socket: Socket, stream: MessageStream): Promise<void> {
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>)
      await stream.send(Buffer.concat([Buffer.from([DATA]), chunk]));
  } finally {
    await stream.close();
  }
}

async function receive(stream: MessageStream, socket: Socket): Promise<void> {
  const skipped = new Map([
    [DATA, PORT_BYTES],
    [ERROR, PORT_BYTES],
  ]);
  for await (const message of stream.messages()) {
    const [channel = DATA] = message;
    const body = message.subarray(1);
    const skip = Math.min(skipped.get(channel) ?? 0, body.length);
    skipped.set(channel, (skipped.get(channel) ?? 0) - skip);
    const data = body.subarray(skip);
    if (data.length === 0) continue;
    if (channel === ERROR) throw new Error(`the pod's node says: ${Buffer.from(data).toString("utf8")}`);
    if (channel === DATA) await writeThrough(socket, data);
  }
}

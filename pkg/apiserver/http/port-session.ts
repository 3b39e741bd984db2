import { messageOf } from "../../api/errors.ts";
import type { MessageStream } from "../../client/transport.ts";
import type { PortSession } from "../server/request.ts";
import { ByteQueue } from "./byte-queue.ts";
import { SpdyConnection, type SpdyStream } from "./spdy.ts";

export const PORT_PROTOCOL = "portforward.k8s.io";
/** SPDY within the messages of a WebSocket, as kubectl has it since 1.31. */
export const PORT_TUNNEL = `SPDY/3.1+${PORT_PROTOCOL}`;
/** Two channels for each port, data and error. */
const CHANNELS = "v4.channel.k8s.io";

/** The best one that the client offers for a WebSocket. */
export function choosePortProtocol(offered: string | undefined): string | undefined {
  const names = new Set((offered ?? "").split(",").map((name) => name.trim()));
  return [PORT_TUNNEL, CHANNELS].find((name) => names.has(name));
}

/** Joins a connection with ports of a pod. Resolves when the client has gone. */
export async function forwardPorts(
  session: PortSession,
  wire: MessageStream,
  protocol: string,
  signal: AbortSignal,
): Promise<void> {
  const gone = new AbortController();
  const lifetime = AbortSignal.any([signal, gone.signal]);
  try {
    if (protocol === CHANNELS) await forwardChannels(session, wire, lifetime);
    else await new SpdyConnection(wire, pairing(session, lifetime)).serve();
  } finally {
    gone.abort(new Error("the client went away"));
    await wire.close();
  }
}

/** Of each connection there are two streams: what goes wrong is told in the first, and what is said goes through the other. */
function pairing(session: PortSession, signal: AbortSignal): (stream: SpdyStream) => void {
  const waiting = new Map<string, SpdyStream>();
  return (stream) => {
    const id = stream.headers.get("requestid") ?? "";
    if (stream.headers.get("streamtype") === "error") {
      waiting.set(id, stream);
      return;
    }
    const errors = waiting.get(id);
    waiting.delete(id);
    // Its failure is that of the wire, whose end everybody hears of.
    forwardStream(session, stream, errors, signal).catch(() => undefined);
  };
}

async function forwardStream(
  session: PortSession,
  data: SpdyStream,
  errors: SpdyStream | undefined,
  signal: AbortSignal,
): Promise<void> {
  try {
    await session.open(Number(data.headers.get("port") ?? ""), data, signal);
  } catch (error) {
    await errors?.send(Buffer.from(messageOf(error)));
  }
  await errors?.end();
  await data.end();
}

const PORT_BYTES = 2;

/** The number of each port comes first in both of its channels. */
async function forwardChannels(
  session: PortSession,
  wire: MessageStream,
  signal: AbortSignal,
): Promise<void> {
  const send = async (channel: number, data: Uint8Array): Promise<void> =>
    wire.send(Buffer.concat([Buffer.from([channel]), data]));
  const queues = session.ports.map(() => new ByteQueue());
  const running = session.ports.map(async (port, index) => {
    const number = Buffer.alloc(PORT_BYTES);
    number.writeUInt16LE(port);
    for (const channel of [2 * index, 2 * index + 1]) await send(channel, number);
    const incoming = queues[index] ?? new ByteQueue();
    try {
      await session.open(port, { incoming, send: async (data) => send(2 * index, data) }, signal);
    } catch (error) {
      await send(2 * index + 1, Buffer.from(messageOf(error)));
    }
    incoming.end();
  });
  // The protocol has no ends of single channels: the connection ends with the last of them.
  const all = Promise.all(running).then(async () => wire.close());
  for await (const message of wire.messages()) {
    const [channel = 0] = message;
    if (channel % 2 === 0) await queues[channel / 2]?.push(message.subarray(1));
  }
  for (const queue of queues) queue.end();
  await all;
}

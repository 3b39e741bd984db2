import type { MessageStream } from "../../client/transport.ts";
import { ByteQueue } from "./byte-queue.ts";

/** Both ends of a connection within the process. What was sent before one of them closes still arrives. */
export function messagePipe(protocol: string): readonly [MessageStream, MessageStream] {
  const [there, back] = [new ByteQueue(), new ByteQueue()];
  const end = (incoming: ByteQueue, outgoing: ByteQueue): MessageStream => ({
    protocol,
    messages: () => incoming,
    send: async (message) => outgoing.push(message),
    close: async () => {
      incoming.end();
      outgoing.end();
    },
  });
  return [end(back, there), end(there, back)];
}

import type { Method, Transport } from "../client/transport.ts";
import { FencedError, type WriteGate } from "./fence.ts";

const writes: ReadonlySet<Method> = new Set(["POST", "PUT", "PATCH", "DELETE"]);

/**
 * Lets reads through always, and writes while the gate is open: asked at once and, as a process may be stopped while the
 * request waits for its connection, when it leaves. Those under way when the gate closes are broken off.
 */
export function fencedTransport(transport: Transport, gate: WriteGate): Transport {
  return {
    send: async (request, signal) => {
      if (!writes.has(request.method)) return transport.send(request, signal);
      signal?.throwIfAborted();
      const check = (): void => {
        if (!gate.canWrite()) throw new FencedError(`${request.method} ${request.path} is not sent`);
      };
      check();
      return transport.send(
        { ...request, beforeSend: check },
        signal === undefined ? gate.signal : AbortSignal.any([signal, gate.signal]),
      );
    },
    close: async () => transport.close(),
  };
}

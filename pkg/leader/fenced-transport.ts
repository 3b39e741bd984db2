import type { Method, Transport } from "../client/transport.ts";
import { FencedError, type WriteGate } from "./fence.ts";

const writes: ReadonlySet<Method> = new Set(["POST", "PUT", "PATCH", "DELETE"]);

/**
 * Lets reads through always, and writes while the gate is open: asked at once and, as a process may be stopped while the
 * request waits for its connection, when it leaves. Those under way when the gate closes are broken off.
 */
export function fencedTransport(transport: Transport, gate: WriteGate): Transport {
  const signals = new JoinedSignals();
  const within = (signal: AbortSignal | undefined): AbortSignal =>
    signal === undefined ? gate.signal : signals.of(signal, gate.signal);
  const checkOf = (what: string) => (): void => {
    if (!gate.canWrite()) throw new FencedError(`${what} is not sent`, false);
  };
  const upgrade = transport.upgrade?.bind(transport);
  return {
    send: async (request, signal) => {
      if (!writes.has(request.method)) return transport.send(request, signal);
      signal?.throwIfAborted();
      const check = checkOf(`${request.method} ${request.path}`);
      check();
      return transport.send({ ...request, beforeSend: check }, within(signal));
    },
    // What goes through the messages may change whatever it likes.
    ...(upgrade && {
      upgrade: async (request, signal) => {
        signal?.throwIfAborted();
        const check = checkOf(request.path);
        check();
        return upgrade({ ...request, beforeSend: check }, within(signal));
      },
    }),
    close: async () => transport.close(),
  };
}

/**
 * Callers give the same signal with every write as long as they run, and joining two signals is costly: the engine keeps
 * each joined one, by weak references, with both of its sources until a full garbage collection.
 */
class JoinedSignals {
  readonly #known = new WeakMap<AbortSignal, { readonly gate: AbortSignal; readonly joined: AbortSignal }>();

  of(signal: AbortSignal, gate: AbortSignal): AbortSignal {
    const known = this.#known.get(signal);
    if (known?.gate === gate) return known.joined;
    const joined = AbortSignal.any([signal, gate]);
    this.#known.set(signal, { gate, joined });
    return joined;
  }
}

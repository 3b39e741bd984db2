import { type Transport, TransportError } from "../../../pkg/client/transport.ts";
import type { VirtualClock } from "../../../pkg/testing/virtual-clock.ts";
import { factsOf, isWrite } from "./request-of.ts";
import type { WireOptions } from "./wire.ts";

const WAY_MS = 2;

/**
 * For those whose troubles are not the subject: users, scheduler, kubelets. Every request reaches the server in a
 * timer of its own, so that nobody else writes between its beginning and its end.
 */
export function reliableTransport(
  server: Transport,
  clock: VirtualClock,
  client: string,
  options: Pick<WireOptions, "onArriving" | "onArrived"> & { readonly isAway?: () => boolean },
): Transport {
  return {
    send: async (request, signal) => {
      const facts = factsOf(request);
      if (facts.verb === "watch") return server.send(request, signal);
      await new Promise<void>((resolve) => clock.setTimer(WAY_MS, resolve));
      signal?.throwIfAborted();
      if (options.isAway?.() === true) throw new TransportError("refused", "connection refused", false);
      options.onArriving(client);
      const response = await server.send(request);
      if (isWrite(facts)) {
        options.onArrived({
          facts,
          request,
          client,
          status: response.status,
          answer: undefined,
          ambiguous: false,
        });
      }
      return response;
    },
    close: async () => undefined,
  };
}

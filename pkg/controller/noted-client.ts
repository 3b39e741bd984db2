import { type ClientSet, clientSet } from "../client/client-set.ts";
import { messageOf } from "../api/errors.ts";
import type { Transport } from "../client/transport.ts";
import { isWithinSync, noteWrite } from "./sync-run.ts";

/** The same client. What it writes is noted by the sync that has it written. */
export function notedClient({ rest }: ClientSet): ClientSet {
  return clientSet(rest.through(notedTransport));
}

function notedTransport(transport: Transport): Transport {
  return {
    send: async (request, signal) => {
      const { method, path } = request;
      if (method === "GET" || !isWithinSync()) return transport.send(request, signal);
      try {
        const response = await transport.send(request, signal);
        noteWrite(`${method} ${path} ${response.status}`);
        return response;
      } catch (error) {
        noteWrite(`${method} ${path}: ${messageOf(error)}`);
        throw error;
      }
    },
    close: async () => transport.close(),
  };
}

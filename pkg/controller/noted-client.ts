import { type ClientSet, clientSet } from "../client/client-set.ts";
import { messageOf } from "../api/errors.ts";
import type { Transport, TransportRequest, TransportResponse } from "../client/transport.ts";
import { isWithinSync, noteWrite } from "./sync-run.ts";

/** The same client. What it writes is noted by the sync that has it written. */
export function notedClient({ rest }: ClientSet): ClientSet {
  return clientSet(rest.through(notedTransport));
}

async function sendNoted(
  transport: Transport,
  request: TransportRequest,
  signal: AbortSignal | undefined,
): Promise<TransportResponse> {
  try {
    const response = await transport.send(request, signal);
    noteWrite(request, ` ${response.status}`);
    return response;
  } catch (error) {
    noteWrite(request, `: ${messageOf(error)}`);
    throw error;
  }
}

function notedTransport(transport: Transport): Transport {
  return {
    send: (request, signal) =>
      request.method === "GET" || !isWithinSync()
        ? transport.send(request, signal)
        : sendNoted(transport, request, signal),
    close: async () => transport.close(),
  };
}

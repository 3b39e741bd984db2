import { type ClientSet, clientSet } from "../client/client-set.ts";
import { messageOf } from "../api/errors.ts";
import type {
  MessageStream,
  Transport,
  TransportRequest,
  TransportResponse,
  UpgradeRefusal,
} from "../client/transport.ts";
import { isWithinSync, noteWrite } from "./sync-run.ts";

const SWITCHING_PROTOCOLS = 101;

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

/** What goes through a connection of its own may change whatever it likes. */
function noteUpgrade(path: string, answer: MessageStream | UpgradeRefusal): void {
  const status = "messages" in answer ? SWITCHING_PROTOCOLS : answer.status;
  noteWrite({ method: "GET", path }, ` ${status}`);
}

function notedTransport(transport: Transport): Transport {
  const upgrade = transport.upgrade?.bind(transport);
  return {
    send: (request, signal) =>
      request.method === "GET" || !isWithinSync()
        ? transport.send(request, signal)
        : sendNoted(transport, request, signal),
    ...(upgrade && {
      upgrade: async (request, signal) => {
        const answer = await upgrade(request, signal);
        noteUpgrade(request.path, answer);
        return answer;
      },
    }),
    close: async () => transport.close(),
  };
}

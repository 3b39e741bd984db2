import type { Transport } from "../../pkg/client/transport.ts";

/** What who has no use for the answer to a write asks for. */
export const METADATA_ONLY = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json";

/** In which form answers to patches were asked for. */
export class AcceptedAnswers {
  readonly #accepted: (string | undefined)[] = [];

  /** Between clients and their server. */
  readonly through = (server: Transport): Transport => ({
    send: async (request, signal) => {
      if (request.method === "PATCH") this.#accepted.push(request.headers?.["accept"]);
      return server.send(request, signal);
    },
    close: async () => server.close(),
  });

  /** Those since the last call. */
  take(): readonly (string | undefined)[] {
    return this.#accepted.splice(0);
  }
}

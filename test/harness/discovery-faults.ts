import type { Json } from "../../pkg/api/json.ts";
import { type Transport, TransportError } from "../../pkg/client/transport.ts";
import { FakeTransport } from "./fake-transport.ts";

const TYPE = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const versions = [{ version: "v1", freshness: "Stale", resources: [] }];

/** Stands before a server, and between its clients and what it says of the groups that it serves. */
export class DiscoveryFaults {
  /** Name of a group that there is, of whose version v1 the server cannot say what it has. */
  stale: string | undefined;
  /** Nobody is there who would tell of groups. */
  isAway = false;

  over(server: Transport): Transport {
    return {
      send: async (request, signal) => {
        if (request.path !== "/apis") return server.send(request, signal);
        if (this.isAway) throw new TransportError("refused", "the API server is away", false);
        const answer = await server.send(request, signal);
        if (this.stale === undefined) return answer;
        const known = (await answer.json()) as { readonly items: readonly Json[] };
        const items = [...known.items, { metadata: { name: this.stale }, versions }];
        const body = { kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", items };
        return new FakeTransport(() => ({ body, headers: { "content-type": TYPE } })).send(request, signal);
      },
      close: async () => server.close(),
    };
  }
}

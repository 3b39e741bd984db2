import type { Transport, TransportRequest, TransportResponse } from "../../../pkg/client/transport.ts";

/** What was asked of the API server, as its authorizer sees it. */
export interface Seen {
  readonly group: string;
  /** With the subresource: "deployments/status". */
  readonly resource: string;
  readonly verb: string;
}

const PATH =
  /^\/(?:api|apis\/([^/]+))\/[^/]+\/(?:namespaces\/[^/]+\/(?!(?:status|finalize)$))?([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/;

/** Hands requests on, and keeps what permission each needs. */
export class SeenRequests implements Transport {
  readonly seen = new Map<string, Seen>();
  /** How many requests there were, without those that keep a watch going. */
  count = 0;
  readonly #inner: Transport;

  constructor(inner: Transport) {
    this.#inner = inner;
  }

  async send(request: TransportRequest, signal?: AbortSignal): Promise<TransportResponse> {
    const seen = seenIn(request);
    if (seen !== undefined) {
      this.count++;
      this.seen.set(`${seen.group} ${seen.resource} ${seen.verb}`, seen);
    }
    return this.#inner.send(request, signal);
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }
}

export function seenIn({ method, path, query }: TransportRequest): Seen | undefined {
  const [match, group = "", plural = "", name, subresource] = PATH.exec(path) ?? [];
  if (match === undefined) return undefined;
  const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
  const verb = verbOf(method, name !== undefined, query);
  return verb === undefined ? undefined : { group, resource, verb };
}

function verbOf(method: string, isNamed: boolean, query: URLSearchParams | undefined): string | undefined {
  switch (method) {
    case "GET":
      if (isNamed) return "get";
      return ["true", "1"].includes(query?.get("watch") ?? "") ? "watch" : "list";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return "patch";
    case "DELETE":
      return isNamed ? "delete" : "deletecollection";
    default:
      return undefined;
  }
}

import type { Transport, TransportRequest, TransportResponse } from "../client/transport.ts";

/** One request that changes something. Reads and events are not among them. */
export interface Write {
  /** Name of the client, such as "deployment-controller": the last part of its user agent. */
  readonly actor: string;
  readonly verb: "create" | "update" | "patch" | "delete";
  /** Plural name, with the subresource: "pods", "deployments/status". */
  readonly resource: string;
  readonly namespace: string;
  /** "" for a create whose name the server makes. */
  readonly name: string;
  readonly status: number;
  readonly body: unknown;
}

const VERBS = { POST: "create", PUT: "update", PATCH: "patch", DELETE: "delete" } as const;
const PATH =
  /^\/(?:api|apis\/[^/]+)\/[^/]+\/(?:namespaces\/([^/]+)\/(?!(?:status|finalize)$))?([^/]+)(?:\/([^/]+))?(?:\/([^/]+))?$/;

/** Hands requests on and tells of every write with its answer. */
export class RecordedTransport implements Transport {
  readonly #inner: Transport;
  readonly #onWrite: (write: Write) => void;

  constructor(inner: Transport, onWrite: (write: Write) => void) {
    this.#inner = inner;
    this.#onWrite = onWrite;
  }

  async send(request: TransportRequest, signal?: AbortSignal): Promise<TransportResponse> {
    const response = await this.#inner.send(request, signal);
    const write = this.#writeOf(request, response.status);
    if (write !== undefined) this.#onWrite(write);
    return response;
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }

  #writeOf({ method, path, body, headers }: TransportRequest, status: number): Write | undefined {
    if (method !== "POST" && method !== "PUT" && method !== "PATCH" && method !== "DELETE") return undefined;
    const match = PATH.exec(path);
    if (match === null) return undefined;
    const [, namespace = "", plural = "", name = "", subresource] = match;
    if (plural === "events") return undefined;
    return {
      actor: headers?.["user-agent"]?.split("/").at(-1) ?? "",
      verb: VERBS[method],
      resource: subresource === undefined ? plural : `${plural}/${subresource}`,
      namespace,
      name,
      status,
      body,
    };
  }
}

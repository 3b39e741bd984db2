import type { Transport, TransportRequest, TransportResponse } from "../../pkg/client/transport.ts";
import type { Activity } from "./activity.ts";

const NAMESPACED = /^\/apis?\/.*\/namespaces\/([^/]+)\/([^/]+)/;

/** Lets writes to namespaces through one at a time, each when all is quiet. Leases and events do not count. */
export class PacedTransport implements Transport {
  readonly #inner: Transport;
  readonly #activity: Activity;

  constructor(inner: Transport, activity: Activity) {
    this.#inner = inner;
    this.#activity = activity;
  }

  async send(request: TransportRequest, signal?: AbortSignal): Promise<TransportResponse> {
    const [, namespace = "", plural = ""] = NAMESPACED.exec(request.path) ?? [];
    const counts = request.method !== "GET" && namespace !== "" && plural !== "leases" && plural !== "events";
    if (!counts) return this.#inner.send(request, signal);
    return this.#activity.inTurn(namespace, async () => this.#inner.send(request, signal));
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }
}

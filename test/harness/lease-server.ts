import type { Stored, WatchEvent } from "../../pkg/api/object.ts";
import type { Lease } from "../../pkg/api/types/coordination-v1.gen.ts";
import { ApiError } from "../../pkg/client/errors.ts";
import type { Method } from "../../pkg/client/transport.ts";
import type { LeaseClient } from "../../pkg/leader/lease-lock.ts";
import { asStored } from "./stored.ts";

const path = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kcm";

/** How a test delays or breaks one request: it may reject before or after `effect`, run it late, or never answer. */
export type Carrier = <T>(verb: string, effect: () => T, signal: AbortSignal | undefined) => Promise<T>;

const direct: Carrier = async (_verb, effect, signal) => {
  signal?.throwIfAborted();
  return effect();
};

/** One Lease with the API server's rules: creation once, updates by resourceVersion. */
export class LeaseServer {
  lease: Lease | undefined;
  /** The verbs that reached the server, in order. */
  readonly requests: string[] = [];
  readonly #watchers = new Set<() => void>();
  #version = 0;

  /** A watch of it hangs: it stays open and says nothing, unless `watches` is on. */
  client(carry: Carrier = direct, watches = false): LeaseClient {
    return {
      watch: (_options, signal) => (watches ? this.#watch(carry, signal) : hang(signal)),
      get: async (_ref, _options, signal) => carry("get", () => this.#get(), signal),
      create: async (lease, _options, signal) => carry("create", () => this.#create(lease), signal),
      update: async (lease, _options, signal) => carry("update", () => this.#update(lease), signal),
    };
  }

  async *#watch(carry: Carrier, signal?: AbortSignal): AsyncGenerator<WatchEvent<Stored<Lease>>> {
    for (let seen = 0; ;) {
      while (this.#version === seen) await waitFor((wake) => void this.#watchers.add(wake), signal);
      seen = this.#version;
      const object = await carry("watch", () => this.lease, signal);
      if (object !== undefined) yield { type: "MODIFIED", object: asStored(object) };
    }
  }

  #get(): Stored<Lease> {
    this.requests.push("get");
    if (this.lease === undefined) throw statusError(404, "NotFound", "GET");
    return asStored(this.lease);
  }

  #create(lease: Lease): Stored<Lease> {
    this.requests.push("create");
    if (this.lease !== undefined) throw statusError(409, "AlreadyExists", "POST");
    return this.#store(lease);
  }

  #update(lease: Lease): Stored<Lease> {
    this.requests.push("update");
    if (this.lease === undefined) throw statusError(404, "NotFound", "PUT");
    if (lease.metadata.resourceVersion !== this.lease.metadata.resourceVersion) {
      throw statusError(409, "Conflict", "PUT");
    }
    return this.#store(lease);
  }

  #store(lease: Lease): Stored<Lease> {
    this.#version++;
    this.lease = structuredClone({
      ...lease,
      metadata: { ...lease.metadata, resourceVersion: String(this.#version) },
    });
    for (const wake of this.#watchers) wake();
    this.#watchers.clear();
    return asStored(this.lease);
  }
}

/** Waits to be woken; rejects with the signal's reason. */
async function waitFor(onWake: (wake: () => void) => void, signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    onWake(resolve);
    signal?.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}

// oxlint-disable-next-line require-yield -- a watch that never says anything
async function* hang(signal?: AbortSignal): AsyncGenerator<WatchEvent<Stored<Lease>>> {
  await waitFor(() => undefined, signal);
}

export function statusError(code: number, reason: string, method: Method): ApiError {
  return new ApiError(`lease: ${reason}`, { code, reason, method, path });
}

import type { ObjectMeta } from "../api/object.ts";
import type { Lease } from "../api/types/coordination-v1.gen.ts";
import type { ResourceClient } from "../client/resource-client.ts";
import type { EventRecorder } from "../events/recorder.ts";
import { recordOfSpec, specOfRecord, type ElectionRecord } from "./election-record.ts";

export type LeaseClient = Pick<ResourceClient<Lease>, "get" | "create" | "update" | "watch">;

export interface LeaseLockOptions {
  /** Its transport must not be fenced: an election has to go on when writing is over. */
  readonly client: LeaseClient;
  readonly namespace: string;
  readonly name: string;
  /** Unique among all candidates, of all times: two processes under one identity would both lead. */
  readonly identity: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly events?: EventRecorder;
}

/**
 * An election record kept in a Lease. Every write carries the resourceVersion that was last seen, so that of two
 * candidates that saw the same state only one can write.
 */
export class LeaseLock {
  readonly identity: string;
  readonly #options: LeaseLockOptions;
  #lease: Lease | undefined;

  constructor(options: LeaseLockOptions) {
    if (options.identity === "") throw new Error("Lock identity is empty");
    this.#options = options;
    this.identity = options.identity;
  }

  async get(signal?: AbortSignal): Promise<ElectionRecord> {
    const { client, namespace, name } = this.#options;
    this.#lease = await client.get({ namespace, name }, {}, signal);
    return recordOfSpec(this.#lease.spec);
  }

  async create(record: ElectionRecord, signal?: AbortSignal): Promise<void> {
    const { client, namespace, name, labels } = this.#options;
    const metadata = { namespace, name, ...(labels === undefined ? {} : { labels }) };
    const lease = {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata,
      spec: specOfRecord(record),
    };
    this.#lease = await client.create(lease, {}, signal);
  }

  /** Conflicts unless the Lease is still as this lock last saw it. Labels and annotations of others stay. */
  async update(record: ElectionRecord, signal?: AbortSignal): Promise<void> {
    const { client, labels } = this.#options;
    if (this.#lease === undefined) throw new Error("lease not initialized, call get or create first");
    const { metadata } = this.#lease;
    const merged =
      labels === undefined ? metadata : { ...metadata, labels: { ...metadata.labels, ...labels } };
    this.#lease = await client.update(
      { ...this.#lease, metadata: merged, spec: specOfRecord(record) },
      {},
      signal,
    );
  }

  /** Something comes whenever the Lease has changed, and once at the beginning if there is one. */
  watch(signal: AbortSignal): AsyncIterable<unknown> {
    const { client, namespace, name } = this.#options;
    return client.watch({ namespace, fieldSelector: `metadata.name=${name}` }, signal);
  }

  /** "host_uuid became leader", as an event on the Lease. */
  recordEvent(what: string): void {
    const { events, identity, namespace, name } = this.#options;
    const metadata: ObjectMeta = this.#lease?.metadata ?? { namespace, name };
    const regarding = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata };
    events?.event(regarding, "Normal", "LeaderElection", `${identity} ${what}`);
  }

  describe(): string {
    return `${this.#options.namespace}/${this.#options.name}`;
  }
}

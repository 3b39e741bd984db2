import { resources } from "../../pkg/api/resources.ts";
import { formatMicroTime, formatTime } from "../../pkg/api/time.ts";
import type { Node, NodeCondition } from "../../pkg/api/types/core-v1.gen.ts";
import { isAlreadyExists } from "../../pkg/client/errors.ts";
import type { ClientSet } from "../../pkg/client/client-set.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import { sleep } from "../../pkg/clock/wait.ts";

const NAMESPACE = "kube-node-lease";
const RENEW_MS = 400;

/** Kubelets that do nothing but renew Leases, while time passes, and report when they are told to. */
export class Kubelets {
  readonly #client: ClientSet;
  readonly #clock: Clock;
  readonly #alive = new Set<string>();
  readonly #leased = new Set<string>();
  readonly #stop = new AbortController();
  #ended: Promise<void> | undefined;

  constructor(client: ClientSet, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  async start(): Promise<void> {
    try {
      await this.#client.clientFor(resources.namespaces).create({ metadata: { name: NAMESPACE } });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
    }
    this.#ended = this.#renewAll();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  /** Registers a node, whose kubelet lives. */
  async add(node: Node): Promise<void> {
    const { name = "" } = node.metadata;
    await this.#client.clientFor(resources.nodes).create(node);
    await this.#renew(name);
    this.#alive.add(name);
  }

  silence(...names: readonly string[]): void {
    for (const name of names) this.#alive.delete(name);
  }

  async revive(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      this.#alive.add(name);
      await this.report(name, [{ type: "Ready", status: "True", reason: "Kubelet" }]);
    }
  }

  async report(name: string, conditions: readonly NodeCondition[]): Promise<void> {
    const now = formatTime(this.#clock.nowMs());
    const times = { lastHeartbeatTime: now, lastTransitionTime: now };
    const body = { status: { conditions: conditions.map((each) => ({ ...each, ...times })) } };
    const patch = { type: "strategic", body } as const;
    await this.#client.clientFor(resources.nodes).patch({ name }, patch, { subresource: "status" });
  }

  async #renewAll(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await Promise.all([...this.#alive].map(async (name) => this.#renew(name)));
      await sleep(this.#clock, RENEW_MS, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    }
  }

  async #renew(name: string): Promise<void> {
    const leases = this.#client.clientFor(resources.leases);
    const spec = { renewTime: formatMicroTime(this.#clock.nowMs()) };
    const ref = { namespace: NAMESPACE, name };
    if (this.#leased.has(name)) {
      await leases.patch(ref, { type: "merge", body: { spec } });
      return;
    }
    this.#leased.add(name);
    await leases.create({ metadata: ref, spec: { holderIdentity: name, leaseDurationSeconds: 40, ...spec } });
  }
}

import type { FeatureGates } from "../api/feature-gates.ts";
import type { ClientBuilder } from "../client/client-builder.ts";
import type { ClientSet } from "../client/client-set.ts";
import type { Clock } from "../clock/clock.ts";
import type { Random } from "../clock/random.ts";
import { ControllerSet } from "../controller/controller-set.ts";
import type { ControllerDescriptor, ControllerHealth } from "../controller/env.ts";
import type { ElectionTiming } from "../leader/election-timing.ts";
import { openGate, type WriteGate } from "../leader/fence.ts";
import { leaseElection } from "../leader/lease-election.ts";
import type { Logger } from "../log/logger.ts";
import type { Metrics } from "../metrics/metrics.ts";

/** How a program takes part in the election of the one that works. */
export interface CandidateOptions {
  /** Of this process alone; or of a storage that one process at a time can have. */
  readonly identity: string;
  readonly timing: ElectionTiming;
  /** Told whether this program leads, or another one of that name; "" when nobody does. */
  readonly onNewLeader?: (identity: string) => void;
}

export interface ManagerOptions {
  /** Of the program, and of its Lease in kube-system. */
  readonly name: string;
  readonly descriptors: readonly ControllerDescriptor[];
  readonly clients: ClientBuilder;
  readonly informerClient: ClientSet;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly features: FeatureGates;
  /** Left out: it works from the start, and does not look whether others do. */
  readonly candidate?: CandidateOptions | undefined;
}

const NAMESPACE = "kube-system";

/** Controllers as one of the programs of a control plane runs them. */
export class Manager {
  readonly #options: ManagerOptions;
  #working: ControllerSet | undefined;
  #leader = "";

  constructor(options: ManagerOptions) {
    this.#options = options;
  }

  /** Of every controller that works; of none while another program leads. */
  health(): ReadonlyMap<string, ControllerHealth | undefined> {
    return this.#working?.health() ?? new Map();
  }

  /**
   * Works until the signal aborts: whenever it leads, if it is a candidate. Rejects when a controller fails, and a
   * program without controllers takes part in no election.
   */
  async run(signal: AbortSignal): Promise<void> {
    const { candidate, descriptors } = this.#options;
    if (candidate === undefined || descriptors.length === 0) return this.#work(openGate, signal);
    while ((await this.#runTerm(candidate, signal)) === "lost") {
      this.#options.log.info("The Lease is lost; standing by", { program: this.#options.name });
    }
  }

  /** From candidate to the end of one time as leader. What was believed in it is not taken into the next. */
  async #runTerm(candidate: CandidateOptions, signal: AbortSignal): Promise<"stopped" | "lost"> {
    const { name, informerClient: client, clock, random, log, metrics } = this.#options;
    const parts = { client, clock, random, log, metrics, ...candidate, namespace: NAMESPACE, name };
    const election = leaseElection({
      ...parts,
      component: name,
      onNewLeader: (identity) => this.#hearOf(identity),
    });
    try {
      return await election.elector.run(
        async (leading) => this.#work(election.elector.fence, leading),
        signal,
      );
    } finally {
      await election.close();
    }
  }

  /** Each term finds out anew who leads. */
  #hearOf(leader: string): void {
    if (leader === this.#leader) return;
    this.#leader = leader;
    this.#options.candidate?.onNewLeader?.(leader);
  }

  async #work(gate: WriteGate, signal: AbortSignal): Promise<void> {
    this.#working = new ControllerSet({ ...this.#options, gate });
    try {
      await this.#working.run(signal);
    } finally {
      this.#working = undefined;
    }
  }
}

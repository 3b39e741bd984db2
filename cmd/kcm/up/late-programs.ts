import { realClock, realRandom } from "../../../pkg/clock/real.ts";
import type { ClusterServer } from "../../../pkg/cluster/cluster-server.ts";
import type { CandidateOptions } from "../../../pkg/cluster/manager.ts";
import type { ClusterPrograms } from "../../../pkg/cluster/programs.ts";
import type { ControllerHealth } from "../../../pkg/controller/env.ts";
import type { Logger } from "../../../pkg/log/logger.ts";
import type { ClusterSecrets } from "../../kube-controller-manager/cluster-secrets.ts";

export type Candidate = Omit<CandidateOptions, "timing">;

export interface LateProgramsOptions {
  readonly controllers: readonly string[];
  readonly secrets: ClusterSecrets;
  readonly candidate: Candidate;
  readonly log: Logger;
  readonly nodes: number;
  readonly kubernetesMinor: number;
}

/**
 * Controllers, scheduler and nodes of a cluster whose API answers already: nothing of it needs their many modules,
 * which are read only now, and not at all where none of them is to work.
 */
export class LatePrograms {
  /** Resolves after `stop`; rejects when one fails, which ends the others. */
  readonly ended: Promise<void>;
  readonly #stop = new AbortController();
  #programs: ClusterPrograms | undefined;

  constructor(base: ClusterServer, options: LateProgramsOptions) {
    this.ended = this.#run(base, options);
    // Who waits for the end is told of a failure.
    this.ended.catch(() => undefined);
  }

  /** Of those that work. */
  health(): ReadonlyMap<string, ControllerHealth | undefined> {
    return this.#programs?.health() ?? new Map();
  }

  /** Resolves when all work has ended, well or not. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error("the cluster ends"));
    await Promise.allSettled([this.ended]);
  }

  async #run(base: ClusterServer, options: LateProgramsOptions): Promise<void> {
    const { controllers: names, secrets, candidate, log, nodes, kubernetesMinor } = options;
    const { signal } = this.#stop;
    const stopped = new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    if (names.length === 0 && nodes === 0) return stopped;
    const [{ ClusterPrograms }, { loadControllers }] = await Promise.all([
      import("../../../pkg/cluster/programs.ts"),
      import("./load-controllers.ts"),
    ]);
    if (signal.aborted) return;
    const { controllers, timing } = loadControllers(names, secrets);
    const programs = new ClusterPrograms(base, {
      clock: realClock,
      random: realRandom,
      log,
      controllers,
      candidate: { ...candidate, timing },
      nodes,
      kubernetesMinor,
    });
    this.#programs = programs;
    await Promise.race([stopped, programs.ended]);
    await programs.stop();
    await programs.ended;
  }
}

import type { Manager } from "./managers.ts";
import type { ManagerProcess } from "./manager-process.ts";
import type { Figure, Outcome } from "./outcome.ts";
import type { Stage, Surroundings } from "./stage.ts";

export interface Workload extends Surroundings {
  /** The name on the command line; the letter first. */
  readonly id: string;
  readonly title: string;
  /** Controllers without which there is nothing to measure. */
  readonly needs: readonly string[];
  /** No other controllers run. */
  readonly alone?: boolean;
  readonly figures: Readonly<Record<string, Figure>>;
  /** Hollow nodes; none, and no scheduler either, when left out. */
  readonly nodes?: number;
  /** Whether managers leave the cluster as they found it, so that one is enough for all of them. */
  readonly sharesCluster?: boolean;
  /** How many rounds say enough; fewer for what takes long and varies little. */
  readonly rounds?: number;
  /** It takes long, and is left out unless it is asked for by its name. */
  readonly whenNamed?: boolean;
  /** What is there before any manager starts. */
  prepare?(stage: Stage): Promise<void>;
  play(stage: Stage, start: StartManager): Promise<Outcome>;
}

/** Starts the manager whose turn it is; more than once for several replicas. */
export type StartManager = (options?: {
  readonly limits?: "lifted" | "default";
  readonly more?: readonly string[];
}) => Promise<ManagerProcess>;

export interface Turn {
  readonly workload: Workload;
  readonly manager: Manager;
  readonly round: number;
}

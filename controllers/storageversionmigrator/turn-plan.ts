import type { Stored } from "../../pkg/api/object.ts";
import { parseTime } from "../../pkg/api/time.ts";
import { isFinished, isRunning, isStopped, type Migration } from "./migration.ts";

/** Which of a resource's migrations come to an end, and which one is next: there is never more than one that runs. */
export interface TurnPlan {
  readonly ending: readonly Stored<Migration>[];
  readonly next: Stored<Migration> | undefined;
}

/** Looks at one migration after the other. upstream: migrationrunner.go#getSVMsForResource */
export class TurnPlanner {
  readonly #ending: Stored<Migration>[] = [];
  #runs = false;
  #first: Stored<Migration> | undefined;

  look(migration: Stored<Migration>): void {
    const [running, finished] = [isRunning(migration), isFinished(migration)];
    if (running && finished) this.#ending.push(migration);
    else if (running) this.#runs = true;
    else if (!finished && !isStopped(migration) && this.#isEarlier(migration)) this.#first = migration;
  }

  plan(): TurnPlan {
    return { ending: this.#ending, next: this.#runs ? undefined : this.#first };
  }

  /** The oldest goes first; of those of one second, the first by name. */
  #isEarlier(migration: Stored<Migration>): boolean {
    if (this.#first === undefined) return true;
    const [age, other] = [createdMs(migration), createdMs(this.#first)];
    return age === other ? migration.metadata.name < this.#first.metadata.name : age < other;
  }
}

function createdMs({ metadata }: Migration): number {
  return parseTime(metadata.creationTimestamp) ?? 0;
}

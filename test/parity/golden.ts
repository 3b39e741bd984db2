import { readFile, writeFile } from "node:fs/promises";
import type { Outcome } from "./outcome.ts";
import type { Scenario } from "./scenario.ts";

/** An outcome that another controller manager had on a real API server. */
export interface Golden extends Outcome {
  /** What it said when asked for its version. */
  readonly recordedWith: string;
}

export async function readGolden(scenario: Scenario): Promise<Golden> {
  return JSON.parse(await readFile(fileOf(scenario), "utf8")) as Golden;
}

export async function writeGolden(scenario: Scenario, golden: Golden): Promise<void> {
  await writeFile(fileOf(scenario), `${JSON.stringify(golden, undefined, 2)}\n`);
}

function fileOf({ name }: Scenario): URL {
  return new URL(`goldens/${name}.json`, import.meta.url);
}

/** Of several runs: all must have led to the same; of the writes, the most that any run has made. */
export function merged(runs: readonly Outcome[]): Outcome {
  const [first, ...others] = runs;
  if (first === undefined) throw new Error("there was no run");
  for (const other of others) {
    const found = differences(endOf(first), endOf(other));
    if (found.length > 0) throw new Error(`two runs differ:\n${found.join("\n")}`);
  }
  return { ...first, writes: most(runs.map(({ writes }) => writes)) };
}

function endOf({ objects, events }: Outcome): Pick<Outcome, "objects" | "events"> {
  return { objects, events };
}

/** A line for each value that is not the same: "objects.Pod/a.status.phase: Running, not Failed". */
export function differences(ours: unknown, theirs: unknown, path = ""): readonly string[] {
  if (!isRecord(ours) || !isRecord(theirs)) {
    const [a, b] = [JSON.stringify(ours), JSON.stringify(theirs)];
    return a === b ? [] : [`${path}: ${a ?? "nothing"}, not ${b ?? "nothing"}`];
  }
  const keys = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].sort();
  return keys.flatMap((key) => differences(ours[key], theirs[key], path === "" ? key : `${path}.${key}`));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

function most(all: readonly Outcome["writes"][]): Outcome["writes"] {
  const actors = [...new Set(all.flatMap((writes) => Object.keys(writes)))].sort();
  return Object.fromEntries(
    actors.map((actor) => {
      const whats = [...new Set(all.flatMap((writes) => Object.keys(writes[actor] ?? {})))].sort();
      return [
        actor,
        Object.fromEntries(
          whats.map((what) => [what, Math.max(...all.map((writes) => writes[actor]?.[what] ?? 0))]),
        ),
      ];
    }),
  );
}

/** What chance may add to the writes of a run. */
export interface Slack {
  /** Of the changes of an object, as a share. What is created and deleted is never left to chance. */
  readonly changes: number;
  /** Conflicts of an actor, all in all. */
  readonly conflicts: number;
}

/** In virtual time nothing is left to chance. */
export const NO_SLACK: Slack = { changes: 0, conflicts: 0 };

/** How many events one write tells of, and whose write comes first, depends on how long everybody takes. */
export const REAL_TIME_SLACK: Slack = { changes: 0.1, conflicts: 1 };

/**
 * Writes beyond those of the golden: "deployment-controller: update deployments/status 4, not 3". Conflicts are counted
 * together: which of an actor's writes meets another's is chance, how many do is not.
 */
export function excessWrites(golden: Outcome, ours: Outcome, slack: Slack): readonly string[] {
  return Object.entries(ours.writes).flatMap(([actor, counts]) => {
    const theirs = golden.writes[actor] ?? {};
    const allowed = attempts(theirs);
    const excess = [...attempts(withoutConflicts(counts))].map(
      ([what, count]) => [what, count, withSlack(what, allowed.get(what) ?? 0, slack)] as const,
    );
    return [...excess, ["conflicts", conflicts(counts), conflicts(theirs) + slack.conflicts] as const]
      .filter(([, count, most]) => count > most)
      .map(([what, count, most]) => `${actor}: ${what} ${count}, not ${most}`);
  });
}

function withSlack(what: string, most: number, { changes }: Slack): number {
  return what.startsWith("update ") ? most + Math.ceil(most * changes) : most;
}

type Counts = Readonly<Record<string, number>>;

/** With those that were refused. A patch of what was to be changed is as good as an update. */
function attempts(counts: Counts): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const [what, count] of Object.entries(counts)) {
    const attempt = (what.split(":")[0] ?? "").replace(/^patch /, "update ");
    sums.set(attempt, (sums.get(attempt) ?? 0) + count);
  }
  return sums;
}

function withoutConflicts(counts: Counts): Counts {
  return Object.fromEntries(Object.entries(counts).filter(([what]) => !isConflict(what)));
}

function conflicts(counts: Counts): number {
  return Object.entries(counts).reduce((sum, [what, count]) => (isConflict(what) ? sum + count : sum), 0);
}

function isConflict(what: string): boolean {
  return what.endsWith(": 409");
}

import type { Head } from "./head.ts";
import type { Manager } from "./managers.ts";
import { median } from "./median.ts";
import type { Figure, Goal } from "./outcome.ts";
import type { Result } from "./run.ts";

/** One figure of one workload: ours beside one other program's, medians of all rounds. */
export interface Row {
  readonly workload: string;
  readonly figure: string;
  readonly unit: string;
  readonly other: string;
  readonly ours: number | undefined;
  readonly theirs: number | undefined;
  readonly ratio: number | undefined;
  readonly goal: string;
  readonly reached: boolean | undefined;
}

/** The first manager is ours. */
export function rowsOf({ workload, outcomes }: Result, managers: readonly Manager[]): readonly Row[] {
  const [ours, ...others] = managers;
  const medianOf = (manager: string | undefined, name: string): number | undefined => {
    const values = (outcomes.get(manager ?? "") ?? []).flatMap(({ figures }) => figures[name] ?? []);
    return values.length === 0 ? undefined : median(values);
  };
  const compared = others.length === 0 ? [undefined] : others;
  return Object.entries(workload.figures).flatMap(([name, figure]) =>
    compared.map((other) => {
      const our = medianOf(ours?.name, name);
      const their = medianOf(other?.name, name);
      const ratio = our === undefined || their === undefined || their === 0 ? undefined : our / their;
      return {
        workload: workload.id,
        figure: figure.label,
        unit: figure.unit,
        other: other?.name ?? "",
        ours: our,
        theirs: their,
        ratio,
        goal: figure.goal === undefined ? "" : showGoal(figure.goal, figure),
        reached: isReached(figure.goal, our, ratio),
      };
    }),
  );
}

function isReached(
  goal: Goal | undefined,
  ours: number | undefined,
  ratio: number | undefined,
): boolean | undefined {
  const value = goal?.absolute === true ? ours : ratio;
  if (goal === undefined || value === undefined) return undefined;
  return goal.bound === "at most" ? value <= goal.value : value >= goal.value;
}

function showGoal({ bound, value, absolute }: Goal, { unit }: Figure): string {
  return `${bound === "at most" ? "≤" : "≥"} ${value}${absolute === true ? ` ${unit}` : ""}`;
}

/** A title and a table, in Markdown, aligned for readers of plain text. */
export function showResult(result: Result, managers: readonly Manager[]): string {
  const { workload, notes } = result;
  const rows = rowsOf(result, managers).filter(
    ({ ours, theirs }) => ours !== undefined || theirs !== undefined,
  );
  const head = [
    "",
    managers[0]?.name ?? "",
    managers.length > 2 ? "other" : (managers[1]?.name ?? "-"),
    "ratio",
    "goal",
    "",
  ];
  const cells = rows.map(({ figure, unit, other, ours, theirs, ratio, goal, reached }) => [
    `${figure}${unit === "" ? "" : ` (${unit})`}`,
    show(ours),
    managers.length > 2 ? `${show(theirs)} ${other}` : show(theirs),
    show(ratio),
    goal,
    reached === undefined ? "" : reached ? "reached" : "MISSED",
  ]);
  const widths = head.map((title, column) =>
    Math.max(3, ...[head, ...cells].map((row) => (row[column] ?? title).length)),
  );
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const table =
    rows.length === 0 ? [] : [line(head), line(widths.map((width) => "-".repeat(width))), ...cells.map(line)];
  return [`\n(${workload.id}) ${workload.title}`, "", ...table, ...notes.map((note) => `- ${note}`)].join(
    "\n",
  );
}

function show(value: number | undefined): string {
  if (value === undefined || Number.isNaN(value)) return "-";
  if (value === 0) return "0";
  return Math.abs(value) >= 100
    ? Math.round(value).toLocaleString("en")
    : String(Number(value.toPrecision(3)));
}

/** All that is known of the run, for programs: rows as in the tables, and every round with its curves. */
export function resultJson(head: Head, results: readonly Result[], managers: readonly Manager[]): string {
  const report = {
    ...head,
    rows: results.flatMap((result) => rowsOf(result, managers)),
    workloads: results.map(({ workload, outcomes, notes }) => ({
      id: workload.id,
      title: workload.title,
      notes,
      outcomes: Object.fromEntries(outcomes),
    })),
  };
  const rounded = (_: string, value: unknown): unknown =>
    typeof value === "number" ? Number(value.toPrecision(5)) : value;
  // A point of a curve is one line, not four.
  const pairs = /\[\s+([-+.\de]+),\s+([-+.\de]+)\s+\]/g;
  return `${JSON.stringify(report, rounded, 1).replaceAll(pairs, "[$1, $2]")}\n`;
}

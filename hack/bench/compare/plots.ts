import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Axes, plot } from "./plot.ts";
import type { Result } from "./run.ts";

interface WrittenPlot {
  readonly file: string;
  readonly title: string;
}

/** One picture for each kind of curve that a workload has. */
export function writePlots(directory: string, { workload, outcomes }: Result): readonly WrittenPlot[] {
  const all = [...outcomes].flatMap(([name, rounds]) => rounds.map(({ curves }) => ({ name, curves })));
  const kinds = new Set(all.flatMap(({ curves }) => Object.keys(curves)));
  return [...kinds].flatMap((kind) => {
    const curves = all.flatMap(({ name, curves: { [kind]: curve } }) =>
      curve === undefined || curve.points.length === 0 ? [] : [{ name, curve }],
    );
    if (curves.length === 0) return [];
    const file = `${workload.id}-${kind.replaceAll(" ", "-").toLowerCase()}.svg`;
    const svg = plot(`(${workload.id}) ${workload.title}`, axesOf(kind, curves[0]?.curve.unit ?? ""), curves);
    writeFileSync(join(directory, file), svg);
    return [{ file, title: `${workload.id}: ${kind}` }];
  });
}

function axesOf(kind: string, unit: string): Axes {
  return {
    horizontal: horizontal[kind] ?? "seconds since the load began",
    vertical: unit === "" ? kind : `${kind} (${unit})`,
  };
}

const horizontal: Readonly<Record<string, string>> = {
  RSS: "seconds since the manager began",
  latency: "percentile",
};

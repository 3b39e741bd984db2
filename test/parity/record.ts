// Records goldens: node test/parity/record.ts --manager 'PROGRAM [FLAG…]' [--only NAME]… [--runs N]
// Plays every scenario N times on real API servers and writes what the runs agree on.
import { execFileSync } from "node:child_process";
import { parseArgs } from "node:util";
import { merged, writeGolden } from "./golden.ts";
import { playOnReal } from "./play-all.ts";
import type { Outcome } from "./outcome.ts";
import { scenarios } from "./scenarios/all.ts";

const { values } = parseArgs({
  options: {
    manager: { type: "string" },
    only: { type: "string", multiple: true },
    runs: { type: "string", default: "3" },
  },
});
const [program = "", ...flags] = (values.manager ?? "").split(" ").filter((word) => word !== "");
if (program === "") throw new Error("--manager says which program is recorded");
const chosen = scenarios.filter(({ name }) => values.only?.includes(name) ?? true);
const recordedWith = execFileSync(program, ["--version"], { encoding: "utf8" }).trim();

const runs: ReadonlyMap<string, Outcome | Error>[] = [];
for (let run = 1; run <= Number(values.runs); run++) {
  const startMs = performance.now();
  runs.push(await playOnReal(chosen, [program, ...flags]));
  console.log(`run ${run}: ${((performance.now() - startMs) / 1_000).toFixed(0)} s`);
}
for (const scenario of chosen) {
  try {
    const outcomes = runs.map((outcomeOf) => {
      const outcome = outcomeOf.get(scenario.name);
      if (outcome === undefined || outcome instanceof Error) throw outcome ?? new Error("it was not played");
      return outcome;
    });
    await writeGolden(scenario, { recordedWith, ...merged(outcomes) });
    console.log(`recorded ${scenario.name}`);
  } catch (error) {
    console.error(`NOT recorded: ${scenario.name}: ${String(error)}`);
    process.exitCode = 1;
  }
}

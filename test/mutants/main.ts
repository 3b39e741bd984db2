// Plants each mistake of the table in turn and runs what must notice it. ONLY: part of a name or of a file.
import { editsOf } from "./mutant.ts";
import { mutants } from "./mutants.ts";
import { plant } from "./plant.ts";

const AT_ONCE = 2;
const LIMIT_MS = 600_000;

const only = process.env["ONLY"] ?? "";
const toPlant = mutants.filter(({ name, file }) => name.includes(only) || file.includes(only));
const queue = toPlant.values();
let survivors = 0;

async function work(): Promise<void> {
  for (const mutant of queue) {
    const args = ["run", ...mutant.tests];
    const { noticed, by, seconds } = await plant({ edits: editsOf(mutant), args, limitMs: LIMIT_MS });
    if (!noticed) survivors++;
    const verdict = noticed ? "noticed " : "SURVIVES";
    console.log(`${verdict} ${seconds.toFixed(0).padStart(4)} s  ${mutant.name}: ${by.slice(0, 160)}`);
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, work));
console.log(`${toPlant.length} planted, ${survivors} survived`);
process.exitCode = survivors === 0 ? 0 : 1;

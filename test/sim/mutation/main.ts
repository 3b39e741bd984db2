// Plants each mistake in turn and counts the seeds until the simulation notices. LIMIT: seeds per mistake, 1000;
// ONLY: part of a name; AREA: what the clusters are busy with. Prints a row of the table in test/sim/README.md for each, two at a time.
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { mutants } from "./mutants.ts";

const AT_ONCE = 2;

const hook = new URL("hook.ts", import.meta.url).href;
const simulation = fileURLToPath(new URL("../main.ts", import.meta.url));
const limit = process.env["LIMIT"] ?? "1000";

async function firstFailure({
  name,
  area,
  needs = [],
}: (typeof mutants)[number]): Promise<string | undefined> {
  const env = { ...process.env, MUTANT: name, MIX: area, NEEDS: needs.join(), SEEDS: limit, STOP: "1" };
  const output = await new Promise<string>((resolve) => {
    const options = { env, maxBuffer: 2 ** 26 };
    const command = ["--max-semi-space-size=64", "--import", hook, simulation];
    execFile(process.execPath, command, options, (_error, stdout, stderr) => resolve(stdout + stderr));
  });
  const failure = /^seed (\d+) fails: (.*)$/m.exec(output);
  if (failure !== null) return `${failure[1]} | ${failure[2]?.replace(/^[\d.]+ s: /, "").slice(0, 140)}`;
  if (/^seeds \d+ to/m.test(output)) return undefined;
  throw new Error(`${name}: ${output.slice(-2_000)}`);
}

let missed = 0;
const { ONLY: only = "", AREA: wanted } = process.env;
const toPlant = mutants
  .filter(({ name, area }) => name.includes(only) && (wanted === undefined || area === wanted))
  .values();

async function plant(): Promise<void> {
  for (const mutant of toPlant) {
    const failure = await firstFailure(mutant);
    if (failure === undefined) missed++;
    console.log(`| ${mutant.name} | ${mutant.area} | ${failure ?? `not within ${limit} | `} |`);
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, plant));
process.exitCode = missed === 0 ? 0 : 1;

// make sim SEEDS=1000 [FIRST=1]: many seeds; SEED=n: one of them with its trace, cut down if it fails.
// NEEDS="stale cache,watches hold": leaves out clusters that do not have these faults, or in which watches are ever late.
// MIX=crashes: Jobs, and managers that die again and again; MIX=identity: names that are used again; MIX=half-refused:
// answers that say less than they seem to; MIX=jobs or another area: no cluster busy with another alone.
import { runScenario } from "./run-scenario.ts";
import { families, type FamilyName, type Scenario, scenarioOf } from "./scenario.ts";
import { shrink } from "./shrink.ts";
import { type AreaName, areas } from "./world/operations.ts";

/** How many seeds until the next sign of life. */
const PROGRESS = 500;
const WATCHES_HOLD = "watches hold";

const numberOf = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise);

const needs = (process.env["NEEDS"] ?? "").split(",").filter((need) => need !== "");

function isWanted({ actions, watchesHold }: Scenario): boolean {
  const has = (need: string): boolean =>
    need === WATCHES_HOLD ? watchesHold : actions.some(({ kind, what }) => kind === "fault" && what === need);
  return needs.every(has);
}

const isFamily = (name: string): name is FamilyName => Object.hasOwn(families, name);
const isArea = (name: string): name is AreaName => Object.hasOwn(areas, name);

function scenarioFor(seed: number): Scenario {
  const mix = process.env["MIX"];
  if (mix === undefined) return scenarioOf(seed);
  if (isFamily(mix)) return families[mix](seed);
  if (isArea(mix)) return scenarioOf(seed, mix);
  throw new Error(
    `MIX is ${mix}; there are ${Object.keys(families).join(", ")}, ${Object.keys(areas).join(", ")}`,
  );
}

async function replay(seed: number): Promise<boolean> {
  const scenario = scenarioFor(seed);
  const outcome = await runScenario(scenario, { traced: true });
  for (const line of outcome.trace) console.log(line);
  if (outcome.violations.length === 0) return true;
  const { actions, runs } = await shrink(scenario);
  console.log(
    `\n${actions.length} of ${scenario.actions.length} actions are enough for it to fail (${runs} runs):`,
  );
  const smallest = await runScenario({ ...scenario, actions }, { traced: true });
  for (const line of smallest.trace) console.log(line);
  console.log(`\nseed ${seed} fails:\n${smallest.violations.join("\n")}`);
  return false;
}

/** Gives the seeds that fail. */
async function runMany(first: number, count: number, stopAtFailure: boolean): Promise<readonly number[]> {
  const startMs = performance.now();
  const failed: number[] = [];
  let virtualMs = 0;
  let played = 0;
  let seed = first;
  for (; seed < first + count; seed++) {
    const scenario = scenarioFor(seed);
    if (!isWanted(scenario)) continue;
    const outcome = await runScenario(scenario, { untilViolation: stopAtFailure });
    virtualMs += outcome.virtualMs;
    if (++played % PROGRESS === 0) console.log(`seeds ${first} to ${seed}: ${failed.length} failed so far`);
    if (outcome.violations.length === 0) continue;
    failed.push(seed);
    console.log(`seed ${seed} fails: ${outcome.violations[0]}`);
    if (stopAtFailure) break;
  }
  const last = Math.min(seed, first + count - 1);
  const hours = virtualMs / 3_600_000;
  const realS = (performance.now() - startMs) / 1_000;
  const cpuS = (process.cpuUsage().user + process.cpuUsage().system) / 1_000_000;
  console.log(
    `seeds ${first} to ${last}: ${failed.length} failed, ${last - first + 1 - played} left out;`,
    `${hours.toFixed(1)} cluster hours in ${realS.toFixed(0)} s (${cpuS.toFixed(0)} s of CPU):`,
    `${Math.round((hours * 3_600) / realS)} cluster hours in an hour of the machine, which is how many times as fast as real it`,
    `went (${Math.round((hours * 3_600) / cpuS)} times by CPU time)`,
  );
  return failed;
}

if (process.env["SEED"] !== undefined) process.exitCode = (await replay(numberOf("SEED", 1))) ? 0 : 1;
else {
  const failed = await runMany(numberOf("FIRST", 1), numberOf("SEEDS", 100), process.env["STOP"] === "1");
  process.exitCode = failed.length === 0 ? 0 : 1;
}

import { runScenario } from "./run-scenario.ts";
import { scenarioOf } from "./scenario.ts";

const first = Number(process.env["SEED"] ?? process.env["FIRST"] ?? 1);
const count = process.env["SEED"] === undefined ? Number(process.env["SEEDS"] ?? 20) : 1;
const traced = process.env["SEED"] !== undefined;
const startMs = performance.now();
let virtualMs = 0;
let failed = 0;
for (let seed = first; seed < first + count; seed++) {
  const outcome = await runScenario(scenarioOf(seed), { traced });
  for (const line of outcome.trace) console.log(line);
  virtualMs += outcome.virtualMs;
  if (outcome.violations.length > 0) failed++;
  if (outcome.violations.length > 0) console.log(`seed ${seed}:`, outcome.violations.slice(0, 3));
}
const cpuS = process.cpuUsage().user / 1e6;
console.log(`${count} seeds, ${failed} failed, ${(virtualMs / 3.6e6).toFixed(1)} cluster hours in ${((performance.now() - startMs) / 1000).toFixed(1)} s (${cpuS.toFixed(1)} s CPU): ${(virtualMs / 1000 / cpuS).toFixed(0)} virtual seconds per CPU second`);

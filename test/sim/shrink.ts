import { runScenario } from "./run-scenario.ts";
import type { Action, Scenario } from "./scenario.ts";

/** The fewest actions that still make the scenario fail, found by leaving out ever smaller parts of them. */
export async function shrink(
  scenario: Scenario,
  fails: (candidate: Scenario) => Promise<boolean> = async (candidate) =>
    (await runScenario(candidate)).violations.length > 0,
): Promise<{ readonly actions: readonly Action[]; readonly runs: number }> {
  let actions = scenario.actions;
  let runs = 0;
  for (let size = Math.ceil(actions.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = actions.length - 1; from >= 0; from -= size) {
      const without = actions.toSpliced(Math.max(0, from - size + 1), size);
      if (without.length === actions.length) continue;
      runs++;
      if (await fails({ ...scenario, actions: without })) actions = without;
    }
  }
  return { actions, runs };
}

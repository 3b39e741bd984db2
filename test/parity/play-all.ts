import type { Program } from "../harness/daemon.ts";
import { type Area, areas } from "./area.ts";
import { type Arena, startRealArena } from "./arena.ts";
import type { Outcome } from "./outcome.ts";
import { runScenario } from "./run-scenario.ts";
import { areaOf, type Scenario, terminatedPodsKept } from "./scenario.ts";

export interface Play {
  /** How many scenarios share a cluster at a time. */
  readonly atOnce: number;
  /** How much longer than usual nothing has to happen until it counts as quiet. */
  readonly patience: number;
}

/** As many as two processors can keep apart. */
const SIDE_BY_SIDE: Play = { atOnce: 10, patience: 1 };
export const ONE_BY_ONE: Play = { atOnce: 1, patience: 2 };

/**
 * Plays scenarios with a controller manager on real API servers: those of an area side by side on one, then those that
 * must be alone. The answer has an outcome or a failure for each.
 */
export async function playOnReal(
  scenarios: readonly Scenario[],
  program: Program,
  { atOnce, patience }: Play = SIDE_BY_SIDE,
): Promise<ReadonlyMap<string, Outcome | Error>> {
  const outcomes = new Map<string, Outcome | Error>();
  const groups = (Object.keys(areas) as Area[]).flatMap((area) =>
    [false, true].map((alone) => ({ area, alone })),
  );
  for (const { area, alone } of groups) {
    const group = scenarios.filter(
      (scenario) => areaOf(scenario) === area && (scenario.alone ?? false) === alone,
    );
    if (group.length === 0) continue;
    const arena = await startRealArena(program, area, terminatedPodsKept({ alone }), patience);
    try {
      await playAll(group, arena, alone ? 1 : atOnce, outcomes);
    } finally {
      await arena.stop();
    }
  }
  return outcomes;
}

async function playAll(
  scenarios: readonly Scenario[],
  arena: Arena,
  atOnce: number,
  outcomes: Map<string, Outcome | Error>,
): Promise<void> {
  const waiting = [...scenarios];
  const player = async (): Promise<void> => {
    for (let scenario = waiting.shift(); scenario !== undefined; scenario = waiting.shift()) {
      try {
        outcomes.set(scenario.name, await arena.drive(runScenario(scenario, arena)));
      } catch (error) {
        outcomes.set(
          scenario.name,
          error instanceof Error ? error : new Error(String(error), { cause: error }),
        );
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, player));
}

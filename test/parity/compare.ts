import { beforeAll, describe, expect, test } from "vitest";
import { ourProgram } from "../harness/daemon.ts";
import type { Area } from "./area.ts";
import { differences, excessWrites, readGolden, REAL_TIME_SLACK, type Slack } from "./golden.ts";
import type { Outcome } from "./outcome.ts";
import { ONE_BY_ONE, playOnReal } from "./play-all.ts";
import { areaOf, type Scenario } from "./scenario.ts";
import { scenarios } from "./scenarios/all.ts";

/** Equal objects and events, and no more writes of any sort. */
export async function compare(scenario: Scenario, outcome: Outcome, slack: Slack): Promise<void> {
  expect(await problems(scenario, outcome, slack)).toEqual([]);
}

async function problems(scenario: Scenario, outcome: Outcome, slack: Slack): Promise<readonly string[]> {
  const golden = await readGolden(scenario);
  return [
    ...differences(outcome.objects, golden.objects, "objects"),
    ...differences(outcome.events, golden.events, "events"),
    ...excessWrites(golden, outcome, slack),
  ];
}

/** More than chance explains. */
const TOO_MANY_TO_PLAY_AGAIN = 12;

/** Scenarios wait more than they work: each file of tests plays those of some areas, beside the other files. */
export function compareOnReal(isMine: (area: Area) => boolean): void {
  const mine = scenarios.filter((scenario) => isMine(areaOf(scenario)) && scenario.timed !== true);
  describe("our program does as the recorded one did, on a real API server", () => {
    const outcomes = new Map<string, Outcome | Error>();
    // A cluster may be taken for quiet while a busy machine keeps somebody from writing: what differs is played again,
    // by itself and with more patience, and has to differ then, too.
    beforeAll(async () => {
      for (const [name, outcome] of await playOnReal(mine, ourProgram)) outcomes.set(name, outcome);
      const doubtful = await Array.fromAsync(mine, async (scenario) => {
        const outcome = outcomes.get(scenario.name);
        if (outcome === undefined || outcome instanceof Error) return [scenario];
        return (await problems(scenario, outcome, REAL_TIME_SLACK)).length > 0 ? [scenario] : [];
      });
      const again = doubtful.flat();
      if (again.length === 0 || again.length > TOO_MANY_TO_PLAY_AGAIN) return;
      console.log(`played again: ${again.map(({ name }) => name).join(", ")}`);
      for (const [name, outcome] of await playOnReal(again, ourProgram, ONE_BY_ONE))
        outcomes.set(name, outcome);
    }, 1_200_000);

    test.each(mine)("$name", async (scenario) => {
      const outcome = outcomes.get(scenario.name);
      if (outcome === undefined || outcome instanceof Error) throw outcome ?? new Error("it was not played");
      await compare(scenario, outcome, REAL_TIME_SLACK);
    });
  });
}

import { beforeAll, describe, expect, test } from "vitest";
import { ourProgram } from "../harness/daemon.ts";
import { hasRealCluster } from "../harness/real-cluster.ts";
import type { Area } from "./area.ts";
import { differences, excessWrites, readGolden, REAL_TIME_SLACK, type Slack } from "./golden.ts";
import type { Outcome } from "./outcome.ts";
import { playOnReal } from "./play-all.ts";
import { areaOf, type Scenario } from "./scenario.ts";
import { scenarios } from "./scenarios/all.ts";

/** Equal objects and events, and no more writes of any sort. */
export async function compare(scenario: Scenario, outcome: Outcome, slack: Slack): Promise<void> {
  const golden = await readGolden(scenario);
  expect([
    ...differences(outcome.objects, golden.objects, "objects"),
    ...differences(outcome.events, golden.events, "events"),
    ...excessWrites(golden, outcome, slack),
  ]).toEqual([]);
}

/** Scenarios wait more than they work: each file of tests plays those of some areas, beside the other files. */
export function compareOnReal(isMine: (area: Area) => boolean): void {
  const mine = scenarios.filter((scenario) => isMine(areaOf(scenario)));
  describe.runIf(hasRealCluster())("our program does as the recorded one did, on a real API server", () => {
    let outcomes: ReadonlyMap<string, Outcome | Error>;
    beforeAll(async () => {
      outcomes = await playOnReal(mine, ourProgram);
    }, 600_000);

    test.each(mine)("$name", async (scenario) => {
      const outcome = outcomes.get(scenario.name);
      if (outcome === undefined || outcome instanceof Error) throw outcome ?? new Error("it was not played");
      await compare(scenario, outcome, REAL_TIME_SLACK);
    });
  });
}

import { beforeAll, describe, expect, test } from "vitest";
import { ourProgram } from "../harness/daemon.ts";
import { hasRealCluster } from "../harness/real-cluster.ts";
import { startEmbeddedArena } from "./arena.ts";
import { differences, excessWrites, readGolden } from "./golden.ts";
import type { Outcome } from "./outcome.ts";
import { playOnReal } from "./play-all.ts";
import { ourControllers } from "./our-controllers.ts";
import { runScenario } from "./run-scenario.ts";
import type { Scenario } from "./scenario.ts";
import { scenarios } from "./scenarios/all.ts";

/** On the real clock only: the embedded column runs in virtual time, where nothing is left to chance. */
const REAL_STATUS_SLACK = 0.1;

/** Equal objects and events, and no more writes of any sort. */
async function compare(scenario: Scenario, outcome: Outcome, statusSlack = 0): Promise<void> {
  const golden = await readGolden(scenario);
  expect([
    ...differences(outcome.objects, golden.objects, "objects"),
    ...differences(outcome.events, golden.events, "events"),
    ...excessWrites(golden, outcome, statusSlack),
  ]).toEqual([]);
}

describe("our controllers do as the recorded ones did, on the embedded API server", () => {
  test.each(scenarios)("$name", async (scenario) => {
    const arena = await startEmbeddedArena(scenario.area ?? "workloads", ourControllers(scenario));
    try {
      await compare(scenario, await arena.drive(runScenario(scenario, arena)));
    } finally {
      await arena.stop();
    }
  });
});

describe.runIf(hasRealCluster())("our program does as the recorded one did, on a real API server", () => {
  let outcomes: ReadonlyMap<string, Outcome | Error>;
  beforeAll(async () => {
    outcomes = await playOnReal(scenarios, ourProgram);
  }, 600_000);

  test.each(scenarios)("$name", async (scenario) => {
    const outcome = outcomes.get(scenario.name);
    if (outcome === undefined || outcome instanceof Error) throw outcome ?? new Error("it was not played");
    await compare(scenario, outcome, REAL_STATUS_SLACK);
  });
});

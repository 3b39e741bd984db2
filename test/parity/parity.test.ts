import { describe, test } from "vitest";
import { startEmbeddedArena } from "./arena.ts";
import { compare } from "./compare.ts";
import { NO_SLACK } from "./golden.ts";
import { ourControllers } from "./our-controllers.ts";
import { runScenario } from "./run-scenario.ts";
import { areaOf } from "./scenario.ts";
import { scenarios } from "./scenarios/all.ts";

describe("our controllers do as the recorded ones did, on the embedded API server", () => {
  test.each(scenarios)("$name", async (scenario) => {
    const arena = await startEmbeddedArena(areaOf(scenario), () => ourControllers(scenario));
    try {
      await compare(scenario, await arena.drive(runScenario(scenario, arena)), NO_SLACK);
    } finally {
      await arena.stop();
    }
  });
});

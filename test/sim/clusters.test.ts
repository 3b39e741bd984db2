import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { readCorpus } from "./corpus.ts";
import { runScenario } from "./run-scenario.ts";
import { type Action, families, scenarioOf } from "./scenario.ts";
import { shrink } from "./shrink.ts";

/** SIM_SEEDS: how many of the fixed seeds; SIM_FRESH_MS: for how long to go on with seeds of this moment. */
const fixedSeeds = Number(process.env["SIM_SEEDS"] ?? 30);
/** They take as long as others, and there are two of them. */
const MOST_OF_A_FAMILY = 8;
const freshMs = Number(process.env["SIM_FRESH_MS"] ?? 10_000);

test.each(readCorpus())("what once went wrong: $why", async ({ scenario }) => {
  expect((await runScenario(scenario)).violations).toEqual([]);
});

test("clusters of fixed seeds stay safe and come to rest", async () => {
  for (let seed = 1; seed <= fixedSeeds; seed++) {
    const { violations } = await runScenario(scenarioOf(seed));
    expect(violations, `make sim SEED=${seed} shows how`).toEqual([]);
  }
});

test.each(Object.entries(families))("so do clusters of the family %s", async (family, scenarioFor) => {
  for (let seed = 1; seed <= Math.min(fixedSeeds, MOST_OF_A_FAMILY); seed++) {
    const { violations } = await runScenario(scenarioFor(seed));
    expect(violations, `make sim MIX=${family} SEED=${seed} shows how`).toEqual([]);
  }
});

test("clusters of fresh seeds stay safe and come to rest", async () => {
  const startMs = performance.now();
  const first = Date.now() % 1_000_000_000;
  let seed = first;
  for (; performance.now() - startMs < freshMs; seed++) {
    const { violations } = await runScenario(scenarioOf(seed));
    expect(violations, `make sim SEED=${seed} shows how`).toEqual([]);
  }
  console.log(`fresh seeds ${first} to ${seed - 1}`);
});

describe("the same seed gives the same trace, to the byte", () => {
  test.each([7, 11])("twice in one process: %i", async (seed) => {
    const first = await runScenario(scenarioOf(seed), { traced: true });
    const again = await runScenario(scenarioOf(seed), { traced: true });
    expect(first.trace.length).toBeGreaterThan(200);
    expect(again.trace.join("\n")).toBe(first.trace.join("\n"));
  });

  test("in another process", async () => {
    const { trace } = await runScenario(scenarioOf(7), { traced: true });
    const env = { ...process.env, SEED: "7" };
    const main = fileURLToPath(new URL("main.ts", import.meta.url));
    const { stdout } = await promisify(execFile)(process.execPath, [main], { env, maxBuffer: 2 ** 26 });
    expect(stdout).toBe(`${trace.join("\n")}\n`);
  });
});

describe("shrinking", () => {
  const action = (atMs: number): Action => ({ atMs, kind: "user", what: "pause", seed: 1 });
  const scenario = { ...scenarioOf(1), actions: Array.from({ length: 20 }, (_, index) => action(index)) };

  test("leaves the actions that are needed, in their order", async () => {
    const needed = [3, 4, 17];
    const { actions } = await shrink(scenario, async (candidate) =>
      needed.every((atMs) => candidate.actions.some((one) => one.atMs === atMs)),
    );
    expect(actions.map(({ atMs }) => atMs)).toEqual(needed);
  });

  test("leaves none where none is needed", async () => {
    expect((await shrink(scenario, async () => true)).actions).toEqual([]);
  });
});

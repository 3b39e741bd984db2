import { afterAll, beforeAll, expect, test } from "vitest";
import { runToken } from "./case.ts";
import { readRecorded, replaying } from "./recorded.ts";
import { runCase } from "./run-case.ts";
import type { Side } from "./side.ts";
import { namespaceOf, startFurnished } from "./two-servers.ts";

const WORKERS = 16;

let embedded: Side;

beforeAll(async () => {
  embedded = await startFurnished(WORKERS);
});
afterAll(async () => embedded.stop());

test("the embedded API server answers as the real one did", { timeout: 600_000 }, async () => {
  const recorded = readRecorded();
  const queue = recorded.values();
  const differences: string[] = [];
  let requests = 0;
  const work = async (worker: number): Promise<void> => {
    for (const one of queue) {
      const names = { token: runToken(one.number), namespace: namespaceOf(worker) };
      const result = await runCase({ real: replaying(one), embedded }, one, names);
      requests += result.requests;
      for (const { signature, real, embedded: ours } of result.findings)
        differences.push(`case ${one.number}: ${signature}\n  real: ${real}\n  embedded: ${ours}`);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, async (_, worker) => work(worker)));
  expect(differences).toEqual([]);
  expect(requests).toBe(recorded.reduce((sum, { answers }) => sum + answers.length, 0));
});

import { afterAll, beforeAll, expect, test } from "vitest";
import { Fuzz } from "../../differential/fuzz.ts";
import { readKnown } from "../../differential/known.ts";
import { startTwoServers, type TwoServers } from "../../differential/two-servers.ts";

/** Always the same requests; `make differential` sends others, and shows one of them with SEED=1 FROM=number COUNT=1. */
const options = { seed: 1, from: 0, count: 3_000, workers: 8, only: /^.*$/ };

let servers: TwoServers;

beforeAll(async () => {
  servers = await startTwoServers(options.workers);
});
afterAll(async () => servers.stop());

test("what both servers answer differently to requests made by chance is known", async () => {
  const known = new Set(readKnown().differences.map(({ signature }) => signature));
  const fuzz = await Fuzz.prepare(servers, options);
  const { requests, groups } = await fuzz.run(() => undefined);
  const fresh = groups.filter(({ signature }) => !known.has(signature));
  expect(
    fresh.map(
      ({ signature, first, real, embedded }) =>
        `case ${first.number}: ${signature}\n  real: ${real}\n  embedded: ${embedded}`,
    ),
  ).toEqual([]);
  expect(requests).toBeGreaterThan(2_500);
});

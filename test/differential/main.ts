import { realClock } from "../../pkg/clock/real.ts";
import { Fuzz, type Group } from "./fuzz.ts";
import { type Example, type Known, readKnown, writeKnown, writeReadme } from "./known.ts";
import { startTwoServers } from "./two-servers.ts";

/**
 * Sends COUNT requests to both servers and says in what their answers differ: SEED and FROM tell which, KIND=Pod|Job
 * takes only kinds that match, KNOWN=1 shows known differences, too. WRITE=1 writes new ones to known.json, for a
 * reason to be given, and the section of README.md.
 */
function number(name: string, otherwise: number): number {
  const value = Number(process.env[name] ?? otherwise);
  if (!Number.isInteger(value)) throw new Error(`${name} is no number`);
  return value;
}

const options = {
  seed: number("SEED", 1),
  from: number("FROM", 0),
  count: number("COUNT", 2_000),
  workers: number("WORKERS", 8),
  only: new RegExp(`^(?:${process.env["KIND"] ?? ".*"})$`),
};
const known = readKnown();
const knownSignatures = new Set(known.differences.map(({ signature }) => signature));
const servers = await startTwoServers(options.workers);
try {
  const fuzz = await Fuzz.prepare(servers, options);
  const startMs = realClock.monotonicMs();
  let saidMs = startMs;
  const { requests, cases, groups } = await fuzz.run((sent, found) => {
    if (realClock.monotonicMs() - saidMs < 10_000) return;
    saidMs = realClock.monotonicMs();
    console.log(`${sent} requests, ${found} signatures`);
  });
  const seconds = Math.round((realClock.monotonicMs() - startMs) / 1_000);
  const fresh = groups.filter(({ signature }) => !knownSignatures.has(signature));
  console.log(
    `${requests} requests in ${cases} cases, ${seconds} s: ${groups.length} signatures, ${fresh.length} of them new`,
  );
  const shown = process.env["KNOWN"] === "1" ? groups : fresh;
  const found: Known[] = [];
  const sorted = shown.toSorted((a, b) => b.times - a.times);
  const examples = await fuzz.examples(sorted, number("SHRINK", 120));
  for (const [index, example] of examples.entries()) {
    const group = sorted[index];
    if (group !== undefined) found.push(told(group, example));
  }
  if (process.env["WRITE"] === "1") {
    const added = found.filter(({ signature }) => !knownSignatures.has(signature));
    const all = { ...known, differences: [...known.differences, ...added] };
    writeKnown(all);
    writeReadme(all);
  } else if (fresh.length > 0) process.exitCode = 1;
} finally {
  await servers.stop();
}

function told(group: Group, example: Example): Known {
  const { real, embedded, requests } = example;
  console.log(`\n${group.times} times, first in case ${group.first.number}: ${group.signature}`);
  for (const request of requests) console.log(`  ${request}`);
  console.log(`  real:     ${real}\n  embedded: ${embedded}`);
  return { signature: group.signature, why: "", example };
}

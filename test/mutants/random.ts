// Plants mistakes chosen at random over pkg/ and controllers/, those only that types and lint let pass, and counts how
// many no test notices. COUNT: how many, 150. SEED: which ones, 1. FROM=k goes on with the k-th of them.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { seededRandom } from "../../pkg/clock/random.ts";
import { passesGate } from "./gate.ts";
import { slipsIn } from "./operators.ts";
import { type Planted, plant } from "./plant.ts";

const COUNT = Number(process.env["COUNT"] ?? 150);
const SEED = Number(process.env["SEED"] ?? 1);
const FROM = Number(process.env["FROM"] ?? 1);
const AT_ONCE = Number(process.env["AT_ONCE"] ?? 2);
const LIMIT_MS = 900_000;
/** What is known before anything is planted: the embedded servers do, and are always there. */
const WITHOUT_REAL = { KUBEBUILDER_ASSETS: "/nonexistent", GO_KCM: "" };

interface Candidate {
  readonly file: string;
  readonly line: number;
  readonly what: string;
  readonly source: string;
  readonly mutated: string;
}

function sourcesOf(...rooms: readonly string[]): readonly string[] {
  const files = execFileSync("git", ["ls-files", ...rooms], { encoding: "utf8" })
    .trim()
    .split("\n");
  return files.filter((file) => file.endsWith(".ts") && !/\.(test|test-data|gen|d)\.ts$/.test(file));
}

/** All that could be planted, in an order that the seed decides. */
function candidates(): readonly Candidate[] {
  const all = sourcesOf("pkg", "controllers").flatMap((file) => {
    const source = readFileSync(file, "utf8");
    return slipsIn(source).map((slip) => ({ file, source, slip }));
  });
  const random = seededRandom(SEED);
  const shuffled = all.map((each) => ({ each, at: random.next() })).toSorted((a, b) => a.at - b.at);
  return shuffled.map(({ each: { file, source, slip } }) => ({
    file,
    line: source.slice(0, slip.start).split("\n").length,
    what: `${slip.kind}: ${source.slice(slip.start, slip.end).replaceAll(/\s+/g, " ").slice(0, 70)}`,
    source,
    mutated: source.slice(0, slip.start) + slip.text + source.slice(slip.end),
  }));
}

/** The first ones that could be committed. */
function* passing(): Generator<Candidate> {
  let batch = new Map<string, Candidate>();
  for (const candidate of candidates()) {
    // One to a file, so that a complaint tells of which it is.
    if (batch.size < 60 && !batch.has(candidate.file)) batch.set(candidate.file, candidate);
    if (batch.size < 60) continue;
    const mutated = new Map([...batch].map(([file, each]) => [file, each.mutated]));
    for (const file of passesGate(mutated)) yield batch.get(file) as Candidate;
    batch = new Map();
  }
}

async function test({ file, source, mutated }: Candidate): Promise<Planted> {
  const edits = [{ file, find: source, replace: mutated }];
  const related = ["related", file, "--run"];
  const unit = await plant({
    edits,
    args: [...related, "--project=unit"],
    limitMs: LIMIT_MS,
    env: WITHOUT_REAL,
  });
  if (unit.noticed) return unit;
  const args = [...related, "--project=sim", "--project=parity", "--project=integration"];
  const rest = await plant({ edits, args, limitMs: LIMIT_MS, env: WITHOUT_REAL });
  return { ...rest, seconds: unit.seconds + rest.seconds };
}

const chosen: Candidate[] = [];
for (const candidate of passing()) {
  if (chosen.push(candidate) === COUNT) break;
}
let survivors = 0;
const queue = [...chosen.entries()].slice(FROM - 1).values();

async function work(): Promise<void> {
  for (const [index, candidate] of queue) {
    const { noticed, by, seconds } = await test(candidate);
    if (!noticed) survivors++;
    const verdict = noticed ? "noticed " : "SURVIVES";
    const place = `${candidate.file}:${candidate.line} ${candidate.what}`;
    console.log(
      `${index + 1} ${verdict} ${seconds.toFixed(0)} s ${place}${noticed ? ` | ${by.slice(0, 120)}` : ""}`,
    );
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, work));
console.log(`${chosen.length - FROM + 1} planted, ${survivors} survived`);

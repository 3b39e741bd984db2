// Plants mistakes chosen at random over pkg/ and controllers/, those only that types and lint let pass, and counts how
// many no test notices. COUNT: how many, 150. SEED: which ones, 1. FROM=k goes on with the k-th of them. MOST_SECONDS: tests
// that take so long together are asked at most; what those notice that come later survives, too.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { seededRandom } from "../../pkg/clock/random.ts";
import { passesGate } from "./gate.ts";
import { slipsIn } from "./operators.ts";
import { type Planted, plant } from "./plant.ts";
import { blockAround, isProbed } from "./probes.ts";
import { type TestFile, testsByBlock } from "./reached.ts";

const COUNT = Number(process.env["COUNT"] ?? 150);
const SEED = Number(process.env["SEED"] ?? 1);
const FROM = Number(process.env["FROM"] ?? 1);
const AT_ONCE = Number(process.env["AT_ONCE"] ?? 2);
const MOST_SECONDS = Number(process.env["MOST_SECONDS"] ?? Infinity);
const FIRST_PART_SECONDS = 15;
const PROJECTS = ["unit", "sim", "parity", "integration"].map((name) => `--project=${name}`);
/** What a busy machine has made fail is tried again. */
const ARGS = ["run", ...PROJECTS, "--retry=1"];
/** What is known before anything is planted: the embedded servers do, and are always there. */
const WITHOUT_REAL = { KUBEBUILDER_ASSETS: "/nonexistent", GO_KCM: "" };

interface Candidate {
  readonly file: string;
  readonly line: number;
  readonly place: number;
  readonly what: string;
  readonly source: string;
  readonly mutated: string;
}

function sourcesOf(...rooms: readonly string[]): readonly string[] {
  const files = execFileSync("git", ["ls-files", ...rooms], { encoding: "utf8" })
    .trim()
    .split("\n");
  return files.filter(isProbed);
}

/** All that could be planted, in an order that the seed decides. */
function candidates(): IteratorObject<Candidate> {
  const all = sourcesOf("pkg", "controllers").flatMap((file) => {
    const source = readFileSync(file, "utf8");
    return slipsIn(source).map((slip) => ({ file, source, slip }));
  });
  const random = seededRandom(SEED);
  const shuffled = all.map((each) => ({ each, at: random.next() })).toSorted((a, b) => a.at - b.at);
  return shuffled.values().map(({ each: { file, source, slip } }) => ({
    file,
    place: slip.start,
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

async function test(candidate: Candidate, files: readonly TestFile[]): Promise<Planted> {
  const { file, source, mutated } = candidate;
  const edits = [{ file, find: source, replace: mutated }];
  let seconds = 0;
  let asked = 0;
  for (const part of inParts(nearestFirst(files, file))) {
    const expectedSeconds = part.reduce((sum, each) => sum + each.seconds, 0);
    const planted = await plant({
      edits,
      args: [...ARGS, ...part.map(({ path }) => path)],
      limitMs: 1000 * Math.ceil(300 + 5 * expectedSeconds),
      env: WITHOUT_REAL,
    });
    seconds += planted.seconds;
    if (planted.noticed) return { ...planted, seconds };
    asked += part.length;
  }
  return { noticed: false, by: `${asked} of ${files.length} test files that reach it`, seconds };
}

/** Those beside the file, then all others; the quick ones first. */
function nearestFirst(files: readonly TestFile[], file: string): readonly TestFile[] {
  const isBeside = ({ path }: TestFile): boolean => dirname(path) === dirname(file);
  return files.toSorted((a, b) => Number(isBeside(b)) - Number(isBeside(a)) || a.seconds - b.seconds);
}

/** Each part takes about as long as all before it: whoever is noticed early has not waited for what takes long. */
function inParts(files: readonly TestFile[]): readonly (readonly TestFile[])[] {
  const parts: TestFile[][] = [];
  let seconds = 0;
  let end = 0;
  for (const file of files) {
    if (seconds >= MOST_SECONDS) break;
    if (seconds >= end) {
      parts.push([]);
      end = Math.max(FIRST_PART_SECONDS, 2 * seconds);
    }
    parts.at(-1)?.push(file);
    seconds += file.seconds;
  }
  return parts;
}

const chosen = [...passing().take(COUNT)];
const reaching = await testsByBlock({ args: ARGS, env: WITHOUT_REAL });
let survivors = 0;
const queue = [...chosen.entries()].slice(FROM - 1).values();

async function work(): Promise<void> {
  for (const [index, candidate] of queue) {
    const block = blockAround(candidate.file, candidate.source, candidate.place);
    const { noticed, by, seconds } = await test(candidate, reaching.get(block) ?? []);
    if (!noticed) survivors++;
    const verdict = noticed ? "noticed " : "SURVIVES";
    const mistake = `${candidate.file}:${candidate.line} ${candidate.what}`;
    console.log(`${index + 1} ${verdict} ${seconds.toFixed(0)} s ${mistake} | ${by.slice(0, 120)}`);
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, work));
console.log(`${chosen.length - FROM + 1} planted, ${survivors} survived`);

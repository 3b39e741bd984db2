// Asks upstream's own packages (Go) what they decide in cases made by chance, compares, and keeps some of the cases:
// node test/decisions/record.ts [COUNT=100000] [SEED=1]
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";
import { seededRandom } from "../../pkg/clock/random.ts";
import { Cases } from "./cases.ts";
import { decide } from "./decide.ts";

const [count = "100000", seed = "1"] = process.argv.slice(2);
/** As many are kept for CI. */
const KEPT = 4_000;
/** Asked at a time. */
const BATCH = 10_000;
const file = new URL("autoscaler.json.br", import.meta.url);

const made = new Cases(seededRandom(Number(seed)));
const kept: { readonly input: unknown; readonly answer: unknown }[] = [];
let compared = 0;
let differing = 0;
while (compared < Number(count)) {
  const batch = Array.from({ length: Math.min(BATCH, Number(count) - compared) }, () => made.next());
  const { stdout, stderr, status } = spawnSync(
    "go",
    ["run", "-trimpath", "../../hack/print-autoscaler-decisions.go"],
    {
      cwd: new URL("../real", import.meta.url),
      // As the programs are compiled: what both have in common is then there.
      env: { ...process.env, CGO_ENABLED: "0" },
      input: JSON.stringify(batch),
      encoding: "utf8",
      maxBuffer: 2 ** 28,
    },
  );
  if (status !== 0) throw new Error(stderr);
  const answers = stdout.trimEnd().split("\n");
  for (const [index, input] of batch.entries()) {
    const answer: unknown = JSON.parse(answers[index] ?? "null");
    const ours = decide(input);
    if (JSON.stringify(ours) !== JSON.stringify(answer)) {
      differing++;
      if (differing <= 5) console.log(JSON.stringify({ input, answer, ours }));
    }
    if (kept.length < KEPT) kept.push({ input, answer });
  }
  compared += batch.length;
}
writeFileSync(file, brotliCompressSync(JSON.stringify(kept)));
console.log(`${compared} compared, ${differing} differ, ${kept.length} kept`);
if (differing > 0) process.exitCode = 1;

// The one gate: types, lint, what syntax tells, import rules, dead code, format. Runs them side by side and prints what failed.
import { spawn } from "node:child_process";

const checks: readonly (readonly [name: string, command: string])[] = [
  ["types", "tsc --noEmit --pretty false"],
  ["lint", "oxlint --type-aware --deny-warnings"],
  ["syntax", "node hack/check-syntax.ts"],
  ["imports", "depcruise --config hack/dependency-cruiser.cjs --no-progress cmd pkg controllers test hack"],
  ["dead code", "knip --no-progress"],
  ["format", "oxfmt --check ."],
];

interface Outcome {
  readonly name: string;
  readonly ok: boolean;
  readonly seconds: number;
  readonly output: string;
}

async function run(name: string, command: string): Promise<Outcome> {
  const startMs = performance.now();
  return new Promise((resolve) => {
    const child = spawn(command, { shell: true, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => (output += chunk.toString()));
    child.on("close", (code) =>
      resolve({ name, ok: code === 0, seconds: (performance.now() - startMs) / 1000, output }),
    );
  });
}

const outcomes = await Promise.all(checks.map(async ([name, command]) => run(name, command)));
for (const outcome of outcomes) {
  if (!outcome.ok) console.log(outcome.output);
}
for (const outcome of outcomes) {
  console.log(`${outcome.ok ? "ok    " : "FAILED"} ${outcome.name} (${outcome.seconds.toFixed(1)} s)`);
}
process.exitCode = outcomes.every((outcome) => outcome.ok) ? 0 : 1;

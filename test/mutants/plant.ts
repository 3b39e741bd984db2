import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Mutant, editsOf } from "./mutant.ts";

const hook = fileURLToPath(new URL("hook.ts", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));

export interface Planted {
  readonly noticed: boolean;
  /** The first test that failed, or the end of what the runner said. */
  readonly by: string;
  readonly seconds: number;
}

/** Runs the mutant's tests with its edits in what they and the programs that they start load. */
export async function plant(mutant: Mutant, limitMs: number): Promise<Planted> {
  const startMs = performance.now();
  const env = {
    ...process.env,
    MUTANT_EDITS: JSON.stringify(editsOf(mutant)),
    NODE_OPTIONS: `${process.env["NODE_OPTIONS"] ?? ""} --import=${hook}`,
  };
  const command = ["node_modules/vitest/vitest.mjs", "run", "--bail=1", "--reporter=dot", ...mutant.tests];
  const { output, status } = await new Promise<{ output: string; status: number | string }>((resolve) => {
    execFile(
      process.execPath,
      command,
      { cwd: root, env, maxBuffer: 2 ** 28, timeout: limitMs, killSignal: "SIGKILL" },
      (error, stdout, stderr) =>
        resolve({ output: stdout + stderr, status: error === null ? 0 : (error.code ?? "timeout") }),
    );
  });
  const seconds = (performance.now() - startMs) / 1000;
  // What hangs is noticed too.
  if (status === "timeout") return { noticed: true, by: `ended after ${limitMs / 1000} s`, seconds };
  if (/no test files found/i.test(output)) throw new Error(`${mutant.name}: ${output.slice(-500)}`);
  if (/does not have exactly one/.test(output)) throw new Error(`${mutant.name}: not one place for the edit`);
  const by = /FAIL\s+(.*)/.exec(output)?.[1] ?? output.trim().slice(-300);
  return { noticed: status !== 0, by, seconds };
}

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Edit } from "./mutant.ts";

const hook = fileURLToPath(new URL("hook.ts", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));
const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url));

export interface Planted {
  readonly noticed: boolean;
  /** The first test that failed, or the end of what the runner said. */
  readonly by: string;
  readonly seconds: number;
}

export interface PlantOptions {
  readonly edits: readonly Edit[];
  /** What vitest is told: "run", and test files. */
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly limitMs: number;
}

/** Runs tests with the edits in what they, and the programs that they start, load. */
export async function plant({ edits, args, env = {}, limitMs }: PlantOptions): Promise<Planted> {
  const startMs = performance.now();
  const { output, status } = await run([vitest, ...args, "--bail=1", "--reporter=dot"], limitMs, {
    ...process.env,
    ...env,
    MUTANT_EDITS: JSON.stringify(edits),
    NODE_OPTIONS: `${process.env["NODE_OPTIONS"] ?? ""} --import=${hook}`,
  });
  const seconds = (performance.now() - startMs) / 1000;
  // What hangs is noticed too.
  if (status === "killed") return { noticed: true, by: `ended after ${limitMs / 1000} s`, seconds };
  if (/does not have exactly one/.test(output)) throw new Error("there is not one place for the edit");
  // eslint-disable-next-line no-control-regex
  const plain = output.replaceAll(/\u001B\[\d*m/g, "");
  const by = /FAIL\s+(.*)/.exec(plain)?.[1] ?? plain.trim().slice(-300);
  return { noticed: status !== 0, by, seconds };
}

async function run(
  command: readonly string[],
  limitMs: number,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly output: string; readonly status: number | "killed" }> {
  const options = { cwd: root, env, maxBuffer: 2 ** 28, timeout: limitMs, killSignal: "SIGKILL" } as const;
  return new Promise((resolve) => {
    execFile(process.execPath, command, options, (error, stdout, stderr) => {
      const status = error === null ? 0 : error.killed === true ? "killed" : Number(error.code ?? 1);
      resolve({ output: stdout + stderr, status });
    });
  });
}

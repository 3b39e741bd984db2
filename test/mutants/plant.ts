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
  readonly limitMs?: number;
}

/** Runs tests, until one fails, with the edits in what they, and the programs that they start, load. */
export async function plant({ args, limitMs = 0, ...options }: PlantOptions): Promise<Planted> {
  const startMs = performance.now();
  const { output, status } = await runTests({ ...options, args: [...args, "--bail=1"], limitMs });
  const seconds = (performance.now() - startMs) / 1000;
  // What hangs is noticed too.
  if (status === "killed") return { noticed: true, by: `ended after ${limitMs / 1000} s`, seconds };
  if (/does not have exactly one/.test(output)) throw new Error("there is not one place for the edit");
  const by = /FAIL\s+(.*)/.exec(output)?.[1] ?? output.trim().slice(-300);
  return { noticed: status !== 0, by, seconds };
}

/** Without a limit for 0. */
export async function runTests({ edits, args, env = {}, limitMs = 0 }: PlantOptions): Promise<{
  readonly output: string;
  readonly status: number | "killed";
}> {
  const options = {
    cwd: root,
    env: {
      ...process.env,
      ...env,
      MUTANT_EDITS: JSON.stringify(edits),
      NODE_OPTIONS: `${process.env["NODE_OPTIONS"] ?? ""} --import=${hook}`,
    },
    maxBuffer: 2 ** 28,
    timeout: limitMs,
    killSignal: "SIGKILL",
  } as const;
  return new Promise((resolve) => {
    execFile(process.execPath, [vitest, ...args, "--reporter=dot"], options, (error, stdout, stderr) => {
      const status = error === null ? 0 : error.killed === true ? "killed" : Number(error.code ?? 1);
      // eslint-disable-next-line no-control-regex
      resolve({ output: (stdout + stderr).replaceAll(/\u001B\[\d*m/g, ""), status });
    });
  });
}

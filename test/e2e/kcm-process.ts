import { type ChildProcess, execFile, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../cmd/kcm/main.ts", import.meta.url));

/** One for all, as what is compiled once need not be compiled by the next. */
const compiled = resolve(process.env["NODE_COMPILE_CACHE"] ?? ".cache/node");

export interface Ended {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A `kcm` of the test's own, at home in its directory, with what it wrote so far. */
export class KcmProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout = "";
  stderr = "";
  readonly #waiting = new Set<() => void>();

  constructor(args: readonly string[], cwd: string) {
    const env = { ...process.env, HOME: cwd, KCM_HOME: "", NODE_COMPILE_CACHE: compiled };
    this.child = spawn(process.execPath, [program, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    this.child.stdout?.on("data", (chunk: Buffer) => this.#read(() => (this.stdout += chunk.toString())));
    this.child.stderr?.on("data", (chunk: Buffer) => this.#read(() => (this.stderr += chunk.toString())));
    this.ended = new Promise((resolve) => {
      this.child.once("close", (exitCode, signal) => {
        resolve({ exitCode, signal });
        this.#read(() => undefined);
      });
    });
  }

  /** Resolves with the match once standard output has it; rejects when the process ends before. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.stdout);
      if (match !== null) return match;
      if (this.child.exitCode !== null || this.child.signalCode !== null) {
        throw new Error(`kcm ended before it said ${String(pattern)}:\n${this.stdout}\n${this.stderr}`);
      }
      await new Promise<void>((resolve) => this.#waiting.add(resolve));
    }
  }

  async end(signal: NodeJS.Signals): Promise<Ended> {
    this.child.kill(signal);
    return this.ended;
  }

  #read(take: () => void): void {
    take();
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}

export async function withDirectory(use: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), "kcm-e2e-"));
  try {
    await use(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

export interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Every exit code is a result. */
export async function command(
  path: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  timeoutMs = 60_000,
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const options = { env: { ...process.env, ...env }, timeout: timeoutMs, maxBuffer: 64 << 20 };
    execFile(path, args, options, (error, stdout, stderr) => {
      if (error === null) resolve({ exitCode: 0, stdout, stderr });
      else if (typeof error.code === "number") resolve({ exitCode: error.code, stdout, stderr });
      else reject(error);
    });
  });
}

/** Those of KUBECTLS (paths, separated as in PATH), else the first in PATH. */
export function kubectls(): readonly string[] {
  const named = (process.env["KUBECTLS"] ?? "").split(delimiter).filter((path) => path !== "");
  if (named.length > 0) return named;
  const directories = (process.env["PATH"] ?? "").split(delimiter);
  const found = directories.map((directory) => join(directory, "kubectl")).find((path) => existsSync(path));
  return found === undefined ? [] : [found];
}

import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { goManager } from "./real-programs.ts";

/** A command line without flags. */
export type Program = readonly string[];

const source = fileURLToPath(new URL("../../cmd/kube-controller-manager/main.ts", import.meta.url));
const built = process.env["KCM_BUNDLE"];

/** This repository's program: the source, or the bundle that KCM_BUNDLE names. */
export const ourProgram: Program = [process.execPath, built ?? source];

const upstream = goManager();

/** Upstream's program, where there is one. */
export const goProgram: Program | undefined = upstream === undefined ? undefined : [upstream];

/** Whose work controllers may take over on a server: the Go program needs one that other programs reach. */
export function predecessorsOn(server: "embedded" | "real"): readonly string[] {
  return ["this program", ...(goProgram !== undefined && server === "real" ? ["the Go program"] : [])];
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A running controller manager and all that it has printed. */
export class Daemon {
  readonly exit: Promise<Exit>;
  readonly #child: ChildProcess;
  readonly #onOutput = new Set<() => void>();
  #output = "";
  #hasEnded = false;

  constructor(
    program: Program,
    flags: readonly string[],
    env: NodeJS.ProcessEnv = process.env,
    user: { readonly uid?: number; readonly gid?: number } = {},
  ) {
    const [command = "", ...args] = program;
    this.#child = spawn(command, [...args, ...flags], { env, stdio: ["ignore", "pipe", "pipe"], ...user });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        this.#output += chunk.toString();
        for (const check of this.#onOutput) check();
      });
    }
    this.exit = new Promise((resolve, reject) => {
      this.#child.once("error", reject);
      this.#child.once("close", (code, signal) => {
        this.#hasEnded = true;
        for (const check of this.#onOutput) check();
        resolve({ code, signal });
      });
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  get output(): string {
    return this.#output;
  }

  get isAlive(): boolean {
    return !this.#hasEnded;
  }

  /** Whether it says that it has the lease; a process has it once at most. */
  get leads(): boolean {
    return this.isAlive && this.#output.includes("uccessfully acquired lease");
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  async end(signal: NodeJS.Signals = "SIGKILL"): Promise<Exit> {
    this.kill(signal);
    return this.exit;
  }

  /** Rejects with the output when the process ends, or time runs out, before it has printed this text. */
  async says(text: string, limitMs = 90_000): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const fail = (why: string): void => {
        settle();
        reject(new Error(`${why} before it said ${JSON.stringify(text)}:\n${this.#output.slice(-4_000)}`));
      };
      const timer = setTimeout(() => fail(`${limitMs} ms passed`), limitMs);
      const settle = (): void => {
        clearTimeout(timer);
        this.#onOutput.delete(check);
      };
      const check = (): void => {
        if (this.#output.includes(text)) {
          settle();
          resolve();
        } else if (this.#hasEnded) fail("the process ended");
      };
      this.#onOutput.add(check);
      check();
    });
  }
}

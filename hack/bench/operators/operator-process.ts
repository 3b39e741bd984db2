import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { realClock } from "../../../pkg/clock/real.ts";
import { sleep } from "../../../pkg/clock/wait.ts";
import { type Usage, usageOf } from "../compare/usage.ts";
import type { Program } from "./programs.ts";

const SAMPLE_MS = 250;
/** A process that takes less than this share of one core for this long has nothing left to do. */
const QUIET_SHARE = 0.05;
const QUIET_MS = 3_000;

/** An operator that runs. */
export class OperatorProcess {
  readonly #startMs = realClock.monotonicMs();
  readonly #child: ChildProcess;
  readonly #exit: Promise<unknown>;

  constructor({ command: [file, ...args] }: Program, kubeconfig: string, log: string) {
    const env = { ...process.env, KUBECONFIG: kubeconfig };
    const to = createWriteStream(log, { flags: "a" });
    this.#child = spawn(file, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream?.pipe(to, { end: false });
    this.#exit = once(this.#child, "close").then(() => to.end());
  }

  get seconds(): number {
    return (realClock.monotonicMs() - this.#startMs) / 1_000;
  }

  usage(): Usage {
    if (this.#child.exitCode !== null) throw new Error("the operator has ended by itself: see its log");
    return usageOf(this.#child.pid ?? 0);
  }

  /** Waits until it has nothing left to do; gives when that was, and what it had used by then. */
  async quiet(): Promise<{ readonly seconds: number; readonly usage: Usage }> {
    let busy = { seconds: this.seconds, usage: this.usage() };
    while (this.seconds - busy.seconds < QUIET_MS / 1_000) {
      await sleep(realClock, SAMPLE_MS);
      const usage = this.usage();
      if ((usage.cpuSeconds - busy.usage.cpuSeconds) * 1_000 > QUIET_SHARE * QUIET_MS)
        busy = { seconds: this.seconds, usage };
    }
    return { seconds: busy.seconds, usage: this.usage() };
  }

  async end(): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#exit;
  }
}

import { type ChildProcess, spawn } from "node:child_process";
import { createWriteStream, type WriteStream } from "node:fs";
import { request } from "node:https";
import { realClock } from "../../../pkg/clock/real.ts";
import { sleep } from "../../../pkg/clock/wait.ts";
import { freePorts } from "../../../test/harness/real-cluster.ts";
import type { Curve } from "./outcome.ts";
import type { Manager } from "./managers.ts";
import { type ScrapedMetrics, scrapedMetrics } from "./scraped-metrics.ts";
import { type Usage, usageOf } from "./usage.ts";

const SAMPLE_MS = 200;
/** A process that takes less than this share of one core for this long has nothing left to do. */
const QUIET_SHARE = 0.04;
const QUIET_MS = 3_000;
const STOP_LIMIT_MS = 10_000;
const START_LIMIT_MS = 60_000;
const START_POLL_MS = 100;

export interface ManagerFlags {
  readonly kubeconfig: string;
  readonly controllers: readonly string[];
  /** "default" leaves the limits of requests a second as they are. */
  readonly limits: "lifted" | "default";
  /** Files of the cluster, and whatever else one workload needs. */
  readonly more: readonly string[];
}

interface ManagerFiles {
  /** For its certificate. */
  readonly directory: string;
  readonly log: string;
}

/** A running controller manager whose memory is sampled all the time. The flags are the same for every program. */
export class ManagerProcess {
  readonly startMs = realClock.monotonicMs();
  readonly rss: Curve = { unit: "MiB", points: [] };
  /** Rejects when the process ends without having been told to. */
  readonly unexpectedEnd: Promise<void>;
  readonly #exit: Promise<void>;
  readonly #child: ChildProcess;
  readonly #port: number;
  readonly #log: WriteStream;
  readonly #sampling: NodeJS.Timeout;
  #hasEnded = false;
  #isToEnd = false;
  #isServing = false;

  private constructor(manager: Manager, flags: readonly string[], port: number, logFile: string) {
    const [program = "", ...args] = manager.command;
    this.#port = port;
    this.#log = createWriteStream(logFile);
    this.#child = spawn(program, [...args, ...flags], { stdio: ["ignore", "pipe", "pipe"] });
    this.#child.stdout?.pipe(this.#log, { end: false });
    this.#child.stderr?.pipe(this.#log, { end: false });
    this.#exit = new Promise((resolve, reject) => {
      this.#child.once("error", reject);
      this.#child.once("close", () => {
        this.#hasEnded = true;
        clearInterval(this.#sampling);
        this.#log.end();
        resolve();
      });
    });
    this.unexpectedEnd = this.#exit.then(() => {
      if (!this.#isToEnd) throw new Error(`the controller manager ended by itself: see ${logFile}`);
    });
    this.#sampling = setInterval(() => this.#sample(), SAMPLE_MS);
  }

  static async start(manager: Manager, flags: ManagerFlags, files: ManagerFiles): Promise<ManagerProcess> {
    const [port = 0] = await freePorts(1);
    return new ManagerProcess(manager, flagsOf(flags, port, files.directory), port, files.log);
  }

  get elapsedSeconds(): number {
    return (realClock.monotonicMs() - this.startMs) / 1_000;
  }

  usage(): Usage {
    if (this.#hasEnded) throw new Error("the controller manager has ended; its log tells why");
    return usageOf(this.#child.pid ?? 0);
  }

  /** Waits until the process has been idle for a while, then for `restMs` more, and returns the memory at the end. */
  async settle(limitMs: number, restMs = 0): Promise<Usage> {
    const deadlineMs = realClock.monotonicMs() + limitMs;
    // A process that was given no time to begin is quiet, too.
    await this.#untilServing(deadlineMs);
    let before = this.usage().cpuSeconds;
    while (realClock.monotonicMs() < deadlineMs) {
      await sleep(realClock, QUIET_MS);
      const after = this.usage().cpuSeconds;
      if ((after - before) * 1_000 < QUIET_SHARE * QUIET_MS) break;
      before = after;
    }
    await sleep(realClock, restMs);
    return this.usage();
  }

  /** From /metrics; of a process that has just begun, once it serves. */
  async metrics(): Promise<ScrapedMetrics> {
    await this.#untilServing(realClock.monotonicMs() + START_LIMIT_MS);
    return scrapedMetrics(await this.#get("/metrics"));
  }

  async #untilServing(deadlineMs: number): Promise<void> {
    while (!this.#isServing) {
      try {
        await this.#get("/healthz");
        this.#isServing = true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ECONNREFUSED" || realClock.monotonicMs() > deadlineMs)
          throw error;
        await sleep(realClock, START_POLL_MS);
      }
    }
  }

  async #get(path: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const options = { host: "127.0.0.1", port: this.#port, path, rejectUnauthorized: false };
      const call = request(options, (response) => {
        let body = "";
        response.on("data", (chunk: Buffer) => (body += chunk.toString("latin1")));
        response.once("end", () => resolve(body));
      });
      call.once("error", reject);
      call.end();
    });
  }

  async end(signal: NodeJS.Signals): Promise<void> {
    this.#isToEnd = true;
    this.#child.kill(signal);
    await this.#exit;
  }

  /** In order, so that it can write a profile that it was asked for; by force when that takes too long. */
  async stop(): Promise<void> {
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), STOP_LIMIT_MS);
    await this.end("SIGTERM");
    clearTimeout(timer);
  }

  #sample(): void {
    if (this.#hasEnded || this.#child.pid === undefined) return;
    try {
      this.rss.points.push([this.elapsedSeconds, usageOf(this.#child.pid).rssMiB]);
    } catch (error) {
      // It has ended a moment ago, and its event is on the way.
      if (
        (error as NodeJS.ErrnoException).code !== "ENOENT" &&
        (error as NodeJS.ErrnoException).code !== "ESRCH"
      )
        throw error;
    }
  }
}

function flagsOf(
  { kubeconfig, controllers, limits, more }: ManagerFlags,
  port: number,
  directory: string,
): readonly string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    `--controllers=${controllers.join(",")}`,
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    `--cert-dir=${directory}`,
    // Whoever runs the bench may read the metrics of what it has started.
    "--authorization-always-allow-paths=/healthz,/metrics",
    "--leader-elect=true",
    ...(limits === "lifted" ? ["--kube-api-qps=1000000", "--kube-api-burst=1000000"] : []),
    ...more,
  ];
}

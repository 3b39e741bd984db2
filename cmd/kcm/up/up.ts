import { realClock } from "../../../pkg/clock/real.ts";
import { sleep } from "../../../pkg/clock/wait.ts";
import { createLogger } from "../../../pkg/log/pino.ts";
import { readExample, showExample } from "./example.ts";
import { checkKubeconfig, writeKubeconfig } from "./kubeconfig.ts";
import type { UpOptions } from "./options.ts";
import { Observer } from "./observer.ts";
import { type LiveView, LogTail, showAsLines, showOnScreen } from "./presenter.ts";
import { stopOnSignals } from "./signals.ts";
import { type Started, startCluster } from "./start.ts";

/** The live view begins once the example works, or after this long. */
const EXAMPLE_LIMIT_MS = 10_000;

interface Run {
  readonly options: UpOptions;
  readonly started: Started;
  readonly startedMs: number;
  readonly tail: LogTail;
}

/** Runs a cluster until a signal ends it; resolves to the exit code. Rejects when it cannot be started, or fails. */
export async function up(options: UpOptions): Promise<number> {
  const startedMs = realClock.nowMs();
  const stop = stopOnSignals();
  // Whoever read the output may have enough of it; the cluster goes on.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  const tail = new LogTail((line) => void process.stderr.write(line), isTerminal());
  const { logger } = createLogger({
    format: "text",
    destination: tail,
    clock: realClock,
    processId: process.pid,
    verbosity: options.verbosity,
  });
  checkKubeconfig(options.kubeconfig);
  const started = await startCluster(options, logger);
  try {
    writeKubeconfig(options.kubeconfig, started.access);
    await live({ options, started, startedMs, tail }, stop);
  } finally {
    await started.stop();
  }
  say("ended");
  return 0;
}

/** Resolves with the signal; rejects when a controller fails. */
async function live({ options, started, startedMs, tail }: Run, stop: AbortSignal): Promise<void> {
  const { cluster, access } = started;
  say(`ready after ${(realClock.monotonicMs() / 1_000).toFixed(2)} s: ${access.url}`);
  const hints = hintsFor(options);
  const parts = { observer: new Observer(cluster, realClock), url: access.url, startedMs, hints };
  const showing = presentExample(options, started, stop);
  if (!options.apiServerOnly) await Promise.race([showing, sleep(realClock, EXAMPLE_LIMIT_MS)]);
  for (const hint of hints) say(`  ${hint}`);
  if (stop.aborted) return;
  const view: LiveView = isTerminal() ? showOnScreen(process.stdout, tail, parts) : showAsLines(say, parts);
  try {
    await Promise.race([aborted(stop), failureOf(cluster.ended), failureOf(showing)]);
  } finally {
    view.close();
    parts.observer.close();
  }
}

/** In a cluster that was there before, users have made of the example what they want. */
async function presentExample(options: UpOptions, started: Started, stop: AbortSignal): Promise<void> {
  if (options.apiServerOnly || !started.isNew) return;
  const example = readExample();
  if (example === undefined) return;
  try {
    await showExample(example, started.cluster.client("admin"), say, stop);
  } catch (error) {
    if (!stop.aborted) throw error;
  }
}

function hintsFor({ kubeconfig, apiServerOnly }: UpOptions): readonly string[] {
  const commands = apiServerOnly
    ? ["kubectl get namespaces", "kubectl create configmap hello --from-literal=a=b", "kubectl api-resources"]
    : [
        "kubectl get deployments,pods -o wide",
        "kubectl scale deployment web --replicas=10",
        "kubectl rollout status deployment web",
      ];
  return [`export KUBECONFIG=${shellWord(kubeconfig)}`, ...commands];
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function isTerminal(): boolean {
  return process.stdout.isTTY && process.env["TERM"] !== "dumb";
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
}

/** Rejects with what the work fails with; its success is no news. */
async function failureOf(work: Promise<void>): Promise<never> {
  await work;
  return new Promise(() => undefined);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

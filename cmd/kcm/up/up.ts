import { join } from "node:path";
import { formatTime } from "../../../pkg/api/time.ts";
import { realClock } from "../../../pkg/clock/real.ts";
import { createLogger } from "../../../pkg/log/pino.ts";
import { StartError } from "../../../pkg/manager/start-error.ts";
import { ClaimedCluster, findClusters } from "../clusters/cluster-home.ts";
import { describeHolder } from "../clusters/directory-lock.ts";
import { checkKubeconfig, writeKubeconfig } from "../kubeconfig/own-file.ts";
import {
  addToSharedFile,
  checkSharedFile,
  removeFromSharedFile,
  sharedFile,
} from "../kubeconfig/shared-file.ts";
import { chooseControllers } from "./choose-controllers.ts";
import { readExample } from "./example.ts";
import { hasControllers, hintsFor } from "./hints.ts";
import { live, type LiveParts } from "./live.ts";
import type { UpOptions } from "./options.ts";
import { isTerminal, say, sayStep, sinceStart } from "./output.ts";
import { LogTail } from "./presenter.ts";
import { stopOnSignals } from "./signals.ts";
import { startCluster, type StartParts } from "./start.ts";

interface Run {
  readonly options: UpOptions;
  readonly controllers: readonly string[];
  readonly accountKey: StartParts["accountKey"];
  readonly claimed: ClaimedCluster;
  readonly startedMs: number;
}

/** Runs a cluster until a signal ends it; resolves to the exit code. Rejects when it cannot be started, or fails. */
export async function up(options: UpOptions, accountKey: StartParts["accountKey"]): Promise<number> {
  const startedMs = realClock.nowMs();
  const stop = stopOnSignals();
  // Whoever read the output may have enough of it; the cluster goes on.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  // Wrong names are told of before anything is made.
  const controllers = options.apiServerOnly ? [] : chooseControllers(options.controllers);
  const claimed = ClaimedCluster.claim(options.home, options.name);
  try {
    await runCluster({ options, controllers, accountKey, claimed, startedMs }, stop);
  } finally {
    claimed.release();
  }
  say("ended");
  return 0;
}

async function runCluster(
  { options, controllers, accountKey, claimed, startedMs }: Run,
  stop: AbortSignal,
): Promise<void> {
  const { name, dataDirectory } = options;
  const kubeconfig = kubeconfigOf(options, claimed);
  const shared = options.mergeKubeconfig ? sharedFile() : undefined;
  if (shared !== undefined) checkSharedFile(shared, name);
  const { mergedInto } = claimed.left ?? {};
  if (mergedInto !== undefined) await removeFromSharedFile(mergedInto, name);
  const record = {
    kubeconfig,
    startedAt: formatTime(startedMs),
    ...(dataDirectory !== undefined && { dataDirectory }),
    ...(shared !== undefined && { mergedInto: shared }),
  };
  claimed.write({ ...record, url: "" });
  const tail = newTail(options);
  const log = newLogger(tail, options.verbosity);
  const onLeader = leaderTeller(tail, stop);
  const parts = { controllers, accountKey, log, step: sayStep, onLeader };
  const started = await startCluster(options, parts);
  const { url } = started.access;
  try {
    writeKubeconfig(kubeconfig, name, started.access);
    if (shared !== undefined) await addToSharedFile(shared, name, started.access);
    claimed.write({ ...record, url });
    say(`ready after ${sinceStart()} s: ${url}`);
    const hints = hintsFor(options, kubeconfig, readExample() !== undefined);
    await live(
      { started, programs: started.begin(), startedMs, tail, hints, example: exampleOf(options) },
      stop,
    );
  } finally {
    await started.stop();
    if (shared !== undefined) await removeFromSharedFile(shared, name);
  }
}

function exampleOf(options: UpOptions): LiveParts["example"] {
  if (options.apiServerOnly) return "none";
  return hasControllers(options) && options.nodes > 0 ? "works" : "waits";
}

/** Throws a StartError for one that cannot be written, or is another cluster's. */
function kubeconfigOf(options: UpOptions, claimed: ClaimedCluster): string {
  const { home, kubeconfig, dataDirectory } = options;
  const path =
    kubeconfig ?? (dataDirectory === undefined ? claimed.kubeconfig : join(dataDirectory, "kubeconfig"));
  checkKubeconfig(path);
  for (const { name, record, state, holder } of findClusters(home)) {
    if (name === options.name || record.kubeconfig !== path || state === "stale") continue;
    throw new StartError(
      `${path} is that of cluster ${name}, which runs as ${describeHolder(holder)}; name another file with --kubeconfig`,
    );
  }
  return path;
}

function newTail({ verbosity }: UpOptions): LogTail {
  return new LogTail({
    write: (line) => void process.stderr.write(line),
    isTerminal: isTerminal(),
    isVerbose: verbosity > 0,
  });
}

function newLogger(destination: LogTail, verbosity: number): StartParts["log"] {
  const processId = process.pid;
  return createLogger({ format: "text", destination, clock: realClock, processId, verbosity }).logger;
}

/** Of the end nothing is said. */
function leaderTeller(tail: LogTail, stop: AbortSignal): StartParts["onLeader"] {
  return (leader) => {
    if (stop.aborted) return;
    if (leader === "this") return sayStep("controllers work");
    const line = `the controllers here stand by: ${leader.other} leads`;
    if (isTerminal()) tail.note(line);
    else say(line);
  };
}

#!/usr/bin/env node
import "../node-version/refuse-old-node.ts";
import "./no-inspector.ts";
import { readFileSync } from "node:fs";
import { realClock, realRandom } from "../../pkg/clock/real.ts";
import { createLogger, fileDescriptorDestination, type RootLogger } from "../../pkg/log/pino.ts";
import { createMetrics, type MetricsRegistries } from "../../pkg/metrics/registry.ts";
import {
  recordBuildInfo,
  recordFeature,
  recordProcessStart,
  recordVersionInfo,
} from "../../pkg/metrics/standard.ts";
import { featureGates } from "../../pkg/api/feature-gates.ts";
import { exitCodes, runApp } from "./app.ts";
import { knownControllers } from "./known-controllers.ts";
import { FlagError } from "./options/flag.ts";
import { helpText } from "./options/help.ts";
import { type ResolvedOptions, resolveOptions } from "./options/resolve.ts";
import { processHeap, SpareMemory } from "../../pkg/manager/spare-memory.ts";
import { GIT_VERSION, KUBERNETES_VERSION, MIN_COMPATIBILITY_VERSION, MINOR_VERSION } from "./version.ts";
import { limitYoungGeneration, processYoungGeneration } from "../../pkg/manager/young-generation.ts";

const startedMs = realClock.nowMs();
process.exitCode = await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<number> {
  let resolved: ResolvedOptions;
  try {
    resolved = resolveOptions(argv, (path) => readFileSync(path, "utf8"));
  } catch (error) {
    if (!(error instanceof FlagError)) throw error;
    process.stderr.write(`Error: ${error.message} (see --help)\n`);
    return 1;
  }
  const { options } = resolved;
  if (options.global.help) return print(helpText(controllerNames(), process.stdout.columns));
  if (options.global.version !== "") return print(versionText(options.global.version));
  return runDaemon(resolved);
}

async function runDaemon(resolved: ResolvedOptions): Promise<number> {
  limitYoungGeneration(processYoungGeneration);
  const { options, unusedFlags, leaderMigration } = resolved;
  const root = createLogger({
    format: options.logs.format === "json" ? "json" : "text",
    destination: fileDescriptorDestination(),
    clock: realClock,
    processId: process.pid,
    verbosity: options.logs.level,
    vmodule: options.logs.modules,
  });
  const log = root.logger;
  log.info("Starting", { version: GIT_VERSION, node: process.version });
  if (unusedFlags.length > 0) log.info("These flags have no effect here", { flags: unusedFlags });
  const stop = stopOnSignals(root);
  const memory = new SpareMemory(processHeap(), realClock, log);
  try {
    const outcome = await runApp(
      {
        options,
        leaderMigration,
        environment: process.env,
        clock: realClock,
        random: realRandom,
        log,
        verbosity: root.verbosity,
        metrics: processMetrics(resolved),
        processStartMs: startedMs,
        memory,
      },
      stop,
    );
    log.info("Ended", { outcome });
    return exitCodes[outcome];
  } catch (error) {
    if (stop.aborted && error === stop.reason) return 0;
    log.error(error, "command failed");
    return 1;
  } finally {
    memory.stop();
    await root.flush();
    // Whatever is left in the event loop (an abandoned controller, a connection) must not keep the process alive.
    setImmediate(() => process.exit());
  }
}

/** The first signal ends the program in order, the second at once. */
function stopOnSignals(root: RootLogger): AbortSignal {
  const stop = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => {
    if (stop.signal.aborted) {
      root.flushSync();
      process.exit(1);
    }
    root.logger.info("Stopping", { signal: name });
    stop.abort(new Error(`stopped by ${name}`));
  };
  process.on("SIGTERM", onSignal);
  process.on("SIGINT", onSignal);
  return stop.signal;
}

function processMetrics({ options, metrics: settings }: ResolvedOptions): MetricsRegistries {
  const registries = createMetrics(settings);
  const [major = "", minor = ""] = KUBERNETES_VERSION.split(".");
  for (const metrics of [registries.main, registries.slis]) {
    recordProcessStart(metrics, startedMs);
    recordBuildInfo(metrics, {
      major,
      minor,
      gitVersion: GIT_VERSION,
      gitCommit: "",
      gitTreeState: "",
      buildDate: "",
      goVersion: process.version,
      compiler: "v8",
      platform: `${process.platform}/${process.arch}`,
    });
  }
  recordVersionInfo(registries.main, {
    binary: MINOR_VERSION,
    emulation: MINOR_VERSION,
    minCompatibility: MIN_COMPATIBILITY_VERSION,
  });
  for (const { name, stage, enabled } of featureGates(options.generic.featureGates).list()) {
    recordFeature(registries.main, name, stage === "GA" ? "" : stage, enabled);
  }
  registries.collectRuntime();
  return registries;
}

function controllerNames(): {
  readonly all: readonly string[];
  readonly disabledByDefault: readonly string[];
} {
  const names = (controllers: typeof knownControllers): readonly string[] =>
    controllers.map(({ name }) => name).sort();
  return {
    all: names(knownControllers),
    disabledByDefault: names(knownControllers.filter(({ offByDefault }) => offByDefault)),
  };
}

function versionText(asked: string): string {
  if (asked !== "raw") return `Kubernetes ${asked === "true" ? GIT_VERSION : asked}\n`;
  return `${JSON.stringify({ gitVersion: GIT_VERSION, node: process.version, platform: process.platform, arch: process.arch })}\n`;
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

import { featureGates, type FeatureGates } from "../../pkg/api/feature-gates.ts";
import type { ClientBuilder } from "../../pkg/client/client-builder.ts";
import type { Clock } from "../../pkg/clock/clock.ts";
import type { Random } from "../../pkg/clock/random.ts";
import { openGate, type WriteGate } from "../../pkg/leader/fence.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import type { MetricsRegistries } from "../../pkg/metrics/registry.ts";
import { ControllerSet } from "../../pkg/reconcile/controller-set.ts";
import type { ControllerDescriptor } from "../../pkg/reconcile/env.ts";
import { waitForApiServer } from "./api-server-ready.ts";
import { type Clients, createClients } from "./clients.ts";
import { leaseElection } from "./election.ts";
import { knownControllers } from "./known-controllers.ts";
import type { Options } from "./options/options.ts";
import { registry } from "./registry.ts";
import { selectControllers } from "./select-controllers.ts";

export interface AppParts {
  readonly options: Options;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: MetricsRegistries;
}

/** How the program ended; anything but "stopped" is exit code 1. */
export type AppOutcome = "stopped" | "lease lost" | "shutdown timeout";

/**
 * Runs the controllers until `signal` aborts: as a candidate first, if so configured. Rejects when it cannot do its
 * work: bad files, an API server that stays away, a controller that fails.
 */
export async function runApp(parts: AppParts, signal: AbortSignal): Promise<AppOutcome> {
  const { options, log } = parts;
  const gates = featureGates(options.generic.featureGates);
  const chosen = chooseControllers(options, gates, log);
  const clients = await createClients(options, parts.environment, {
    clock: parts.clock,
    log,
    metrics: parts.metrics.main,
  });
  try {
    if (!options.generic.leaderElect) {
      const clean = await runControllers(parts, gates, chosen, clients, openGate, signal);
      return clean ? "stopped" : "shutdown timeout";
    }
    return await runElected(parts, gates, chosen, clients, signal);
  } finally {
    await clients.root.close();
  }
}

async function runElected(
  parts: AppParts,
  gates: FeatureGates,
  chosen: readonly ControllerDescriptor[],
  clients: Clients,
  signal: AbortSignal,
): Promise<AppOutcome> {
  const { options, clock, random, log } = parts;
  const election = leaseElection({
    options,
    clients: clients.root,
    clock,
    random,
    log,
    metrics: parts.metrics.main,
  });
  const { elector } = election;
  let clean = true;
  const outcome = await elector.run(async (leading) => {
    clean = await runControllers(parts, gates, chosen, clients, elector.fence, leading);
  }, signal);
  // A lost lease ends the process within the second: what is not sent by then is not worth a stale leader.
  if (outcome === "lost") return "lease lost";
  await election.close();
  return clean ? "stopped" : "shutdown timeout";
}

/** Resolves to whether all controllers ended in time after the abort. */
async function runControllers(
  parts: AppParts,
  gates: FeatureGates,
  chosen: readonly ControllerDescriptor[],
  clients: Clients,
  gate: WriteGate,
  signal: AbortSignal,
): Promise<boolean> {
  const { options, clock, random, log, metrics } = parts;
  const informerClient = clients.root.client("shared-informers");
  await waitForApiServer(informerClient.rest, clock, signal);
  const fenced: ClientBuilder = clients.fenced(gate);
  try {
    const set = new ControllerSet({
      descriptors: chosen,
      clients: fenced,
      informerClient,
      clock,
      random,
      log,
      metrics: metrics.main,
      features: gates,
      name: "kube-controller-manager",
      leastResyncMs: options.generic.minResyncPeriodMs,
      startIntervalMs: options.generic.controllerStartIntervalMs,
    });
    return await endsInTime(set, options.generic.controllerShutdownTimeoutMs, parts, signal);
  } finally {
    await fenced.close();
  }
}

/** Runs the set; after an abort it has `limitMs` to end (0: as long as it takes). */
async function endsInTime(
  set: ControllerSet,
  limitMs: number,
  { clock, log }: AppParts,
  signal: AbortSignal,
): Promise<boolean> {
  let expire = (): void => undefined;
  const expired = new Promise<false>((resolve) => {
    expire = () => resolve(false);
  });
  const onAbort = (): void => {
    if (limitMs > 0) clock.setTimer(limitMs, expire);
  };
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  const ended = set.run(signal).then(() => true);
  const clean = await Promise.race([ended, expired]);
  signal.removeEventListener("abort", onAbort);
  if (!clean) {
    log.error(undefined, "Controller shutdown timeout reached", { controllers: set.stillRunning() });
    ended.catch((error: unknown) => log.error(error, "A controller failed after the shutdown timeout"));
  }
  return clean;
}

function chooseControllers(
  options: Options,
  gates: FeatureGates,
  log: Logger,
): readonly ControllerDescriptor[] {
  const built = new Map(registry(options).map((descriptor) => [descriptor.name, descriptor]));
  const selection = selectControllers(
    options.generic.controllers,
    knownControllers,
    (name) => built.has(name),
    gates,
  );
  const reasons = Map.groupBy(selection.skipped, ({ reason }) => reason);
  for (const [reason, controllers] of reasons) {
    log.info("Controllers are not run", { reason, controllers: controllers.map(({ name }) => name) });
  }
  return selection.run.flatMap((name) => built.get(name) ?? []);
}

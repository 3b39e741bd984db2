import { featureGates, type FeatureGates } from "../../pkg/api/feature-gates.ts";
import { openGate } from "../../pkg/leader/fence.ts";
import type { LeaseElection } from "../../pkg/leader/lease-election.ts";
import type { Logger } from "../../pkg/log/logger.ts";
import { healthcheckMetrics } from "../../pkg/metrics/standard.ts";
import type { ControllerDescriptor } from "../../pkg/controller/env.ts";
import { createClients } from "./clients.ts";
import { type ClusterSecrets, clusterSecrets } from "./cluster-secrets.ts";
import { candidateFor } from "./election.ts";
import { knownControllers } from "./known-controllers.ts";
import { runLeader } from "./leader-migration.ts";
import type { Options } from "./options/options.ts";
import { registry } from "./registry.ts";
import type { AppParts, Run } from "./run.ts";
import { runControllers } from "./run-controllers.ts";
import { selectControllers } from "./select-controllers.ts";
import { delegatedClients } from "./server/delegation/delegated-clients.ts";
import { HealthChecks } from "../../pkg/manager/health/health.ts";
import { leaseCheck } from "../../pkg/manager/health/lease-health.ts";
import { type RunningServer, startServer } from "./server/start-server.ts";
import { KUBERNETES_VERSION, MINOR_VERSION, userAgent } from "./version.ts";

/** How the program ended. */
export type AppOutcome = "stopped" | "lease lost" | "shutdown timeout";

/** For whoever started the program: only an end that was asked for, and was in order, is a success. */
export const exitCodes: Readonly<Record<AppOutcome, number>> = {
  stopped: 0,
  "lease lost": 1,
  "shutdown timeout": 1,
};

/**
 * Serves, and runs the controllers until `signal` aborts: as a candidate first, if so configured. Rejects when it cannot
 * do its work: bad files, a port in use, an API server that stays away, a controller that fails.
 */
export async function runApp(parts: AppParts, signal: AbortSignal): Promise<AppOutcome> {
  const { options, clock, log } = parts;
  const gates = featureGates(options.generic.featureGates);
  const metrics = parts.metrics.main;
  const clients = await createClients(options, parts.environment, { clock, log, metrics });
  const secrets = clusterSecrets(options.serviceAccount, clients.access.identity.ca);
  const controllers = chooseControllers(options, secrets, gates, log);
  const health = new HealthChecks(healthcheckMetrics(parts.metrics.slis), log);
  return runWith({ ...parts, gates, controllers, clients, health, sets: new Set() }, signal);
}

/** The same with what has been made of the options. */
export async function runWith(run: Run, signal: AbortSignal): Promise<AppOutcome> {
  const { options, clients, memory } = run;
  // A candidate is healthy before it leads, and its checks tell so from the first connection on.
  const election = options.generic.leaderElect ? candidate(run) : undefined;
  const server = await serve(run);
  memory.releaseLater();
  try {
    if (election !== undefined) return await runElected(run, election, signal);
    const clean = await runControllers(run, openGate, signal);
    return clean ? "stopped" : "shutdown timeout";
  } finally {
    await Promise.all([server.close(), clients.root.close()]);
  }
}

function candidate(run: Run): LeaseElection {
  const { options, clients, clock, random, log, health } = run;
  const metrics = run.metrics.main;
  const leaseName = options.generic.resourceName;
  const election = candidateFor({ options, leaseName, clients: clients.root, clock, random, log, metrics });
  const { elector } = election;
  health.add(leaseCheck("leaderElection", elector));
  if (!options.own.standbyReady) {
    health.add({
      name: "leading",
      concern: "role",
      check: () => (elector.isLeader() ? undefined : "another process holds the Lease"),
    });
  }
  return election;
}

async function runElected(run: Run, election: LeaseElection, signal: AbortSignal): Promise<AppOutcome> {
  const { elector } = election;
  let clean = true;
  const outcome = await elector.run(async (leading) => {
    clean = await runLeader(run, elector.fence, leading);
  }, signal);
  // A lost lease ends the process within the second: what is not sent by then is not worth a stale leader.
  if (outcome === "lost") return "lease lost";
  await election.close();
  return clean ? "stopped" : "shutdown timeout";
}

async function serve(run: Run): Promise<Pick<RunningServer, "close">> {
  const { options, environment, clock, log, gates } = run;
  const clients = await delegatedClients(options, {
    environment,
    userAgent: userAgent(),
    clock,
    log,
    metrics: run.metrics.main,
  });
  const server = await startServer({
    ...run,
    features: gates,
    clients,
    build: {
      goVersion: `node${process.versions.node}`,
      binaryVersion: KUBERNETES_VERSION,
      emulationVersion: MINOR_VERSION,
    },
    debugHandler: (name) => {
      const set = [...run.sets].find(({ names }) => names.includes(name));
      return set && (async (path, query) => set.debug(name, path, query));
    },
  });
  return {
    close: async () => {
      await server?.close();
      await clients.close();
    },
  };
}

function chooseControllers(
  options: Options,
  secrets: ClusterSecrets,
  gates: FeatureGates,
  log: Logger,
): readonly ControllerDescriptor[] {
  const built = new Map(registry(options, secrets).map((descriptor) => [descriptor.name, descriptor]));
  const isBuilt = (name: string): boolean => built.has(name);
  const selection = selectControllers(options.generic.controllers, knownControllers, isBuilt, gates);
  const reasons = Map.groupBy(selection.skipped, ({ reason }) => reason);
  for (const [reason, controllers] of reasons) {
    log.info("Controllers are not run", { reason, controllers: controllers.map(({ name }) => name) });
  }
  const chosen = selection.run.flatMap((name) => built.get(name) ?? []);
  for (const descriptor of chosen) descriptor.checkSettings?.();
  return chosen;
}

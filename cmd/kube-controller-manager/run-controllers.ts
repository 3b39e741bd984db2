import type { WriteGate } from "../../pkg/leader/fence.ts";
import { ControllerSet } from "../../pkg/controller/controller-set.ts";
import { waitForApiServer } from "../../pkg/manager/api-server-ready.ts";
import { endInTime } from "../../pkg/manager/end-in-time.ts";
import type { Run } from "./run.ts";
import { checksOf } from "../../pkg/manager/health/set-health.ts";

/** Builds and runs all controllers. Resolves to whether all of them ended in time after the abort. */
export async function runControllers(run: Run, gate: WriteGate, signal: AbortSignal): Promise<boolean> {
  const { options, clock, random, log, metrics, clients, health } = run;
  const informerClient = clients.root.client("shared-informers");
  await waitForApiServer(informerClient.rest, clock, signal);
  const controllerClients = clients.ofControllers();
  try {
    const set = new ControllerSet({
      descriptors: run.controllers,
      clients: controllerClients,
      gate,
      informerClient,
      clock,
      random,
      log,
      metrics: metrics.main,
      features: run.gates,
      name: "kube-controller-manager",
      fairQueues: options.own.fairQueues,
      syncHistory: options.own.syncHistory,
      leastResyncMs: options.generic.minResyncPeriodMs,
      startIntervalMs: options.generic.controllerStartIntervalMs,
    });
    const checks = checksOf(set, {
      clock,
      maxSyncMs: options.own.maxSyncMs,
      informerCheck: run.informerCheck,
    });
    health.add(...checks);
    run.sets.add(set);
    run.memory.releaseLater();
    const limitMs = options.generic.controllerShutdownTimeoutMs;
    const clean = await endInTime(set, { limitMs, clock, log }, signal).finally(() => run.sets.delete(set));
    for (const { name } of checks) health.remove(name);
    return clean;
  } finally {
    await controllerClients.close();
  }
}

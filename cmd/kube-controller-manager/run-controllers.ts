import type { WriteGate } from "../../pkg/leader/fence.ts";
import { ControllerSet } from "../../pkg/controller/controller-set.ts";
import { waitForApiServer } from "../../pkg/manager/api-server-ready.ts";
import { runSet } from "../../pkg/manager/run-set.ts";
import type { Run } from "./run.ts";

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
    run.sets.add(set);
    run.memory.releaseLater();
    const limits = {
      maxSyncMs: options.own.maxSyncMs,
      limitMs: options.generic.controllerShutdownTimeoutMs,
      informerCheck: run.informerCheck,
    };
    return await runSet(set, { health, clock, log, ...limits }, signal).finally(() => run.sets.delete(set));
  } finally {
    await controllerClients.close();
  }
}

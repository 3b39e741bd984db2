import type { WriteGate } from "../../pkg/leader/fence.ts";
import { ControllerSet } from "../../pkg/reconcile/controller-set.ts";
import { waitForApiServer } from "./api-server-ready.ts";
import type { Run } from "./run.ts";
import { checksOf } from "./server/set-health.ts";

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
    const clean = await endsInTime(run, set, signal).finally(() => run.sets.delete(set));
    for (const { name } of checks) health.remove(name);
    return clean;
  } finally {
    await controllerClients.close();
  }
}

/** Runs the set; after an abort it has --controller-shutdown-timeout to end (0: as long as it takes). */
async function endsInTime(run: Run, set: ControllerSet, signal: AbortSignal): Promise<boolean> {
  const { clock, log, options } = run;
  const limitMs = options.generic.controllerShutdownTimeoutMs;
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

import { join } from "node:path";
import { resources } from "../../../pkg/api/resources.ts";
import { isNotFound } from "../../../pkg/client/errors.ts";
import { ManagerProcess } from "./manager-process.ts";
import type { Manager } from "./managers.ts";
import type { Outcome } from "./outcome.ts";
import { openStage, type Stage } from "./stage.ts";
import type { Turn, Workload } from "./workload.ts";

const SETTLE_LIMIT_MS = 300_000;
const SETTLE_REST_MS = 5_000;

export interface Plan {
  readonly workloads: readonly Workload[];
  readonly managers: readonly Manager[];
  readonly controllers: readonly string[];
  readonly scale: number;
  readonly rounds: number;
  /** Where the logs of managers go. */
  readonly directory: string;
  readonly say: (line: string) => void;
}

export interface Result {
  readonly workload: Workload;
  /** One for each round, by the manager's name; a round that failed is not there. */
  readonly outcomes: ReadonlyMap<string, readonly Outcome[]>;
  /** Why there is nothing, or less than was asked for. */
  readonly notes: readonly string[];
}

/** Round by round all managers take their turn, so that whatever else the machine does meets each of them. */
export async function runWorkload(plan: Plan, workload: Workload): Promise<Result> {
  const missing = workload.needs.filter((name) => !plan.controllers.includes(name));
  if (missing.length > 0) {
    return { workload, outcomes: new Map(), notes: [`left out: ${missing.join(", ")} is not built`] };
  }
  const outcomes = new Map<string, Outcome[]>(plan.managers.map(({ name }) => [name, []]));
  const notes: string[] = [];
  const shared = workload.sharesCluster === true ? await prepared(plan, workload) : undefined;
  try {
    if (shared !== undefined) await settle(plan, workload, shared);
    for (let round = 0; round < Math.min(plan.rounds, workload.rounds ?? plan.rounds); round++) {
      for (const manager of inTurn(plan.managers, round)) {
        try {
          const outcome = await takeTurn(plan, { workload, manager, round }, shared);
          outcomes.get(manager.name)?.push(outcome);
          plan.say(`${workload.id} round ${round + 1} ${manager.name}: ${describe(outcome)}`);
        } catch (error) {
          const why = error instanceof Error ? error.message : String(error);
          notes.push(`${manager.name} failed in round ${round + 1}: ${why}`);
          plan.say(`${workload.id} round ${round + 1} ${manager.name}: failed: ${why}`);
        }
      }
    }
  } finally {
    await shared?.stop();
  }
  return { workload, outcomes, notes };
}

async function prepared({ scale }: Plan, workload: Workload): Promise<Stage> {
  const stage = await openStage(workload.nodes ?? 0, scale, workload);
  try {
    await workload.prepare?.(stage);
    return stage;
  } catch (error) {
    await stage.stop();
    throw error;
  }
}

/**
 * What a new cluster lacks (default service accounts, the CA's ConfigMaps, aggregated roles: 16 writes) is made before
 * anybody is measured: it would all count for whoever comes first.
 */
async function settle(plan: Plan, { id }: Workload, stage: Stage): Promise<void> {
  const manager = plan.managers.at(-1);
  if (manager === undefined) return;
  const { kubeconfig, managerFlags: more, directory } = stage;
  const flags = { kubeconfig, controllers: plan.controllers, limits: "lifted", more } as const;
  const log = join(plan.directory, `${id}-${manager.name}-settle.log`);
  const started = await ManagerProcess.start(manager, flags, { directory, log });
  try {
    await started.settle(SETTLE_LIMIT_MS, SETTLE_REST_MS);
  } finally {
    await started.stop();
    await freeLease(stage);
  }
}

async function takeTurn(plan: Plan, turn: Turn, shared: Stage | undefined): Promise<Outcome> {
  const { workload, manager, round } = turn;
  const stage = shared ?? (await prepared(plan, workload));
  const running: ManagerProcess[] = [];
  let fail: (reason: Error) => void = () => undefined;
  const failure = new Promise<never>((_, reject) => (fail = reject));
  try {
    const outcome = workload.play(stage, async ({ limits = "lifted", more = [] } = {}) => {
      const { kubeconfig, managerFlags, directory } = stage;
      const log = join(
        plan.directory,
        `${workload.id}-${manager.name}-${round + 1}-${running.length + 1}.log`,
      );
      const controllers = workload.alone === true ? workload.needs : plan.controllers;
      const flags = { kubeconfig, controllers, limits, more: [...managerFlags, ...more] };
      const started = await ManagerProcess.start(manager, flags, { directory, log });
      running.push(started);
      started.unexpectedEnd.catch(fail);
      return started;
    });
    return await Promise.race([outcome, failure]);
  } finally {
    await Promise.all(running.map(async (manager) => manager.stop()));
    if (shared === undefined) await stage.stop();
    else await freeLease(stage);
  }
}

/** A killed leader's Lease would hold up the next one. */
async function freeLease({ client }: Stage): Promise<void> {
  const lease = { namespace: "kube-system", name: "kube-controller-manager" };
  try {
    await client.clientFor(resources.leases).delete(lease);
  } catch (error) {
    // The manager has given it back by itself.
    if (!isNotFound(error)) throw error;
  }
}

function inTurn<T>(items: readonly T[], round: number): readonly T[] {
  const first = round % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
}

function describe({ figures }: Outcome): string {
  return Object.entries(figures)
    .map(([name, value]) => `${name} ${value.toPrecision(4)}`)
    .join(", ");
}

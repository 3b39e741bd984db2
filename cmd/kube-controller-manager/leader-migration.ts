import { LeaseLostError } from "../../pkg/leader/elector.ts";
import type { WriteGate } from "../../pkg/leader/fence.ts";
import type { ControllerDescriptor } from "../../pkg/controller/env.ts";
import type { Run } from "./run.ts";
import { candidateFor } from "./election.ts";
import type { LeaderMigration } from "./options/leader-migration-file.ts";
import { runControllers } from "./run-controllers.ts";
import { runShares } from "./run-shares.ts";
import { leaseCheck } from "../../pkg/manager/health/lease-health.ts";

export interface ControllerShares {
  /** Under the program's own Lease. */
  readonly main: readonly ControllerDescriptor[];
  /** Under the Lease of the migration. */
  readonly migrated: readonly ControllerDescriptor[];
  /** Left to another program. */
  readonly unowned: readonly ControllerDescriptor[];
}

const COMPONENT = "kube-controller-manager";
/** Its tokens are what others need to start, so it never waits for a second Lease. */
const ALWAYS_MAIN = "serviceaccount-token-controller";

/** upstream: leadermigration/migrator.go; the last line about a controller counts. */
export function shareControllers(
  controllers: readonly ControllerDescriptor[],
  { controllerLeaders }: LeaderMigration,
): ControllerShares {
  const components = new Map(controllerLeaders.map(({ name, component }) => [name, component]));
  const shareOf = ({ name }: ControllerDescriptor): keyof ControllerShares => {
    const component = name === ALWAYS_MAIN ? undefined : components.get(name);
    if (component === undefined) return "main";
    return component === COMPONENT || component === "*" ? "migrated" : "unowned";
  };
  const shares = Map.groupBy(controllers, shareOf);
  return {
    main: shares.get("main") ?? [],
    migrated: shares.get("migrated") ?? [],
    unowned: shares.get("unowned") ?? [],
  };
}

/** All that this process does while it has its main Lease. Resolves to whether all controllers ended in time. */
export async function runLeader(run: Run, gate: WriteGate, signal: AbortSignal): Promise<boolean> {
  const { leaderMigration, log } = run;
  if (leaderMigration === undefined) return runControllers(run, gate, signal);
  const { main, migrated, unowned } = shareControllers(run.controllers, leaderMigration);
  const namesOf = (controllers: readonly ControllerDescriptor[]): readonly string[] =>
    controllers.map(({ name }) => name);
  log.info("Leader migration", {
    lease: leaderMigration.leaderName,
    migrated: namesOf(migrated),
    unowned: namesOf(unowned),
  });
  let clean = true;
  await runShares(
    async (leading) => {
      const inTime = await runControllers({ ...run, controllers: main }, gate, leading);
      clean &&= inTime;
    },
    async (leading) => {
      const inTime = await runMigrated(
        { ...run, controllers: migrated },
        leaderMigration.leaderName,
        leading,
      );
      clean &&= inTime;
    },
    signal,
  );
  return clean;
}

async function runMigrated(run: Run, leaderName: string, signal: AbortSignal): Promise<boolean> {
  const { clients, health } = run;
  const check = `leaderElection-${leaderName}`;
  const election = candidateFor({
    ...run,
    clients: clients.root,
    metrics: run.metrics.main,
    leaseName: leaderName,
  });
  const { elector } = election;
  health.add(leaseCheck(check, elector));
  let clean = true;
  const outcome = await elector.run(async (leading) => {
    clean = await runControllers({ ...run, informerCheck: "informer-sync-migrated" }, elector.fence, leading);
  }, signal);
  health.remove(check);
  if (outcome === "lost") throw new LeaseLostError(leaderName);
  await election.close();
  return clean;
}

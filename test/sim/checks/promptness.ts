import { isJobFinished, isJobSuspended } from "../../../pkg/api/job.ts";
import { isPodActive } from "../../../pkg/api/pod.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Store } from "../../../pkg/embedded/storage/store.ts";
import { controllersIn, jobsIn, objectsIn, ownedBy, podsIn, replicaSetsIn } from "../world/objects.ts";
import type { World } from "../world/world.ts";

const PERIOD_MS = 10_000;
/** Longer than the back-off that a minute of failing requests leads to, and far shorter than any time-out. */
const PROMPT_MS = 150_000;
/** Where nothing goes wrong at all. */
const CALM_MS = 20_000;

/**
 * Where watches are never late, nothing but failing requests can keep an owner from having its pods, and no longer than
 * they fail: one that lacks pods for long was forgotten, even if some time-out helps it later.
 */
export function checkPromptness(world: World, { isCalm }: { readonly isCalm: boolean }): void {
  const promptMs = isCalm ? CALM_MS : PROMPT_MS;
  const lackingSince = new Map<string, number>();
  const limited = new Set<string>();
  /** Jobs that are suspended or have ended run nothing. */
  const checkJobs = (isTroubled: boolean, nowMs: number): void => {
    const pods = podsIn(world.server.parts.store);
    for (const job of jobsIn(world.server.parts.store)) {
      const key = `${job.metadata.uid} ${job.metadata.generation}`;
      const stops = isJobSuspended(job) || isJobFinished(job);
      const runs = stops && ownedBy(pods, job).some(isPodActive);
      const sinceMs = runs && !isTroubled ? (lackingSince.get(key) ?? nowMs) : nowMs;
      lackingSince.set(key, sinceMs);
      if (nowMs - sinceMs === promptMs)
        world.violate(`${job.metadata.name} runs, though it is to stop, for ${promptMs} ms`);
    }
  };
  const look = (): void => {
    const nowMs = world.clock.monotonicMs();
    const { store } = world.server.parts;
    const owners = [...replicaSetsIn(store), ...controllersIn(store)];
    const pods = podsIn(store);
    const isTroubled = world.leader === undefined || world.weather.errorShare > 0;
    // Also later: whoever was refused pods for long tries again seldom.
    for (const name of limitedNamespaces(store)) limited.add(name);
    for (const owner of owners) {
      const key = `${owner.metadata.uid} ${owner.metadata.generation}`;
      const active = ownedBy(pods, owner).filter(isPodActive);
      const lacks = owner.metadata.deletionTimestamp === undefined && active.length !== owner.spec?.replicas;
      const isFree = !isTroubled && !limited.has(owner.metadata.namespace ?? "");
      const sinceMs = lacks && isFree ? (lackingSince.get(key) ?? nowMs) : nowMs;
      lackingSince.set(key, sinceMs);
      if (nowMs - sinceMs !== promptMs) continue;
      world.violate(
        `${owner.metadata.name} has ${active.length} pods and asks for ${owner.spec?.replicas}, for ${promptMs} ms`,
      );
    }
    checkJobs(isTroubled, nowMs);
    world.clock.setTimer(PERIOD_MS, look);
  };
  world.clock.setTimer(PERIOD_MS, look);
}

/** Where pods cannot be created: namespaces that are being deleted, and those with a quota. */
function limitedNamespaces(store: Store): ReadonlySet<string> {
  const leaving = objectsIn(store, resources.namespaces).filter(
    ({ metadata }) => metadata.deletionTimestamp !== undefined,
  );
  return new Set([
    ...leaving.map(({ metadata }) => metadata.name ?? ""),
    ...objectsIn(store, resources.resourceQuotas).map(({ metadata }) => metadata.namespace ?? ""),
  ]);
}

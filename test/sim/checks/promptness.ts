import { isPodActive } from "../../../pkg/api/pod.ts";
import { controllersIn, ownedBy, podsIn, replicaSetsIn } from "../world/objects.ts";
import type { World } from "../world/world.ts";

const PERIOD_MS = 10_000;
/** Longer than the back-off that a minute of failing requests leads to, and far shorter than any time-out. */
const PROMPT_MS = 150_000;

/**
 * Where watches are never late, nothing but failing requests can keep an owner from having its pods, and no longer than
 * they fail: one that lacks pods for long was forgotten, even if some time-out helps it later.
 */
export function checkPromptness(world: World): void {
  const lackingSince = new Map<string, number>();
  const look = (): void => {
    const nowMs = world.clock.monotonicMs();
    const { store } = world.server.parts;
    const owners = [...replicaSetsIn(store), ...controllersIn(store)];
    const pods = podsIn(store);
    const isTroubled = world.leader === undefined || world.weather.errorShare > 0;
    for (const owner of owners) {
      const key = `${owner.metadata.uid} ${owner.metadata.generation}`;
      const active = ownedBy(pods, owner).filter(isPodActive);
      const lacks = owner.metadata.deletionTimestamp === undefined && active.length !== owner.spec?.replicas;
      const sinceMs = lacks && !isTroubled ? (lackingSince.get(key) ?? nowMs) : nowMs;
      lackingSince.set(key, sinceMs);
      if (nowMs - sinceMs !== PROMPT_MS) continue;
      world.violate(
        `${owner.metadata.name} has ${active.length} pods and asks for ${owner.spec?.replicas}, for ${PROMPT_MS} ms`,
      );
    }
    world.clock.setTimer(PERIOD_MS, look);
  };
  world.clock.setTimer(PERIOD_MS, look);
}

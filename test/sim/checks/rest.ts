import type { PartialObject } from "../../../pkg/api/object.ts";
import { keyOf } from "../../../pkg/api/object.ts";
import { describeRequest } from "../world/request-of.ts";
import { objectsIn } from "../world/objects.ts";
import type { World } from "../world/world.ts";
import { checkAutoscalers } from "./autoscaler-rest.ts";
import { differencesFromDesired } from "./desired.ts";
import { checkNodes } from "./desired-nodes.ts";
import { checkVolumes } from "./desired-volumes.ts";
import { Differences } from "./differences.ts";

/** How long after the last fault and the last wish everything may take, the longest back-off and deadline included. */
export const SETTLE_MS = 20 * 60_000;
/** How long nothing at all may be written then. */
const REST_MS = 30 * 60_000;

/** Lets the cluster come to rest, and sees to it that it is as desired and stays so without another write. */
export async function checkRest(world: World): Promise<void> {
  await world.pass(SETTLE_MS);
  if (world.isEnough) return;
  const nodes = new Differences();
  checkNodes(nodes, world);
  if (world.autoscales) checkAutoscalers(nodes, world);
  checkVolumes(nodes, world);
  for (const difference of [...differencesFromDesired(world.server.parts.store), ...nodes.lines]) {
    world.violate(`not as desired ${SETTLE_MS / 60_000} minutes after the last fault: ${difference}`);
  }
  checkCaches(world);
  world.retireStandbys();
  const judge = world.onManagerWrite;
  world.onManagerWrite = (arrival, process) => {
    judge(arrival, process);
    if (arrival.facts.resource !== "leases")
      world.violate(`${process.name} writes where there is nothing to do: ${describeRequest(arrival.facts)}`);
  };
  await world.pass(REST_MS);
}

/** With nothing under way, the leader's caches hold what the server has. */
function checkCaches(world: World): void {
  const { leader } = world;
  if (leader === undefined) return world.violate("nobody leads");
  for (const watched of world.watched) {
    const { plural: resource } = watched;
    const onServer = versions(objectsIn(world.server.parts.store, watched));
    const cached = versions(leader.informers.get(resource)?.lister.list() ?? []);
    for (const [key, version] of onServer) {
      if (cached.get(key) !== version)
        world.violate(`the cache of ${resource} has ${key} at ${cached.get(key)}, the server at ${version}`);
    }
    for (const key of cached.keys()) {
      if (!onServer.has(key)) world.violate(`the cache of ${resource} has ${key}, which the server has not`);
    }
  }
}

function versions(objects: readonly PartialObject[]): Map<string, string> {
  return new Map(objects.map((object) => [keyOf(object), object.metadata.resourceVersion ?? ""]));
}

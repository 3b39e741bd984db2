import type { World } from "../world/world.ts";
import { checkNodes } from "./desired-nodes.ts";
import { checkVolumes } from "./desired-volumes.ts";
import { Differences } from "./differences.ts";
import { NodeStates } from "./node-states.ts";
import { overduePods } from "./overdue-pods.ts";
import { SETTLE_MS } from "./rest.ts";

/**
 * Before users repair anything: some time after the last fault all is said of the nodes that still fail, and everybody
 * has gone from them who does not tolerate that. Gives what waits for it and looks.
 */
export function checkFailingNodes(world: World): () => Promise<void> {
  if (world.nodeSettings === undefined) return async () => undefined;
  const nodes = new NodeStates(world);
  return async () => {
    await world.pass(SETTLE_MS);
    if (world.isEnough) return;
    const found = new Differences();
    checkNodes(found, world);
    checkVolumes(found, world);
    const lines = [...found.lines, ...overduePods(world, nodes).map(({ text }) => text)];
    for (const line of lines)
      world.violate(`with nodes that fail, ${SETTLE_MS / 60_000} minutes after the last fault: ${line}`);
  };
}

import { throwAll } from "../../pkg/api/errors.ts";
import { forEachInTurns } from "../../pkg/clock/turns.ts";
import type { Sync, SyncResult } from "../../pkg/controller/sync.ts";
import type { NodeContext } from "./context.ts";
import type { KnownNode } from "./known-nodes.ts";
import { isUnsettled, settle } from "./sync-settle.ts";
import { hear, isSuspect, type Look, lookAt } from "./sync-silent.ts";
import { judgeZones } from "./sync-zones.ts";
import { zoneOf } from "./zones.ts";

/** A round over all nodes: whoever has given no sign of life for too long is not ready. */
export async function monitorNodes(sync: Sync, context: NodeContext): Promise<SyncResult> {
  const { clock, metrics, nodes, known, memory } = context;
  const startMs = clock.monotonicMs();
  const { added, gone } = known.meet(nodes.lister.list());
  for (const node of gone) forget(context, node);
  for (const node of added) welcome(context, node);
  // Nodes that are met by the first round have their taints from whoever was at work before.
  const newcomers = new Set(memory.rounds > 0 ? added : []);
  memory.rounds++;
  const looks = await lookAtAll(context, newcomers);
  await hear(sync, context, looks.filter(isSuspect));
  await settleAll(sync, context, looks.filter(isUnsettled));
  await judgeZones(sync, context, looks);
  metrics.roundDuration.observe((clock.monotonicMs() - startMs) / 1_000);
  return {};
}

function welcome({ events }: NodeContext, { node }: KnownNode): void {
  const { name } = node.metadata;
  const message = `Node ${name} event: Registered Node ${name} in Controller`;
  events.event(node, "Normal", "RegisteredNode", message);
}

function forget({ events, zones }: NodeContext, { node, uid, zone }: KnownNode): void {
  const { name } = node.metadata;
  const message = `Node ${name} event: Removing Node ${name} from Controller`;
  events.event(node, "Normal", "RemovingNode", message);
  zones.line(zone)?.remove(uid);
}

/** There may be thousands of nodes. */
async function lookAtAll(context: NodeContext, newcomers: ReadonlySet<KnownNode>): Promise<readonly Look[]> {
  const { clock, known, metrics } = context;
  const looks: Look[] = [];
  await forEachInTurns(clock, known.all(), (node) => {
    const beganMs = clock.monotonicMs();
    placeInZone(context, node);
    const look = lookAt(context, node, newcomers.has(node));
    looks.push(look);
    if (!isUnsettled(look)) metrics.nodeDuration.observe((clock.monotonicMs() - beganMs) / 1_000);
  });
  return looks;
}

/** A server that cannot be reached is not asked for each of them. */
async function settleAll(sync: Sync, context: NodeContext, looks: readonly Look[]): Promise<void> {
  const { clock, metrics, nodeLanes } = context;
  const errors: unknown[] = [];
  const settleOne = async (look: Look): Promise<void> => {
    if (errors.length > 0) return;
    const beganMs = clock.monotonicMs();
    try {
      await settle(sync, context, look);
    } catch (error) {
      errors.push(error);
    }
    metrics.nodeDuration.observe((clock.monotonicMs() - beganMs) / 1_000);
  };
  await Promise.all(looks.map(async (look) => nodeLanes.run(async () => settleOne(look))));
  throwAll(errors);
}

/** A node whose labels have changed waits in the line of another zone from now on. */
function placeInZone({ zones, settings, clock, metrics }: NodeContext, known: KnownNode): void {
  const zone = zoneOf(known.node);
  if (zone !== known.zone) zones.line(known.zone)?.remove(known.uid);
  known.zone = zone;
  const { isNew } = zones.meet(zone, settings.evictionRate, clock.monotonicMs());
  if (isNew) metrics.evictions.inc({ zone }, 0);
}

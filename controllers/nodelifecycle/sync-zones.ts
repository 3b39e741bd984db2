import { keyOf } from "../../pkg/api/object.ts";
import { messageOf, throwAll } from "../../pkg/api/errors.ts";
import { isUnreachable } from "../../pkg/client/errors.ts";
import type { Sync, SyncResult } from "../../pkg/controller/sync.ts";
import { changeNode, taintsChange } from "./apply.ts";
import type { NodeContext } from "./context.ts";
import type { EvictionLine, WaitingNode } from "./eviction-line.ts";
import { withEvictingTaint } from "./node-taints.ts";
import { takeTaintsOff } from "./sync-settle.ts";
import type { Look } from "./sync-silent.ts";
import { isCounted, planZones, type ZoneCount, type ZonePlan } from "./zones.ts";

/** By then the node has the taint that follows from its conditions: the two writes do not meet. */
const TAINT_DELAY_MS = 100;

/** Judges how the zones fare after all of their nodes were looked at, and how fast they may be emptied. */
export async function judgeZones(sync: Sync, context: NodeContext, looks: readonly Look[]): Promise<void> {
  const { zones, zoneQueue, settings, metrics, clock } = context;
  const counts = countZones(looks);
  const plan = planZones(counts, settings);
  for (const [zone, count] of counts) metrics.countZone(zone, count);
  for (const zone of zones.countOnly(new Set(counts.keys()))) metrics.emptyZone(zone);
  zones.keepOnly(new Set(looks.map(({ known }) => known.zone)));
  const wasAllDown = zones.allDown;
  zones.allDown = plan.allDown;
  setRates(sync, context, plan);
  if (plan.allDown && !wasAllDown) {
    sync.decided("No node of the cluster is ready: none is emptied");
    for (const [, line] of zones.all()) line.clear();
    await Promise.all(looks.map(async (look) => takeOffOrLog(sync, context, look)));
  }
  if (!plan.allDown && wasAllDown) {
    sync.decided("Some nodes are ready again: all get time to say how they are");
    const probeMs = clock.monotonicMs();
    for (const { known } of looks)
      if (known.health !== undefined) known.health = { ...known.health, probeMs };
  }
  for (const [zone, line] of zones.all()) if (line.size > 0) zoneQueue.addAfter(zone, TAINT_DELAY_MS);
}

function countZones(looks: readonly Look[]): ReadonlyMap<string, ZoneCount> {
  const counts = new Map<string, { ready: number; notReady: number }>();
  for (const { known, node, current, isGone } of looks) {
    if (isGone || !isCounted(node)) continue;
    let count = counts.get(known.zone);
    if (count === undefined) counts.set(known.zone, (count = { ready: 0, notReady: 0 }));
    if (current === "True") count.ready++;
    else count.notReady++;
  }
  return counts;
}

function setRates(sync: Sync, { zones, settings, clock }: NodeContext, plan: ZonePlan): void {
  const nowMs = clock.monotonicMs();
  for (const [zone, line] of zones.all()) {
    // A zone of which no node counts is as good as any.
    const rate = plan.rates.get(zone) ?? (plan.allDown ? 0 : settings.evictionRate);
    const before = line.rate.perSecond;
    if (!line.rate.change(rate, nowMs)) continue;
    sync.decided("The zone has another eviction rate", { zone, rate, before, state: plan.states.get(zone) });
  }
}

async function takeOffOrLog(sync: Sync, context: NodeContext, look: Look): Promise<void> {
  try {
    await takeTaintsOff(sync, context, look);
  } catch (error) {
    sync.signal.throwIfAborted();
    if (isUnreachable(error)) throw error;
    // As long as no node is ready every round tries it again.
    sync.log.error(error, "The taints could not be taken off the node", { node: keyOf(look.node) });
  }
}

/** Empties the nodes that wait in a zone, as many as its rate allows now. */
export async function emptyNodes(sync: Sync, context: NodeContext): Promise<SyncResult> {
  const line = context.zones.line(sync.key);
  if (line === undefined) return {};
  const errors: unknown[] = [];
  for (let left = line.size; left > 0 && line.first !== undefined; left--) {
    const waiting = line.first;
    if (!line.rate.tryTake(context.clock.monotonicMs())) break;
    if (!(await emptyNode(sync, context, { line, waiting, errors }))) line.rate.giveBack();
    if (errors.some(isUnreachable)) break;
  }
  throwAll(errors);
  const requeueAfterMs = line.rate.untilNextMs(context.clock.monotonicMs());
  return line.size === 0 || requeueAfterMs === undefined ? {} : { requeueAfterMs };
}

interface Turn {
  readonly line: EvictionLine;
  readonly waiting: WaitingNode;
  readonly errors: unknown[];
}

/** Gives the node the taint that drives its pods away. False when it did not get one. */
async function emptyNode(
  sync: Sync,
  context: NodeContext,
  { line, waiting, errors }: Turn,
): Promise<boolean> {
  const { nodes, clock, metrics } = context;
  const { name, uid } = waiting;
  const owner = nodes.lister.get(undefined, name);
  if (owner?.metadata.uid !== uid) {
    line.remove(uid);
    return false;
  }
  try {
    const isTainted = await changeNode(context, { owner, signal: sync.signal }, (live) =>
      taintsChange(live, withEvictingTaint(live, clock.nowMs())),
    );
    line.remove(uid);
    if (!isTainted) return false;
    sync.decided("Pods are driven away from the node", { node: name });
    metrics.evictions.inc({ zone: sync.key });
    return true;
  } catch (error) {
    sync.signal.throwIfAborted();
    line.moveToEnd(waiting);
    errors.push(new Error(`node ${name} could not be tainted: ${messageOf(error)}`, { cause: error }));
    return false;
  }
}

import { resources } from "../../pkg/api/resources.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { cidrMetrics } from "./metrics.ts";
import { NodeRanges, NODE_FIELDS } from "./node-ranges.ts";
import { type NodeIpamSettings, planRanges } from "./range-plan.ts";

/** Nodes that the server had when all of them were read, and that the cache lacks: they are gone, or it is behind. */
export interface UnseenNodes {
  readonly uids: Set<string>;
  /** When they were read. */
  version: string;
}

/** All that a sync works with. */
export type NodeIpamContext = ReturnType<typeof nodeIpamContext>;

/** Throws a NodeRangeError when the settings do not go together. */
export function nodeIpamContext(kit: Kit, settings: NodeIpamSettings, wake: (key: string) => void) {
  const { client, clock, events, log, metrics } = kit.env;
  const plan = planRanges(settings);
  for (const range of plan.unreadable)
    log.warn("A range of Services cannot be read: nothing is kept free for it", { range });
  const unseen: UnseenNodes = { uids: new Set(), version: "" };
  const waiting = new Set<string>();
  const onFree = (count: number): void => {
    let left = count;
    for (const key of waiting) {
      if (left-- === 0) return;
      waiting.delete(key);
      wake(key);
    }
  };
  return {
    nodes: kit.reads(resources.nodes, { fields: NODE_FIELDS }),
    client: client.clientFor(resources.nodes),
    writes: kit.writes(resources.nodes),
    ranges: new NodeRanges(plan, { observe: cidrMetrics(metrics), onFree }),
    unseen,
    /** Names of Nodes for which there was no range. They are woken when there is one. */
    waiting,
    events,
    clock,
    log,
  };
}

import { podsIn } from "../world/objects.ts";
import type { World } from "../world/world.ts";
import { CLOCK_RATE, EVICTION_SLACK_MS } from "./clock-limits.ts";
import type { Lack } from "./lacks.ts";
import { toleratedMs } from "./node-facts.ts";
import type { NodeStates } from "./node-states.ts";

/** A leader whose clock is behind takes a taint for younger than it is, and waits for all of the time once more. */
const CLOCKS = 1.1;
const PROMPT_MS = 150_000;

/** Pods that no longer tolerate the taints of their nodes, and that nobody has told to go. */
export function overduePods(world: World, nodes: NodeStates): readonly Lack[] {
  const nowMs = world.clock.monotonicMs();
  return podsIn(world.server.parts.store).flatMap((pod) => {
    if (pod.metadata.deletionTimestamp !== undefined) return [];
    const { node, taints } = nodes.now(pod.spec?.nodeName ?? "");
    const times = taints.map(({ taint, sinceMs }) => ({ forMs: toleratedMs(pod, taint), sinceMs, taint }));
    const dueMs = Math.min(
      ...times.map(
        ({ forMs, sinceMs }) =>
          Math.max(sinceMs, forMs === 0 ? 0 : nodes.boundMs(pod)) +
          forMs * (1 + CLOCK_RATE) +
          EVICTION_SLACK_MS,
      ),
    );
    if (node === undefined || dueMs > nowMs) return [];
    const tolerations = JSON.stringify(pod.spec?.tolerations);
    const key = [pod.metadata.uid, node.metadata.uid, world.leader?.name, dueMs, tolerations].join(" ");
    const text = `${pod.metadata.name} does not tolerate ${times.map(({ taint }) => taint.key).join()} of ${node.metadata.name}`;
    const longestMs = Math.max(0, ...times.map(({ forMs }) => forMs).filter(Number.isFinite));
    return [{ key, text, patienceMs: Math.ceil((longestMs * CLOCKS) / 10_000) * 10_000 + PROMPT_MS }];
  });
}

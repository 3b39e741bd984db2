import { isRestartableInitContainer } from "../../api/pod.ts";
import { parseQuantity } from "../../api/quantity-parse.ts";
import type { Container, Node, Pod } from "../../api/types/core-v1.gen.ts";

/** Amounts by resource, in thousandths of its unit: of a core, of a byte. Doubles are exact enough to place pods by. */
export type Amounts = ReadonlyMap<string, number>;

/**
 * What a pod needs of a node: its containers together with its sidecars, or more where one of the init containers needs
 * more while it runs, and the overhead.
 */
export function podRequests(pod: Pod): Amounts {
  const total = new Map<string, number>();
  const sidecars = new Map<string, number>();
  const peak = new Map<string, number>();
  for (const container of pod.spec?.initContainers ?? []) {
    const requests = containerRequests(container);
    if (isRestartableInitContainer(container)) {
      addInto(sidecars, requests);
      raiseTo(peak, sidecars);
    } else raiseTo(peak, sumOf(sidecars, requests));
  }
  for (const container of pod.spec?.containers ?? []) addInto(total, containerRequests(container));
  addInto(total, sidecars);
  raiseTo(total, peak);
  addInto(total, amountsOf(pod.spec?.overhead));
  return total;
}

function amountsOf(list: Readonly<Record<string, string>> | undefined): Amounts {
  return new Map(Object.entries(list ?? {}).map(([name, text]) => [name, parseQuantity(text).milliValue()]));
}

const rooms = new WeakMap<Node, Amounts>();

/** What the node has for pods. Remembered, as every pod is held against every node. */
export function roomOf(node: Node): Amounts {
  let room = rooms.get(node);
  if (room === undefined) {
    room = amountsOf(node.status?.allocatable);
    rooms.set(node, room);
  }
  return room;
}

export function addInto(target: Map<string, number>, amounts: Amounts, sign: 1 | -1 = 1): void {
  for (const [name, amount] of amounts) target.set(name, (target.get(name) ?? 0) + sign * amount);
}

function containerRequests(container: Container): Amounts {
  const { requests, limits } = container.resources ?? {};
  return amountsOf({ ...limits, ...requests });
}

function raiseTo(target: Map<string, number>, floor: Amounts): void {
  for (const [name, amount] of floor) target.set(name, Math.max(target.get(name) ?? 0, amount));
}

function sumOf(one: Amounts, other: Amounts): Amounts {
  const sum = new Map(one);
  addInto(sum, other);
  return sum;
}

import type { Container, PodSpec } from "../types/core-v1.gen.ts";
import { addAmounts, type Amounts, maxAmounts, parseAmounts } from "./amounts.ts";

type List = "requests" | "limits";

const podLevelResource = (name: string): boolean =>
  name === "cpu" || name === "memory" || name.startsWith("hugepages-");

/**
 * What a pod needs of each resource: its containers and sidecars together, or more when an init container beside the
 * sidecars started before it needs more, and its overhead. Resources of the pod as a whole replace what they name.
 */
export function podRequests(spec: PodSpec): Amounts {
  return podAmounts(spec, "requests");
}

export function podLimits(spec: PodSpec): Amounts {
  return podAmounts(spec, "limits");
}

function podAmounts(spec: PodSpec, list: List): Amounts {
  const of = (container: Container): Amounts => parseAmounts(container.resources?.[list]);
  let sidecars: Amounts = new Map();
  let starting: Amounts = new Map();
  for (const container of spec.initContainers ?? []) {
    const own = of(container);
    if (container.restartPolicy === "Always") {
      sidecars = addAmounts(sidecars, own);
      starting = maxAmounts(starting, sidecars);
    } else starting = maxAmounts(starting, addAmounts(own, sidecars));
  }
  let running = sidecars;
  for (const container of spec.containers) running = addAmounts(running, of(container));
  const total = new Map(maxAmounts(running, starting));
  for (const [name, quantity] of parseAmounts(spec.resources?.[list])) {
    if (podLevelResource(name)) total.set(name, quantity);
  }
  const overhead = parseAmounts(spec.overhead);
  if (list === "requests") return addAmounts(total, overhead);
  // Overhead adds to limits that are there; it does not make a limit.
  return addAmounts(total, new Map([...overhead].filter(([name]) => total.has(name))));
}

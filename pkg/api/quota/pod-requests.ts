import type { ResourceRequirements } from "../types/core-v1.gen.ts";
import { addAmounts, type Amounts, type AmountTexts, maxAmounts, parseAmounts } from "./amounts.ts";
import type { CountedPod } from "./fields.ts";

type List = "requests" | "limits";
type Spec = Pick<NonNullable<CountedPod["spec"]>, "containers" | "initContainers" | "resources" | "overhead">;
type Status = CountedPod["status"];

const podLevelResource = (name: string): boolean =>
  name === "cpu" || name === "memory" || name.startsWith("hugepages-");

/**
 * What a pod needs of each resource: its containers and sidecars together, or more when an init container beside the
 * sidecars started before it needs more, and its overhead. Resources of the pod as a whole replace what they name.
 * With a status, what a resize has not taken away yet counts too.
 */
export function podRequests(spec: Spec, status?: Status): Amounts {
  return podAmounts(spec, status, "requests");
}

export function podLimits(spec: Spec, status?: Status): Amounts {
  return podAmounts(spec, status, "limits");
}

function podAmounts(spec: Spec, status: Status, list: List): Amounts {
  const held = heldByContainers(status);
  const of = (container: Spec["containers"][number], isLongRunning: boolean): Amounts => {
    const own = parseAmounts(container.resources?.[list]);
    const actual = isLongRunning ? held.get(container.name) : undefined;
    return actual === undefined ? own : effectiveAmounts(own, actual, list, isInfeasible(status));
  };
  let sidecars: Amounts = new Map();
  let starting: Amounts = new Map();
  for (const container of spec.initContainers ?? []) {
    const isSidecar = container.restartPolicy === "Always";
    const own = of(container, isSidecar);
    if (isSidecar) {
      sidecars = addAmounts(sidecars, own);
      starting = maxAmounts(starting, sidecars);
    } else starting = maxAmounts(starting, addAmounts(own, sidecars));
  }
  let running = sidecars;
  for (const container of spec.containers) running = addAmounts(running, of(container, true));
  const total = new Map(maxAmounts(running, starting));
  for (const [name, quantity] of parseAmounts(spec.resources?.[list])) {
    if (podLevelResource(name)) total.set(name, quantity);
  }
  const overhead = parseAmounts(spec.overhead);
  if (list === "requests") return addAmounts(total, overhead);
  // Overhead adds to limits that are there; it does not make a limit.
  return addAmounts(total, new Map([...overhead].filter(([name]) => total.get(name)?.isZero() === false)));
}

/** What the kubelet has given a container. */
interface Held {
  readonly resources: ResourceRequirements;
  readonly allocatedResources?: AmountTexts;
}

function heldByContainers(status: Status): ReadonlyMap<string, Held> {
  const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
  return new Map(
    statuses.flatMap(({ name, resources, allocatedResources }) =>
      resources === undefined
        ? []
        : [[name, { resources, ...(allocatedResources && { allocatedResources }) }]],
    ),
  );
}

/** Until a resize is done the larger counts; one that the node can never do does not count. */
function effectiveAmounts(own: Amounts, held: Held, list: List, infeasible: boolean): Amounts {
  const actual = parseAmounts(held.resources[list]);
  const given = list === "requests" ? maxAmounts(actual, parseAmounts(held.allocatedResources)) : actual;
  return infeasible ? given : maxAmounts(own, given);
}

function isInfeasible(status: Status): boolean {
  const pending = status?.conditions?.find(({ type }) => type === "PodResizePending");
  return pending?.reason === "Infeasible";
}

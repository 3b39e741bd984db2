import { selectorFromLabels } from "../api/labels.ts";
import type { Pod, Service } from "../api/types/core-v1.gen.ts";
import type { Lister } from "../cache/lister.ts";
import type { Clock } from "../clock/clock.ts";

/** Selecting among so many can take 5 ms and more. */
const MANY = 10_000;

/**
 * The pods that a Service selects, all at one moment. Where there are many, that moment is in a turn of the event loop
 * that others have not used up: all controllers that look at them are told of a change in the same one.
 */
export async function selectPods(service: Service, pods: Lister<Pod>, clock: Clock): Promise<readonly Pod[]> {
  const namespace = service.metadata.namespace ?? "";
  if (pods.inNamespace(namespace).length >= MANY) await clock.turn();
  return pods.inNamespace(namespace, selectorFromLabels(service.spec?.selector));
}

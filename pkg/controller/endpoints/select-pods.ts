import { selectorFromLabels } from "../../api/labels.ts";
import type { Stored } from "../../api/object.ts";
import type { Lister } from "../../cache/store/lister.ts";
import type { Clock } from "../../clock/clock.ts";
import { turnFor } from "../../clock/turns.ts";
import type { BackingPod, BackedService } from "../../endpoints/backing-pods.ts";

/**
 * The pods that a Service selects, all at one moment. Where there are many, that moment is in a turn of the event loop
 * that others have not used up: all controllers that look at them are told of a change in the same one.
 */
export async function selectPods(
  service: BackedService,
  pods: Lister<BackingPod>,
  clock: Clock,
): Promise<readonly Stored<BackingPod>[]> {
  const namespace = service.metadata.namespace ?? "";
  await turnFor(pods.inNamespace(namespace).length, clock);
  return pods.inNamespace(namespace, selectorFromLabels(service.spec?.selector));
}

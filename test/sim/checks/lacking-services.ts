import { resources } from "../../../pkg/api/resources.ts";
import type { PodDisruptionBudget } from "../../../pkg/api/types/policy-v1.gen.ts";
import type { Store } from "../../../pkg/apiserver/storage/store.ts";
import { objectsIn, podsIn } from "../world/objects.ts";
import { checkBudgets } from "./desired-budgets.ts";
import { checkEndpoints } from "./desired-endpoints.ts";
import { Differences } from "./differences.ts";
import type { Lack } from "./lacks.ts";

/**
 * Services and budgets that do not say what their pods are. What they should say is clear only while no pod is on its way
 * out, by a deletion, an eviction or the loss of its node. A StatefulSet that is refused a name has no pod that would tell
 * its budget of another size.
 */
export function lackingServices(store: Store, refused: ReadonlySet<string>): readonly Lack[] {
  const pods = podsIn(store);
  const nodes = new Set(objectsIn(store, resources.nodes).map(({ metadata }) => metadata.name));
  const budgets = objectsIn<PodDisruptionBudget>(store, resources.podDisruptionBudgets);
  const isClear =
    pods.every(
      ({ metadata, spec }) =>
        metadata.deletionTimestamp === undefined &&
        (spec?.nodeName === undefined || nodes.has(spec.nodeName)),
    ) && budgets.every(({ status }) => Object.keys(status?.disruptedPods ?? {}).length === 0);
  if (!isClear) return [];
  const found = new Differences();
  checkEndpoints(found, store, pods);
  if (refused.size === 0) checkBudgets(found, store, pods);
  return found.lines.map((line) => ({ key: line, text: line }));
}

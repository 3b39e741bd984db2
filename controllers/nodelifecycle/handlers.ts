import { keyOf, type Stored } from "../../pkg/api/object.ts";
import type { Wake } from "../../pkg/controller/cache.ts";
import type { Change } from "../../pkg/controller/change.ts";
import type { CachedNode, CachedPod } from "./fields.ts";

/** Nodes report every few seconds, and most reports change nothing but times: they wake nobody. */
export function whatMattersOfANode(change: Change<CachedNode>, wake: Wake): void {
  if (change.type === "deleted") return;
  if (change.type === "updated" && !change.resync && isAlike(change.before, change.object)) return;
  wake(keyOf(change.object));
}

function isAlike(one: Stored<CachedNode>, other: Stored<CachedNode>): boolean {
  const isSame = one.spec?.unschedulable === other.spec?.unschedulable && areSameLabels(one, other);
  return isSame && areSameTaints(one, other) && areSameConditions(one, other);
}

function areSameLabels(
  { metadata: { labels = {} } }: CachedNode,
  { metadata: { labels: others = {} } }: CachedNode,
): boolean {
  const names = Object.keys(labels);
  return names.length === Object.keys(others).length && names.every((name) => labels[name] === others[name]);
}

function areSameTaints({ spec: one }: CachedNode, { spec: other }: CachedNode): boolean {
  const [taints, others] = [one?.taints ?? [], other?.taints ?? []];
  return (
    taints.length === others.length &&
    taints.every(({ key, effect }, index) => key === others[index]?.key && effect === others[index]?.effect)
  );
}

function areSameConditions({ status: one }: CachedNode, { status: other }: CachedNode): boolean {
  const [conditions, others] = [one?.conditions ?? [], other?.conditions ?? []];
  return (
    conditions.length === others.length &&
    conditions.every(
      ({ type, status }, index) => type === others[index]?.type && status === others[index]?.status,
    )
  );
}

/** A pod that comes to a node. Those that were there from the start are looked at by the first round. */
export function podThatComesToANode(change: Change<CachedPod>, wake: Wake): void {
  const nodeName = change.object.spec?.nodeName ?? "";
  if (nodeName === "" || change.type === "deleted") return;
  if (change.type === "added" && change.listed) return;
  if (change.type === "updated" && change.before.spec?.nodeName === nodeName) return;
  wake(keyOf(change.object));
}

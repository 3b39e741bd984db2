import { selectorFromSpec } from "../../pkg/api/label-selector.ts";
import { keyOf, type PartialObject } from "../../pkg/api/object.ts";
import type { Deployment, ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Cache, WakeRule } from "../../pkg/controller/cache.ts";
import type { OwnedObjects } from "../../pkg/controller/owned-objects.ts";
import { managerOf } from "../../pkg/controller/owner-lookup.ts";
import { ownedBy } from "../../pkg/controller/controller-index.ts";
import { selectsBy } from "../../pkg/controller/pod-rule.ts";
import type { OwningRule } from "../../pkg/controller/wake-rules.ts";

/** Which Deployments would adopt a ReplicaSet without owner, and are woken by it. */
export const itsDeployment: OwningRule<Deployment, ReplicaSet> = {
  selects: selectsBy(({ spec }) => selectorFromSpec(spec?.selector)),
};

interface Caches {
  readonly deployments: Pick<Cache<Deployment>, "lister">;
  readonly replicaSets: Pick<Cache<ReplicaSet>, "lister">;
  readonly pods: Pick<Cache<PartialObject>, "lister">;
  readonly owned: Pick<OwnedObjects<Deployment, ReplicaSet, ReplicaSet>, "ownedBy">;
}

/** A Deployment that recreates waits for the end of its last old pod: nothing else would tell it of that. */
export function podRule({ deployments, replicaSets, pods, owned }: Caches): WakeRule<PartialObject> {
  return (change, wake) => {
    if (change.type !== "deleted") return;
    const replicaSet = managerOf(replicaSets.lister, "ReplicaSet", change.object);
    const owner = replicaSet && managerOf(deployments.lister, "Deployment", replicaSet);
    if (owner?.spec?.strategy?.type !== "Recreate") return;
    const podsLeft = owned
      .ownedBy(owner)
      .some((sibling) => ownedBy(pods.lister, sibling, "ReplicaSet").length > 0);
    if (!podsLeft) wake(keyOf(owner));
  };
}

import { keyOf } from "../../../pkg/api/object.ts";
import { isPodTerminal } from "../../../pkg/api/pod.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { ResourceQuota } from "../../../pkg/api/types/core-v1.gen.ts";
import type { Store } from "../../../pkg/apiserver/storage/store.ts";
import { objectsIn, podsIn } from "../world/objects.ts";
import type { Lack } from "./lacks.ts";

/** Namespaces that are being deleted, and whose last pod is gone. */
export function lackingNamespaces(store: Store): readonly Lack[] {
  const pods = podsIn(store);
  return objectsIn(store, resources.namespaces)
    .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
    .filter(({ metadata: { name } }) => !pods.some(({ metadata }) => metadata.namespace === name))
    .map(({ metadata: { name, uid = "" } }) => ({
      key: uid,
      text: `${name} has no pods and is still there`,
    }));
}

/** Quotas that count other pods than there are. */
export function lackingQuotas(store: Store): readonly Lack[] {
  const pods = podsIn(store);
  return objectsIn<ResourceQuota>(store, resources.resourceQuotas).flatMap((quota) => {
    const { namespace, uid } = quota.metadata ?? {};
    const count = pods.filter((pod) => pod.metadata.namespace === namespace && !isPodTerminal(pod)).length;
    const used = quota.status?.used?.["pods"];
    if (quota.spec?.hard?.["pods"] === undefined || Number(used) === count) return [];
    const text = `${keyOf(quota)} counts ${used} pods, and there are ${count}`;
    return [{ key: `${uid} ${quota.metadata?.generation} ${used} ${count}`, text }];
  });
}

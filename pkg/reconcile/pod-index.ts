import type { ApiObject } from "../api/object.ts";
import { controllerOf } from "../api/owner-references.ts";
import type { Pod } from "../api/types/core-v1.gen.ts";
import type { Lister } from "../cache/lister.ts";

/**
 * Pods by the object that manages them, and by namespace for those that nobody does. Every controller that owns pods
 * asks for this index under this name, so that the shared cache keeps it once.
 */
export const POD_CONTROLLER_INDEX = "podController";

export function podControllerIndex(pod: ApiObject): readonly string[] {
  const controller = controllerOf(pod);
  return [indexValue(pod.metadata.namespace ?? "", controller?.kind, controller?.name, controller?.uid)];
}

/** The pods that the owner manages, then those of its namespace that nobody manages and that it may adopt. */
export function ownedAndOrphanedPods(pods: Lister<Pod>, owner: ApiObject, kind: string): readonly Pod[] {
  return [...ownedPods(pods, owner, kind), ...pods.byIndex(POD_CONTROLLER_INDEX, orphansOf(owner))];
}

/** The pods that the owner manages. */
export function ownedPods(pods: Lister<Pod>, owner: ApiObject, kind: string): readonly Pod[] {
  const { namespace = "", name, uid } = owner.metadata;
  return pods.byIndex(POD_CONTROLLER_INDEX, indexValue(namespace, kind, name, uid));
}

function orphansOf(owner: ApiObject): string {
  return indexValue(owner.metadata.namespace ?? "", undefined, undefined, undefined);
}

function indexValue(
  namespace: string,
  kind: string | undefined,
  name: string | undefined,
  uid: string | undefined,
): string {
  return uid === undefined ? `${namespace}/` : `${namespace}/${kind}/${name}/${uid}`;
}

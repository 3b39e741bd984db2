import type { ApiObject } from "../api/object.ts";
import { resources } from "../api/resources.ts";
import type { Pod } from "../api/types/core-v1.gen.ts";
import type { Lister } from "../cache/lister.ts";
import { controllerIndex, controllerIndexOf, orphansBeside, ownedBy } from "./controller-index.ts";

/** Every controller that owns pods asks for this index under this name, so that the shared cache keeps it once. */
export const POD_CONTROLLER_INDEX = controllerIndexOf(resources.pods);

export const podControllerIndex = controllerIndex;

/** The pods that the owner manages, then those of its namespace that nobody manages and that it may adopt. */
export function ownedAndOrphanedPods(pods: Lister<Pod>, owner: ApiObject, kind: string): readonly Pod[] {
  return [...ownedPods(pods, owner, kind), ...orphansBeside(pods, POD_CONTROLLER_INDEX, owner)];
}

/** The pods that the owner manages. */
export function ownedPods(pods: Lister<Pod>, owner: ApiObject, kind: string): readonly Pod[] {
  return ownedBy(pods, POD_CONTROLLER_INDEX, owner, kind);
}

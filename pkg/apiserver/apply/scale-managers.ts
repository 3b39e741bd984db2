import type { ManagedFieldsEntry } from "../../api/object.ts";
import type { Steps } from "../../api/steps.ts";
import { difference, hasPath, isEmptySet, setOfPaths } from "./field-set.ts";
import { decodeManagers, encodeManagers, type Manager, managerId, type Managers } from "./managers.ts";
import { fieldElement } from "./path-element.ts";

export const SCALE_VERSION = "autoscaling/v1";

/**
 * Where a version of the parent has its replicas: "none" where it has no scale, undefined for versions that are not
 * known.
 */
export type ReplicasPath = (apiVersion: string) => readonly string[] | "none" | undefined;

type Entries = readonly ManagedFieldsEntry[] | undefined;

const inScale = setOfPaths([["spec", "replicas"].map(fieldElement)]);
const setOf = (path: readonly string[]): ReturnType<typeof setOfPaths> =>
  setOfPaths([path.map(fieldElement)]);

/** Whether the manager owns the replicas of the object behind the scale. */
function owns({ fields }: Manager, path: readonly string[]): boolean {
  return hasPath(fields, path.map(fieldElement));
}

/** Of those who manage an object: who manages its scale. */
export function* managersOfScale(entries: Entries, pathIn: ReplicasPath): Steps<Managers> {
  const result = new Map<string, Manager>();
  for (const manager of (yield* decodeManagers(entries)).values()) {
    const path = pathIn(manager.apiVersion);
    if (path === undefined || path === "none" || !owns(manager, path)) continue;
    const ofScale: Manager = { ...manager, apiVersion: SCALE_VERSION, fields: inScale };
    result.set(managerId(ofScale), ofScale);
  }
  return result;
}

/**
 * Who manages the object once its scale is managed like this. Whoever loses the replicas there loses them here; whoever
 * wins them is a manager of the version that the request speaks. Those who update the object are others in its scale, by
 * its version: from them the replicas go to somebody of the same name, whom the next write takes for them.
 */
export function* managersOfScaled(
  entries: Entries,
  ofScale: Entries,
  apiVersion: string,
  pathIn: ReplicasPath,
): Steps<Entries> {
  const parents = yield* decodeManagers(entries);
  const scales = new Map(yield* decodeManagers(ofScale));
  const result = new Map<string, Manager>();
  for (const [id, manager] of parents) {
    const path = pathIn(manager.apiVersion);
    if (path === undefined) continue;
    if (path === "none" || !owns(manager, path)) result.set(id, manager);
    else if (scales.delete(id)) result.set(id, manager);
    else {
      const fields = yield* difference(manager.fields, setOf(path));
      if (!isEmptySet(fields)) result.set(id, { ...manager, fields });
    }
  }
  const path = pathIn(apiVersion);
  if (path === undefined || path === "none") return yield* encodeManagers(result);
  for (const [id, manager] of scales) {
    if (!owns(manager, ["spec", "replicas"])) continue;
    // upstream: managedfields/scalehandler.go#ToParent looks for the time among the parent's managers.
    result.set(id, { ...manager, apiVersion, fields: setOf(path), time: parents.get(id)?.time ?? "" });
  }
  return yield* encodeManagers(result);
}

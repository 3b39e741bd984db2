import type { ApiObject } from "../../api/object.ts";
import type { ControllerRevision } from "../../api/types/apps-v1.gen.ts";
import type { Lister } from "../../cache/lister.ts";
import { controllerIndex, orphansBeside, ownedBy } from "../controller-index.ts";

/** Every controller that keeps revisions asks for this index under this name, so that the shared cache keeps it once. */
export const REVISION_CONTROLLER_INDEX = "revisionController";

export const revisionControllerIndex = controllerIndex;

/** The revisions that the owner manages, then those of its namespace that nobody manages and that it may adopt. */
export function ownedAndOrphanedRevisions(
  revisions: Lister<ControllerRevision>,
  owner: ApiObject,
  kind: string,
): readonly ControllerRevision[] {
  return [
    ...ownedBy(revisions, REVISION_CONTROLLER_INDEX, owner, kind),
    ...orphansBeside(revisions, REVISION_CONTROLLER_INDEX, owner),
  ];
}

import { resources } from "../../pkg/api/resources.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { ACTIVE_PODS, heldGroupsOf, POD_FIELDS } from "./group-pods.ts";

/** All that a sync works with. Groups are written back whole. */
export type GroupProtectionContext = ReturnType<typeof groupProtectionContext>;

export function groupProtectionContext(kit: Kit) {
  const pods = kit.reads(resources.pods, { fields: POD_FIELDS });
  pods.addIndex(ACTIVE_PODS, heldGroupsOf);
  return {
    pods,
    groups: kit.reads(resources.podGroups),
    writes: kit.writes(resources.podGroups),
  };
}

import { newControllerRef } from "../../pkg/api/owner-references.ts";
import { podFromTemplate } from "../../pkg/api/pod-template.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { StatefulSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod, PodTemplateSpec } from "../../pkg/api/types/core-v1.gen.ts";
import { withStorage } from "./claims.ts";
import { REVISION_LABEL, withIdentity } from "./identity.ts";
import { isRollingUpdate, partition, startOrdinal } from "./stateful-set.ts";
import type { Stored } from "../../pkg/api/object.ts";

/** A draft of the pod of this place, made from a revision's template. It has no uid and no phase yet. */
export function newPod(
  set: Stored<StatefulSet>,
  template: PodTemplateSpec,
  revisionName: string,
  ordinal: number,
): Pod {
  const bare = podFromTemplate(template, set, newControllerRef(set, resources.statefulSets));
  const { metadata, spec } = withIdentity(set, bare, ordinal, { [REVISION_LABEL]: revisionName });
  const { serviceName = "" } = set.spec ?? {};
  return withStorage(set, {
    ...bare,
    metadata,
    spec: {
      ...spec,
      containers: spec?.containers ?? [],
      // Set only here: both are immutable once the pod exists.
      hostname: metadata.name ?? "",
      ...(serviceName !== "" && { subdomain: serviceName }),
    },
  });
}

/**
 * Whether a pod of this place is still made from the current revision. With a partition, those before it are; without
 * any (a strategy that names no rolling update), as many as there are of the current revision.
 */
export function staysAtCurrentRevision(set: Stored<StatefulSet>, ordinal: number): boolean {
  const place = ordinal - startOrdinal(set);
  if (set.spec?.updateStrategy?.rollingUpdate !== undefined) return place < partition(set);
  return isRollingUpdate(set) && place < (set.status?.currentReplicas ?? 0);
}

import { computeHash } from "../../pkg/api/hash.ts";
import { newControllerRef } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Deployment, ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import { currentAnnotations, nextRevision, sizeAnnotations } from "./annotations.ts";
import { POD_TEMPLATE_HASH } from "./replica-sets.ts";
import { currentSize } from "./rolling.ts";
import type { Stored } from "../../pkg/api/object.ts";

const LONGEST_NAME = 253;

/**
 * The ReplicaSet of the Deployment's current template. Its name follows from the template, so that creating it twice
 * fails the second time; `collisionCount` makes for another name when that one is taken by another template.
 */
export function newReplicaSet(
  deployment: Stored<Deployment>,
  old: readonly Stored<ReplicaSet>[],
): ReplicaSet {
  const { name, namespace } = deployment.metadata;
  const template = deployment.spec?.template ?? {};
  const hash = computeHash(template, deployment.status?.collisionCount);
  const labels = { ...template.metadata?.labels, [POD_TEMPLATE_HASH]: hash };
  const selector = deployment.spec?.selector;
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: replicaSetName(name, hash),
      namespace,
      ownerReferences: [newControllerRef(deployment, resources.deployments)],
      labels,
      annotations: {
        ...currentAnnotations(deployment, {}, nextRevision(old)),
        ...sizeAnnotations(deployment),
      },
    },
    spec: {
      replicas: currentSize(deployment, old, 0),
      ...(deployment.spec?.minReadySeconds !== undefined && {
        minReadySeconds: deployment.spec.minReadySeconds,
      }),
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [POD_TEMPLATE_HASH]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

/** The hash is kept whole; a name that would become too long is cut, if anything of it can be kept at all. */
export function replicaSetName(deploymentName: string, hash: string): string {
  const room = LONGEST_NAME - hash.length - 1;
  return `${room > 0 ? deploymentName.slice(0, room) : deploymentName}-${hash}`;
}

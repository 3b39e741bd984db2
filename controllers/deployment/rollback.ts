import { parseInt64 } from "../../pkg/api/int64.ts";
import type { Deployment, ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import { lastRevision, revisionOf, ROLLBACK_TO, rolledBackAnnotations } from "./annotations.ts";
import { sameTemplate, templateOf, withoutHash } from "./replica-sets.ts";
import type { Stored } from "../../pkg/api/object.ts";

/** What becomes of a Deployment that is asked to go back: the object to write, and what to tell the user. */
export interface RollbackPlan {
  readonly deployment: Stored<Deployment>;
  readonly event: { readonly type: "Normal" | "Warning"; readonly reason: string; readonly message: string };
}

/**
 * The revision that the Deployment is asked to go back to, 0 meaning the one before the current. The annotation is what
 * the retired API's field of that name was turned into; `kubectl rollout undo` writes the template itself.
 */
export function rollbackTarget(deployment: Stored<Deployment>): bigint | undefined {
  return parseInt64(deployment.metadata.annotations?.[ROLLBACK_TO] ?? "");
}

/** Whatever comes of it, the request is taken off the Deployment, so that it is not followed twice. */
export function decideRollback(
  deployment: Stored<Deployment>,
  all: readonly Stored<ReplicaSet>[],
  target: bigint,
): RollbackPlan {
  const revision = target === 0n ? lastRevision(all) : target;
  if (revision === 0n) return notFound(deployment, "Unable to find last revision.");
  const replicaSet = all.find((candidate) => revisionOf(candidate) === revision);
  if (replicaSet === undefined) return notFound(deployment, "Unable to find the revision to rollback to.");
  const { name } = deployment.metadata;
  const template = withoutHash(templateOf(replicaSet));
  if (template === undefined || sameTemplate(template, deployment.spec?.template)) {
    const message = `The rollback revision contains the same template as current deployment ${JSON.stringify(name)}`;
    return {
      deployment: withoutRequest(deployment),
      event: { type: "Warning", reason: "DeploymentRollbackTemplateUnchanged", message },
    };
  }
  const annotations = rolledBackAnnotations(deployment, replicaSet);
  const message = `Rolled back deployment ${JSON.stringify(name)} to revision ${revision}`;
  return {
    deployment: withoutRequest({
      ...deployment,
      metadata: { ...deployment.metadata, annotations },
      ...(deployment.spec && { spec: { ...deployment.spec, template } }),
    }),
    event: { type: "Normal", reason: "DeploymentRollback", message },
  };
}

function notFound(deployment: Stored<Deployment>, message: string): RollbackPlan {
  const event = { type: "Warning", reason: "DeploymentRollbackRevisionNotFound", message } as const;
  return { deployment: withoutRequest(deployment), event };
}

function withoutRequest(deployment: Stored<Deployment>): Stored<Deployment> {
  const { [ROLLBACK_TO]: _, ...annotations } = deployment.metadata.annotations ?? {};
  return { ...deployment, metadata: { ...deployment.metadata, annotations } };
}

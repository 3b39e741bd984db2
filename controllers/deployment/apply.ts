import { messageOf, throwAfter } from "../../pkg/api/errors.ts";
import { keyOf, type ObjectRef } from "../../pkg/api/object.ts";
import { isControlledBy } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type {
  Deployment,
  DeploymentCondition,
  DeploymentStatus,
  ReplicaSet,
} from "../../pkg/api/types/apps-v1.gen.ts";
import { isAlreadyExists, isNamespaceTerminating } from "../../pkg/client/errors.ts";
import { isGone } from "../../pkg/controller/read-live.ts";
import { hasSizeAnnotations, REVISION, sizeAnnotations } from "./annotations.ts";
import { newCondition, PROGRESSING, REPLICA_SET_CREATE_ERROR, withCondition } from "./conditions.ts";
import type { DeploymentContext, Round } from "./context.ts";
import { sameTemplate, sizeOf, templateOf } from "./replica-sets.ts";
import type { ScaleStep } from "./scaling.ts";
import { progressDeadlineSeconds } from "./strategy.ts";

/** Gives the steps to the server one by one; the round that comes back holds its answers. Stops at the first failure. */
export async function scaleReplicaSets(
  context: DeploymentContext,
  round: Round,
  steps: readonly ScaleStep[],
  signal: AbortSignal,
): Promise<Round> {
  let next = round;
  for (const step of steps) {
    const scaled = await scaleReplicaSet(context, round.deployment, step, signal);
    next = replaceReplicaSet(next, step.replicaSet, scaled);
  }
  return next;
}

async function scaleReplicaSet(
  context: DeploymentContext,
  deployment: Deployment,
  step: ScaleStep,
  signal: AbortSignal,
): Promise<ReplicaSet> {
  const { replicaSet, size } = step;
  const before = sizeOf(replicaSet);
  const refresh = step.refreshAnnotations && !hasSizeAnnotations(deployment, replicaSet);
  if (before === size && !refresh) return replicaSet;
  const annotations = { ...replicaSet.metadata.annotations, ...sizeAnnotations(deployment) };
  const updated = await updateReplicaSet(
    context,
    deployment,
    {
      ...replicaSet,
      metadata: { ...replicaSet.metadata, annotations },
      ...(replicaSet.spec && { spec: { ...replicaSet.spec, replicas: size } }),
    },
    signal,
  );
  if (before !== size) {
    const direction = before < size ? "up" : "down";
    const message = `Scaled ${direction} replica set ${updated.metadata.name} from ${before} to ${size}`;
    context.events.event(deployment, "Normal", "ScalingReplicaSet", message);
  }
  return updated;
}

export async function updateReplicaSet(
  context: DeploymentContext,
  deployment: Deployment,
  replicaSet: ReplicaSet,
  signal: AbortSignal,
): Promise<ReplicaSet> {
  const updated = await context.replicaSetClient.update(replicaSet, {}, signal);
  recordWrite(context, deployment, updated);
  return updated;
}

export async function deleteReplicaSets(
  context: DeploymentContext,
  replicaSets: readonly ReplicaSet[],
  signal: AbortSignal,
): Promise<void> {
  for (const replicaSet of replicaSets) {
    const { uid } = replicaSet.metadata;
    // An old one's name may be that of a current one by now: a user has deleted the old one and gone back.
    const only = uid === undefined ? {} : { preconditions: { uid } };
    try {
      await context.replicaSetClient.delete(refOf(replicaSet), only, signal);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
}

/** Writes status and, as the server lets one do in the same request, the revision annotation. */
export async function writeStatus(
  context: DeploymentContext,
  deployment: Deployment,
  status: DeploymentStatus,
  signal: AbortSignal,
): Promise<Deployment> {
  const updated = await context.deploymentClient.updateStatus({ ...deployment, status }, {}, signal);
  context.consistency.wroteOwner(resources.deployments, updated);
  return updated;
}

export async function updateDeployment(
  context: DeploymentContext,
  deployment: Deployment,
  signal: AbortSignal,
): Promise<void> {
  const updated = await context.deploymentClient.update(deployment, {}, signal);
  context.consistency.wroteOwner(resources.deployments, updated);
}

/** Writes revision and condition to the Deployment, if it does not have both. */
export async function recordRevision(
  context: DeploymentContext,
  deployment: Deployment,
  revision: string | undefined,
  condition: DeploymentCondition | undefined,
  signal: AbortSignal,
): Promise<Deployment> {
  const { annotations } = deployment.metadata;
  const before = deployment.status?.conditions ?? [];
  // A ReplicaSet may be created again before the condition has told of anything after the first.
  const conditions = condition === undefined ? before : withCondition(before, condition);
  if (conditions === before && annotations?.[REVISION] === revision) return deployment;
  const annotated: Deployment = {
    ...deployment,
    metadata: {
      ...deployment.metadata,
      annotations: { ...annotations, ...(revision !== undefined && { [REVISION]: revision }) },
    },
  };
  const status: DeploymentStatus = {
    ...deployment.status,
    ...(conditions !== before && { conditions }),
  };
  return writeStatus(context, annotated, status, signal);
}

export interface Creation {
  readonly replicaSet: ReplicaSet;
  /** False when the very ReplicaSet was there already, only not in the cache that the decision was made on. */
  readonly created: boolean;
}

/** Creates the ReplicaSet. When the name is taken by another template, the Deployment gets another try under another. */
export async function createReplicaSet(
  context: DeploymentContext,
  deployment: Deployment,
  replicaSet: ReplicaSet,
  signal: AbortSignal,
): Promise<Creation> {
  try {
    const created = await context.replicaSetClient.create(replicaSet, {}, signal);
    recordWrite(context, deployment, created);
    const size = sizeOf(created);
    if (size > 0) {
      const message = `Scaled up replica set ${created.metadata.name} from 0 to ${size}`;
      context.events.event(deployment, "Normal", "ScalingReplicaSet", message);
    }
    return { replicaSet: created, created: true };
  } catch (error) {
    signal.throwIfAborted();
    if (isAlreadyExists(error)) {
      return {
        replicaSet: await resolveCollision(context, deployment, replicaSet, error, signal),
        created: false,
      };
    }
    // In a namespace that is going away every create fails, and nobody needs to be told.
    if (isNamespaceTerminating(error)) throw error;
    return throwAfter(error, async () => reportFailedCreate(context, deployment, replicaSet, error, signal));
  }
}

/** The ReplicaSet under that name if it is this Deployment's and of this template; otherwise counts a collision. */
async function resolveCollision(
  context: DeploymentContext,
  deployment: Deployment,
  wanted: ReplicaSet,
  conflict: unknown,
  signal: AbortSignal,
): Promise<ReplicaSet> {
  const { namespace, name = "" } = wanted.metadata;
  const existing =
    context.replicaSets.get(namespace, name) ?? (await readReplicaSet(context, wanted, signal));
  if (isControlledBy(existing, deployment) && sameTemplate(templateOf(existing), deployment.spec?.template)) {
    return existing;
  }
  const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
  return throwAfter(conflict, async () =>
    writeStatus(context, deployment, { ...deployment.status, collisionCount }, signal),
  );
}

async function readReplicaSet(
  context: DeploymentContext,
  replicaSet: ReplicaSet,
  signal: AbortSignal,
): Promise<ReplicaSet> {
  return context.replicaSetClient.get(refOf(replicaSet), {}, signal);
}

async function reportFailedCreate(
  context: DeploymentContext,
  deployment: Deployment,
  replicaSet: ReplicaSet,
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
  const name = JSON.stringify(replicaSet.metadata.name);
  const message = `Failed to create new replica set ${name}: ${messageOf(error)}`;
  context.events.event(deployment, "Warning", REPLICA_SET_CREATE_ERROR, message);
  if (progressDeadlineSeconds(deployment) === undefined) return;
  const condition = newCondition(
    PROGRESSING,
    "False",
    REPLICA_SET_CREATE_ERROR,
    message,
    context.clock.nowMs(),
  );
  const conditions = withCondition(deployment.status?.conditions ?? [], condition);
  if (conditions === deployment.status?.conditions) return;
  await writeStatus(context, deployment, { ...deployment.status, conditions }, signal);
}

function recordWrite(context: DeploymentContext, deployment: Deployment, replicaSet: ReplicaSet): void {
  const { uid = "" } = deployment.metadata;
  const version = replicaSet.metadata.resourceVersion;
  context.consistency.wroteAt(keyOf(deployment), uid, resources.replicaSets, version);
}

function replaceReplicaSet(round: Round, before: ReplicaSet, after: ReplicaSet): Round {
  if (round.current === before) return { ...round, current: after };
  return { ...round, old: round.old.map((replicaSet) => (replicaSet === before ? after : replicaSet)) };
}

function refOf(replicaSet: ReplicaSet): ObjectRef {
  const { namespace = "", name = "" } = replicaSet.metadata;
  return { namespace, name };
}

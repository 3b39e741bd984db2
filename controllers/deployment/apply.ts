import { messageOf, throwAfter } from "../../pkg/api/errors.ts";
import { isControlledBy } from "../../pkg/api/owner-references.ts";
import type {
  Deployment,
  DeploymentCondition,
  DeploymentStatus,
  ReplicaSet,
} from "../../pkg/api/types/apps-v1.gen.ts";
import { isAlreadyExists, isNamespaceTerminating } from "../../pkg/client/errors.ts";
import type { OwnerSync } from "../../pkg/controller/sync.ts";
import { hasSizeAnnotations, REVISION, sizeAnnotations } from "./annotations.ts";
import { newCondition, PROGRESSING, REPLICA_SET_CREATE_ERROR, withCondition } from "./conditions.ts";
import type { DeploymentContext } from "./context.ts";
import { type Round, sameTemplate, sizeOf, templateOf } from "./replica-sets.ts";
import type { ScaleStep } from "./scaling.ts";
import { progressDeadlineSeconds } from "./strategy.ts";
import type { Stored } from "../../pkg/api/object.ts";

type Sync = OwnerSync<Deployment>;

/** Gives the steps to the server one by one; the round that comes back holds its answers. Stops at the first failure. */
export async function scaleReplicaSets(
  sync: Sync,
  context: DeploymentContext,
  round: Round,
  steps: readonly ScaleStep[],
): Promise<Round> {
  let next = round;
  for (const step of steps) {
    const scaled = await scaleReplicaSet(sync, context, round.deployment, step);
    next = replaceReplicaSet(next, step.replicaSet, scaled);
  }
  return next;
}

async function scaleReplicaSet(
  sync: Sync,
  { owned, events }: DeploymentContext,
  deployment: Stored<Deployment>,
  { replicaSet, size, reason, refreshAnnotations }: ScaleStep,
): Promise<Stored<ReplicaSet>> {
  const before = sizeOf(replicaSet);
  const refresh = refreshAnnotations && !hasSizeAnnotations(deployment, replicaSet);
  if (before === size && !refresh) return replicaSet;
  sync.decided("Scale a ReplicaSet", { replicaSet: replicaSet.metadata.name, before, size, reason });
  const annotations = { ...replicaSet.metadata.annotations, ...sizeAnnotations(deployment) };
  const updated = await owned.update(sync, {
    ...replicaSet,
    metadata: { ...replicaSet.metadata, annotations },
    ...(replicaSet.spec && { spec: { ...replicaSet.spec, replicas: size } }),
  });
  if (before !== size) {
    const direction = before < size ? "up" : "down";
    const message = `Scaled ${direction} replica set ${updated.metadata.name} from ${before} to ${size}`;
    events.event(deployment, "Normal", "ScalingReplicaSet", message);
  }
  return updated;
}

export async function deleteReplicaSets(
  sync: Sync,
  { owned }: DeploymentContext,
  replicaSets: readonly Stored<ReplicaSet>[],
): Promise<void> {
  for (const replicaSet of replicaSets) {
    sync.decided("Delete an old ReplicaSet", { replicaSet: replicaSet.metadata.name });
    await owned.remove(sync, replicaSet);
  }
}

/** Writes status and, as the server lets one do in the same request, the revision annotation. */
export async function writeStatus(
  sync: Sync,
  { writes }: DeploymentContext,
  deployment: Stored<Deployment>,
  status: DeploymentStatus,
): Promise<Stored<Deployment>> {
  return writes.updateStatus(sync, { ...deployment, status });
}

export async function updateDeployment(
  sync: Sync,
  { writes }: DeploymentContext,
  deployment: Stored<Deployment>,
): Promise<void> {
  await writes.update(sync, deployment);
}

/** What is written to a Deployment about its current ReplicaSet. */
export interface RevisionRecord {
  readonly revision: string | undefined;
  readonly condition: DeploymentCondition | undefined;
}

/** Writes revision and condition to the Deployment, if it does not have both. */
export async function recordRevision(
  sync: Sync,
  context: DeploymentContext,
  deployment: Stored<Deployment>,
  { revision, condition }: RevisionRecord,
): Promise<Stored<Deployment>> {
  const { annotations } = deployment.metadata;
  const before = deployment.status?.conditions ?? [];
  // A ReplicaSet may be created while the condition still says that an earlier one was.
  const conditions = condition === undefined ? before : withCondition(before, condition);
  if (conditions === before && annotations?.[REVISION] === revision) return deployment;
  const annotated: Stored<Deployment> = {
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
  return writeStatus(sync, context, annotated, status);
}

export interface Creation {
  readonly replicaSet: Stored<ReplicaSet>;
  /** False when this very ReplicaSet existed already, and the cache had not seen it. */
  readonly created: boolean;
}

/** Creates the ReplicaSet. When one of another template has the name, the next sync tries another name. */
export async function createReplicaSet(
  sync: Sync,
  context: DeploymentContext,
  deployment: Stored<Deployment>,
  wanted: ReplicaSet,
): Promise<Creation> {
  try {
    const created = await context.owned.create(sync, wanted);
    const size = sizeOf(created);
    if (size > 0) {
      const message = `Scaled up replica set ${created.metadata.name} from 0 to ${size}`;
      context.events.event(deployment, "Normal", "ScalingReplicaSet", message);
    }
    return { replicaSet: created, created: true };
  } catch (error) {
    sync.signal.throwIfAborted();
    const refusal = { deployment, wanted, error };
    if (isAlreadyExists(error)) {
      return { replicaSet: await resolveCollision(sync, context, refusal), created: false };
    }
    // In a namespace that is going away every create fails, and nobody needs to be told.
    if (isNamespaceTerminating(error)) throw error;
    return throwAfter(error, async () => reportFailedCreate(sync, context, refusal));
  }
}

/** A ReplicaSet that the server did not create, and why. */
interface Refusal {
  readonly deployment: Stored<Deployment>;
  readonly wanted: ReplicaSet;
  readonly error: unknown;
}

/** The ReplicaSet under that name if it is this Deployment's and of this template; otherwise counts a collision. */
async function resolveCollision(
  sync: Sync,
  context: DeploymentContext,
  { deployment, wanted, error }: Refusal,
): Promise<Stored<ReplicaSet>> {
  const { namespace = "", name = "" } = wanted.metadata;
  const existing =
    context.replicaSets.lister.get(namespace, name) ??
    (await context.replicaSetClient.get({ namespace, name }, {}, sync.signal));
  if (isControlledBy(existing, deployment) && sameTemplate(templateOf(existing), deployment.spec?.template)) {
    return existing;
  }
  const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
  sync.decided("Choose another name, as a ReplicaSet of another template has it", { name, collisionCount });
  return throwAfter(error, async () =>
    writeStatus(sync, context, deployment, { ...deployment.status, collisionCount }),
  );
}

async function reportFailedCreate(
  sync: Sync,
  context: DeploymentContext,
  { deployment, wanted, error }: Refusal,
): Promise<void> {
  const name = JSON.stringify(wanted.metadata.name);
  const message = `Failed to create new replica set ${name}: ${messageOf(error)}`;
  const reason = REPLICA_SET_CREATE_ERROR;
  context.events.event(deployment, "Warning", reason, message);
  if (progressDeadlineSeconds(deployment) === undefined) return;
  const condition = newCondition(
    { type: PROGRESSING, status: "False", reason, message },
    context.clock.nowMs(),
  );
  const conditions = withCondition(deployment.status?.conditions ?? [], condition);
  if (conditions === deployment.status?.conditions) return;
  await writeStatus(sync, context, deployment, { ...deployment.status, conditions });
}

function replaceReplicaSet(round: Round, before: Stored<ReplicaSet>, after: Stored<ReplicaSet>): Round {
  if (round.current === before) return { ...round, current: after };
  return { ...round, old: round.old.map((replicaSet) => (replicaSet === before ? after : replicaSet)) };
}

import type { Deployment, ReplicaSet } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { Pod, PodTemplateSpec, ReplicationController } from "../../../pkg/api/types/core-v1.gen.ts";
import { findCondition } from "../../../pkg/api/conditions.ts";
import { controllerOf } from "../../../pkg/api/owner-references.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { TestSpace } from "../../harness/test-space.ts";

type LabelMap = Readonly<Record<string, string>>;
type DeploymentSpec = NonNullable<Deployment["spec"]>;
export const LABELS: LabelMap = { app: "web" };

export function template(
  change: Partial<NonNullable<PodTemplateSpec["spec"]>> = {},
  labels = LABELS,
): PodTemplateSpec {
  return { metadata: { labels }, spec: { containers: [{ name: "c", image: "image-1" }], ...change } };
}

/** Pods of this template are bound to a node, so that they end only when a kubelet says so. */
export function boundTemplate(): PodTemplateSpec {
  return template({ nodeName: "node", terminationGracePeriodSeconds: 300 });
}

export function deployment(name: string, replicas: number, change: Partial<DeploymentSpec> = {}): Deployment {
  return {
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: LABELS },
      template: template(),
      strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
      ...change,
    },
  };
}

export const recreate: Partial<DeploymentSpec> = { strategy: { type: "Recreate" } };

export function rolling(maxSurge: number, maxUnavailable: number): Partial<DeploymentSpec> {
  return { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } } };
}

export function replicaSet(name: string, replicas: number): ReplicaSet {
  return {
    metadata: { name, labels: LABELS },
    spec: { replicas, selector: { matchLabels: LABELS }, template: template() },
  };
}

export function replicationController(name: string, replicas: number): ReplicationController {
  return {
    metadata: { name, labels: LABELS },
    spec: { replicas, selector: LABELS, template: template() },
  };
}

export function pod(name: string, labels: LabelMap = LABELS): Pod {
  return { metadata: { name, labels }, spec: { containers: [{ name: "c", image: "image-1" }] } };
}

export function withImage(image: string): (owner: Deployment) => Deployment {
  return changed({ template: template({ containers: [{ name: "c", image }] }) });
}

export function changed(spec: Partial<DeploymentSpec>): (owner: Deployment) => Deployment {
  return (owner) => ({ ...owner, ...(owner.spec && { spec: { ...owner.spec, ...spec } }) });
}

/** Waits until the Deployment is what it is to be, and says so. */
export async function untilComplete(space: TestSpace, name: string): Promise<Deployment> {
  return space.until(
    `${name} is complete`,
    async () => space.get(resources.deployments, name),
    ({ metadata, spec, status }) => {
      const desired = spec?.replicas ?? 1;
      const counts = [status?.replicas, status?.updatedReplicas, status?.availableReplicas];
      const observed = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
      return observed && counts.every((count = 0) => count === desired);
    },
  );
}

/** Waits until the Deployment has this revision, whose ReplicaSet runs this image; gives the ReplicaSet. */
export async function untilRevision(
  space: TestSpace,
  name: string,
  revision: string,
  image = "image-1",
): Promise<ReplicaSet> {
  const seen = await space.until(
    `${name} has revision ${revision} with ${image}`,
    async () => ({ owner: await space.get(resources.deployments, name), set: await currentOf(space, name) }),
    ({ owner, set }) => revisionOf(owner) === revision && set !== undefined && revisionOf(set) === revision,
  );
  if (seen.set === undefined || imageOf(seen.set) !== image)
    throw new Error(`revision ${revision} runs something else`);
  return seen.set;
}

/** The ReplicaSet of the Deployment's own template, by its image. */
export async function currentOf(space: TestSpace, name: string): Promise<ReplicaSet | undefined> {
  const owner = await space.get(resources.deployments, name);
  const sets = await ownedSets(space, owner);
  const image = owner.spec?.template.spec?.containers[0]?.image;
  const env = JSON.stringify(owner.spec?.template.spec?.containers[0]?.env);
  return sets.find(
    (set) => imageOf(set) === image && JSON.stringify(set.spec?.template?.spec?.containers[0]?.env) === env,
  );
}

export async function ownedSets(space: TestSpace, owner: Deployment): Promise<readonly ReplicaSet[]> {
  const sets = await space.list(resources.replicaSets);
  return sets.filter((set) => controllerOf(set)?.uid === owner.metadata.uid);
}

/** Waits until the ReplicaSet has as many pods as it asks for. */
export async function untilStable(space: TestSpace, name: string, replicas?: number): Promise<ReplicaSet> {
  return space.until(
    `${name} is stable`,
    async () => space.get(resources.replicaSets, name),
    ({ metadata, spec, status }) =>
      (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0) &&
      (status?.replicas ?? 0) === spec?.replicas &&
      (replicas === undefined || replicas === spec?.replicas),
  );
}

/** The condition, as "Status Reason". */
export function conditionOf(owner: Deployment, type: string): string | undefined {
  const condition = findCondition(owner.status?.conditions, type);
  return condition && `${condition.status} ${condition.reason}`;
}

/** The counts: all, updated, ready, available, unavailable, terminating. */
export function countsOf({ status = {} }: Deployment): string {
  const { replicas = 0, updatedReplicas = 0, readyReplicas = 0, availableReplicas = 0 } = status;
  const { unavailableReplicas = 0, terminatingReplicas = "-" } = status;
  return [
    replicas,
    updatedReplicas,
    readyReplicas,
    availableReplicas,
    unavailableReplicas,
    terminatingReplicas,
  ].join(" ");
}

export async function untilCounts(space: TestSpace, name: string, counts: string): Promise<void> {
  await space.until(
    `${name} counts ${counts}`,
    async () => countsOf(await space.get(resources.deployments, name)),
    (seen) => seen === counts,
  );
}

export function revisionOf(object: Deployment | ReplicaSet): string | undefined {
  return object.metadata.annotations?.["deployment.kubernetes.io/revision"];
}

export function hashOf(object: ReplicaSet | Pod): string | undefined {
  return object.metadata.labels?.["pod-template-hash"];
}

function imageOf(set: ReplicaSet): string | undefined {
  return set.spec?.template?.spec?.containers[0]?.image;
}

import { asStored } from "../../test/harness/stored.ts";
import { newControllerRef } from "../../pkg/api/owner-references.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { ReplicaSet } from "../../pkg/api/types/apps-v1.gen.ts";
import type { Pod, PodTemplateSpec, ReplicationController } from "../../pkg/api/types/core-v1.gen.ts";

type LabelMap = Readonly<Record<string, string>>;
export const LABELS: LabelMap = { foo: "bar" };

export function replicaSet(name: string, replicas: number, labels: LabelMap = LABELS): ReplicaSet {
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name, namespace: "default", uid: `${name}-uid` },
    spec: { replicas, selector: { matchLabels: labels }, template: template(labels) },
  };
}

export function replicationController(
  name: string,
  replicas: number,
  labels = LABELS,
): ReplicationController {
  return {
    apiVersion: "v1",
    kind: "ReplicationController",
    metadata: { name, namespace: "default" },
    spec: { replicas, selector: labels, template: template(labels) },
  };
}

/** A pod of the owner, or nobody's. */
export function pod(name: string, owner?: ReplicaSet, labels: LabelMap = LABELS): Pod {
  const ownerReferences = owner && [newControllerRef(asStored(owner), resources.replicaSets)];
  return {
    metadata: { name, namespace: "default", labels, ...(ownerReferences && { ownerReferences }) },
    spec: { containers: [{ name: "c", image: "image" }] },
  };
}

export function sized(owner: ReplicaSet, replicas: number): ReplicaSet {
  return { ...owner, ...(owner.spec && { spec: { ...owner.spec, replicas } }) };
}

/** It stays when it is deleted. */
export function held(owner: ReplicaSet): ReplicaSet {
  return { ...owner, metadata: { ...owner.metadata, finalizers: ["x.io/hold"] } };
}

function template(labels: LabelMap): PodTemplateSpec {
  return { metadata: { labels }, spec: { containers: [{ name: "c", image: "image" }] } };
}

import type { TypedResource } from "../../../pkg/api/resource.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { ReplicaSet } from "../../../pkg/api/types/apps-v1.gen.ts";
import type { ReplicationController } from "../../../pkg/api/types/core-v1.gen.ts";
import { replicaSet, replicationController, type template } from "./workloads.ts";

export type Owner = ReplicaSet | ReplicationController;
export interface Twin {
  readonly kind: string;
  readonly apiVersion: string;
  readonly resource: TypedResource<Owner>;
  readonly make: (name: string, replicas: number) => Owner;
}

export const twins: readonly Twin[] = [
  { kind: "ReplicaSet", apiVersion: "apps/v1", resource: resources.replicaSets, make: replicaSet },
  {
    kind: "ReplicationController",
    apiVersion: "v1",
    resource: resources.replicationControllers,
    make: replicationController,
  },
];
/** What the specs of both kinds have in common. */
export interface OwnerSpec {
  readonly replicas?: number;
  readonly minReadySeconds?: number;
  readonly template?: ReturnType<typeof template>;
}

export function withSpec(owner: Owner, change: (spec: OwnerSpec) => OwnerSpec): Owner {
  return { ...owner, spec: { ...owner.spec, ...change(owner.spec ?? {}) } } as Owner;
}

export function terminatingOf(owner: Owner): number | undefined {
  return owner.status !== undefined && "terminatingReplicas" in owner.status
    ? owner.status.terminatingReplicas
    : undefined;
}

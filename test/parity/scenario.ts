import type { ApiObject, OwnerReference } from "../../pkg/api/object.ts";
import type { PropagationPolicy } from "../../pkg/api/propagation-policy.ts";
import type { Load } from "../harness/load-metrics.ts";
import type { Area } from "./area.ts";
import type { VolumeStep } from "./volume-step.ts";

/**
 * "deployments/web"; "namespaces/own" is the scenario's own. Names of ClusterRoles get the scenario's in front, and those
 * of nodes, volumes and their classes, of ResourceSlices requests for the status of pools and DeviceTaintRules, that begin with a dot, also where pods and claims name them. A volume has the claim of
 * the name that it gives.
 */
export type Target = `${TargetResource}/${string}`;
export type TargetResource =
  | "deployments"
  | "replicaSets"
  | "replicationControllers"
  | "daemonSets"
  | "statefulSets"
  | "podDisruptionBudgets"
  | "resourceQuotas"
  | "configMaps"
  | "secrets"
  | "services"
  | "endpoints"
  | "serviceAccounts"
  | "namespaces"
  | "clusterRoles"
  | "jobs"
  | "cronJobs"
  | "pods"
  | "persistentVolumeClaims"
  | "persistentVolumes"
  | "storageClasses"
  | "volumeAttributesClasses"
  | "nodes"
  | "resourceClaims"
  | "resourceClaimTemplates"
  | "resourceSlices"
  | "resourcePoolStatusRequests"
  | "deviceTaintRules"
  | "podGroups"
  | "validatingAdmissionPolicies"
  | "horizontalPodAutoscalers"
  | "certificateSigningRequests";

/** Some pods of the scenario, the oldest first. */
export interface PodChoice {
  /** A label selector; every pod when left out. */
  readonly selector?: string;
  /** All of them when left out. */
  readonly count?: number;
  /** Only those that are ready, or are not. */
  readonly ready?: boolean;
}

/** A reference to what is there under this name, where nothing else is said. */
export interface Owner extends Partial<OwnerReference> {
  readonly target: Target;
  readonly elsewhere?: true;
}

/** Values by path: "status.readyReplicas", "status.conditions[Progressing].reason". */
export type Expected = Readonly<Record<string, string | number | boolean | undefined>>;

/** What a user, or something outside the cluster, does; or what is waited for. Everything is quiet before each. */
export type Step =
  | VolumeStep
  | {
      readonly do: "create";
      readonly object: ApiObject;
      readonly owners?: readonly Owner[];
      /** In another namespace than everything else, which is made when it is needed. */
      readonly elsewhere?: true;
    }
  /** A merge patch. */
  | {
      readonly do: "patch";
      readonly target: Target;
      readonly body: unknown;
      readonly subresource?: "status" | "scale" | "approval";
    }
  /** Gives owners to what is there already. */
  | { readonly do: "own"; readonly target: Target; readonly owners: readonly Owner[] }
  | { readonly do: "delete"; readonly target: Target; readonly policy?: PropagationPolicy }
  /** As `kubectl rollout undo`: the template of that revision again. */
  | { readonly do: "undo"; readonly deployment: string; readonly toRevision: number }
  /** The name of a ReplicaSet is not known before: the one of this revision is patched. */
  | {
      readonly do: "patch revision";
      readonly deployment: string;
      readonly revision: number;
      readonly body: unknown;
    }
  | { readonly do: "patch pods"; readonly pods: PodChoice; readonly body: unknown }
  | { readonly do: "patch pod status"; readonly pods: PodChoice; readonly body: unknown }
  | { readonly do: "delete pods"; readonly pods: PodChoice }
  /** With the answer that is expected for each. */
  | { readonly do: "evict pods"; readonly pods: PodChoice; readonly answer: "done" | "too many requests" }
  /** Opens the readiness gate of pods that have one. */
  | { readonly do: "let pods be ready"; readonly pods: PodChoice }
  | { readonly do: "until"; readonly target: Target; readonly holds: Expected }
  /** What is measured from now on. */
  | { readonly do: "measure"; readonly load: Load }
  /** All through this time. */
  | { readonly do: "stays"; readonly target: Target; readonly holds: Expected; readonly forMs: number }
  /** Until there is any value there, which nobody can foresee. */
  | { readonly do: "until present"; readonly target: Target; readonly path: string }
  | { readonly do: "until gone"; readonly target: Target }
  /** Another process goes on, which knows what the API server tells it. */
  | { readonly do: "restart manager" }
  /** The scenario's own, ".3", ".4" … up to the last but one. */
  | { readonly do: "create nodes" | "delete nodes"; readonly from: number; readonly to: number }
  | { readonly do: "patch nodes"; readonly body: unknown }
  /** All of the scenario's own. */
  | { readonly do: "until nodes"; readonly holds: Expected }
  | { readonly do: "until pods"; readonly pods: PodChoice; readonly are: number };

export interface Scenario {
  /** Also the name of its golden file. */
  readonly name: string;
  readonly steps: readonly Step[];
  /** "workloads" when left out. */
  readonly area?: Area;
  /** It touches nodes or counts pods of the whole cluster: nothing else may run beside it. */
  readonly alone?: boolean;
  /** Of the manager, which is started anew for it. */
  readonly flags?: readonly string[];
  /** How often something is tried, or what is there to be seen, depends on how long the steps take: virtual time only. */
  readonly timed?: boolean;
}

export function inArea(area: Area, scenarios: readonly Scenario[]): readonly Scenario[] {
  return scenarios.map((scenario) => ({ ...scenario, area }));
}

export function areaOf({ area = "workloads" }: Scenario): Area {
  return area;
}

/** How many finished pods the pod garbage collector leaves: few for those that run alone, else none is ever too many. */
export function terminatedPodsKept({ alone = false }: Pick<Scenario, "alone">): number {
  return alone ? 2 : 12_500;
}

/** Condition that pods wait for when their template says so (objects.ts). */
export const READINESS_GATE = "parity.dev/go";

import { keyOf } from "../../api/object.ts";
import { isClaimOfPod, podClaims } from "../../api/pod-claims.ts";
import type {
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  TopologySelectorTerm,
} from "../../api/types/core-v1.gen.ts";
import type { StorageClass } from "../../api/types/storage-v1.gen.ts";
import type { Lister } from "../../cache/store/lister.ts";
import {
  classOf,
  isBound,
  isDelayed,
  SELECTED_NODE,
  VOLUMES_OF_CLAIM,
} from "../../api/volumes/claim-facts.ts";
import { findVolume, fitsNode } from "./find-volume.ts";

export interface VolumeListers {
  readonly claims: Pick<Lister<PersistentVolumeClaim>, "get">;
  /** With the index VOLUMES_OF_CLAIM. */
  readonly volumes: Pick<Lister<PersistentVolume>, "get" | "byIndex">;
  readonly classes: Lister<StorageClass>;
}

/** The claims of a pod that could be placed. */
export interface PodVolumes {
  readonly bound: readonly PersistentVolumeClaim[];
  /** They get their volumes with the node: one of the candidates, or a new one. */
  readonly delayed: readonly DelayedClaim[];
}

interface DelayedClaim {
  readonly claim: PersistentVolumeClaim;
  readonly candidates: readonly PersistentVolume[];
}

/** What is to be written before the pod can go to the node. */
export interface VolumesOnNode {
  readonly keep: readonly {
    readonly volume: PersistentVolume;
    readonly claim: PersistentVolumeClaim;
  }[];
  readonly provision: readonly PersistentVolumeClaim[];
}

const BIND_CONFLICT = "node(s) didn't find available persistent volumes to bind";
const NODE_CONFLICT = "node(s) didn't match PersistentVolume's node affinity";
const NO_VOLUME = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";

/**
 * The claims of the pod, or why it has to wait wherever there is room, in the words of the real scheduler. A pod that is on a
 * node keeps its claims; one that came to a node after its claim was deleted would lose it.
 */
export function podVolumes(pod: Pod, { claims, classes, volumes }: VolumeListers): PodVolumes | string {
  const bound: PersistentVolumeClaim[] = [];
  const delayed: DelayedClaim[] = [];
  let isUnbound = false;
  for (const { name, isEphemeral } of podClaims(pod)) {
    const claim = claims.get(pod.metadata.namespace, name);
    if (claim === undefined) {
      return isEphemeral
        ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
        : `persistentvolumeclaim "${name}" not found`;
    }
    if (claim.status?.phase === "Lost")
      return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec?.volumeName ?? ""}"`;
    if (claim.metadata.deletionTimestamp !== undefined)
      return `persistentvolumeclaim "${name}" is being deleted`;
    if (isEphemeral && !isClaimOfPod(claim, pod)) {
      const { namespace, name: podName } = pod.metadata;
      return `PVC ${namespace}/${name} was not created for pod ${namespace}/${podName} (pod is not owner)`;
    }
    if (isBound(claim)) bound.push(claim);
    else if (isDelayed(classes.get(undefined, classOf(claim))) && (claim.spec?.volumeName ?? "") === "") {
      const candidates = ["", keyOf(claim)].flatMap((key) => volumes.byIndex(VOLUMES_OF_CLAIM, key));
      delayed.push({ claim, candidates });
    } else isUnbound = true;
  }
  return isUnbound ? "pod has unbound immediate PersistentVolumeClaims" : { bound, delayed };
}

/** What the claims need on this node, or why they cannot be used there. */
export function volumesOnNode(
  { bound, delayed }: PodVolumes,
  node: Node,
  { volumes, classes }: VolumeListers,
): VolumesOnNode | string {
  for (const { spec } of bound) {
    const volume = volumes.get(undefined, spec?.volumeName ?? "");
    if (volume === undefined) return NO_VOLUME;
    if (!fitsNode(volume, node)) return NODE_CONFLICT;
  }
  const keep: VolumesOnNode["keep"][number][] = [];
  const provision: PersistentVolumeClaim[] = [];
  const excluded = new Set<string>();
  for (const { claim, candidates } of delayed) {
    const selected = claim.metadata.annotations?.[SELECTED_NODE];
    if (selected !== undefined && selected !== node.metadata.name) return BIND_CONFLICT;
    const volume = selected === undefined ? findVolume({ claim, node, excluded }, candidates) : undefined;
    if (volume !== undefined) {
      keep.push({ volume, claim });
      excluded.add(volume.metadata.name ?? "");
    } else if (canBeMade(claim, node, classes)) provision.push(claim);
    else return BIND_CONFLICT;
  }
  return { keep, provision };
}

export function storageClassOf(
  claim: PersistentVolumeClaim,
  classes: Lister<StorageClass>,
): StorageClass | undefined {
  return classes.get(undefined, classOf(claim));
}

function canBeMade(claim: PersistentVolumeClaim, node: Node, classes: Lister<StorageClass>): boolean {
  const { provisioner = "", allowedTopologies = [] } = storageClassOf(claim, classes) ?? {};
  if (provisioner === "" || provisioner === "kubernetes.io/no-provisioner") return false;
  return allowedTopologies.length === 0 || allowedTopologies.some((term) => isIn(term, node));
}

function isIn({ matchLabelExpressions = [] }: TopologySelectorTerm, { metadata }: Node): boolean {
  return matchLabelExpressions.every(({ key, values }) => {
    const value = metadata.labels?.[key];
    return value !== undefined && values.includes(value);
  });
}

import { isPodTerminal } from "../../../pkg/api/pod.ts";
import { podClaims } from "../../../pkg/api/pod-claims.ts";
import type {
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
} from "../../../pkg/api/types/core-v1.gen.ts";
import { classOf } from "../../../pkg/api/volumes/claim-facts.ts";
import { canHold } from "../../../pkg/api/volumes/fit.ts";

/** The volume is nobody's, and kept for nobody. */
export function isFree({ metadata, spec, status }: PersistentVolume): boolean {
  return (
    spec?.claimRef === undefined && status?.phase === "Available" && metadata.deletionTimestamp === undefined
  );
}

/** A volume that nobody has could be the claim's, from the API's documentation. */
export function suits(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const wanted = Object.entries(claim.spec?.selector?.matchLabels ?? {});
  return (
    canHold(volume, claim) &&
    classOf(volume) === classOf(claim) &&
    wanted.every(([name, value]) => volume.metadata.labels?.[name] === value)
  );
}

/** Its kubelet leaves attaching to the controller, which it says when it registers: one made by users has yet to be its. */
export function isManaged({ metadata }: Node): boolean {
  return metadata.annotations?.["volumes.kubernetes.io/controller-managed-attach-detach"] !== undefined;
}

/** It is on a node, and uses what it names for all that is known: one that is to go uses it while its containers run. */
export function isUser(pod: Pod): boolean {
  if ((pod.spec?.nodeName ?? "") === "" || isPodTerminal(pod)) return false;
  const runs = pod.status?.containerStatuses?.some(({ state }) => state?.running !== undefined) ?? false;
  return pod.metadata.deletionTimestamp === undefined || runs;
}

/** The volumes of a pod that are bound to its claims. */
export function volumesOf(
  pod: Pod,
  claims: readonly PersistentVolumeClaim[],
  volumes: readonly PersistentVolume[],
): readonly PersistentVolume[] {
  return podClaims(pod).flatMap(({ name }) => {
    const claim = claims.find(
      ({ metadata }) => metadata.name === name && metadata.namespace === pod.metadata.namespace,
    );
    const volume = volumes.find((each) => each.metadata.name === claim?.spec?.volumeName);
    return volume !== undefined && volume.spec?.claimRef?.uid === claim?.metadata.uid ? volume : [];
  });
}

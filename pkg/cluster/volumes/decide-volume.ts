import type { PersistentVolume, PersistentVolumeClaim } from "../../api/types/core-v1.gen.ts";
import { BOUND_BY_CONTROLLER, isAnnotated, PROVISIONED_BY } from "./claim-facts.ts";
import type { ClaimEvent } from "./decide-claim.ts";
import { modeOf } from "./find-volume.ts";

/** What becomes of a volume. */
export type VolumePlan =
  | { readonly do: "mark"; readonly phase: "Available" | "Bound" }
  /** Its claim is gone, or has another volume. */
  | { readonly do: "reclaim"; readonly how: Reclaim }
  | { readonly do: "unbind" }
  | { readonly do: "complain"; readonly ofVolume: ClaimEvent; readonly ofClaim: ClaimEvent }
  /** The claim's sync binds it. */
  | { readonly do: "leave to claim" };

export type Reclaim =
  /** Nothing, or it is for another program to do. */
  | { readonly do: "keep" }
  | { readonly do: "recycle" }
  | { readonly do: "delete" }
  | { readonly do: "fail"; readonly event: ClaimEvent };

/**
 * upstream: pkg/controller/volume/persistentvolume/pv_controller.go#syncVolume
 *
 * `claim` is the very claim that the volume is bound to; undefined when that is gone for sure.
 */
export function decideVolume(volume: PersistentVolume, claim: PersistentVolumeClaim | undefined): VolumePlan {
  const { claimRef, persistentVolumeReclaimPolicy } = volume.spec ?? {};
  if ((claimRef?.uid ?? "") === "") return { do: "mark", phase: "Available" };
  if (claim === undefined) return { do: "reclaim", how: reclaim(volume) };
  const boundTo = claim.spec?.volumeName ?? "";
  if (boundTo === "") {
    if (modeOf(claim) !== modeOf(volume)) return modeComplaint(volume, claim);
    return { do: "leave to claim" };
  }
  if (boundTo === volume.metadata.name) return { do: "mark", phase: "Bound" };
  const isSpare = isAnnotated(volume, PROVISIONED_BY) && persistentVolumeReclaimPolicy === "Delete";
  return isSpare ? { do: "reclaim", how: reclaim(volume) } : { do: "unbind" };
}

/** One that the controller has bound is free again; one that its user keeps for the claim stays so. */
export function unbound(volume: PersistentVolume): PersistentVolume {
  const { claimRef, ...spec } = volume.spec ?? {};
  if (isAnnotated(volume, BOUND_BY_CONTROLLER) || claimRef === undefined) return { ...volume, spec };
  const { uid: _, ...kept } = claimRef;
  return { ...volume, spec: { ...spec, claimRef: kept } };
}

function reclaim(volume: PersistentVolume): Reclaim {
  const { metadata, spec = {} } = volume;
  const failed = (reason: string, message: string): Reclaim => ({
    do: "fail",
    event: { type: "Warning", reason, message },
  });
  switch (spec.persistentVolumeReclaimPolicy ?? "") {
    case "Retain":
      return { do: "keep" };
    case "Recycle":
      return spec.hostPath === undefined && spec.nfs === undefined
        ? failed("VolumeFailedRecycle", "No recycler plugin found for the volume!")
        : { do: "recycle" };
    case "Delete":
      // Whoever has made it deletes it.
      if (isAnnotated(volume, PROVISIONED_BY) || spec.csi !== undefined) return { do: "keep" };
      if (spec.hostPath === undefined) {
        const name = JSON.stringify(metadata.name);
        const problem = `error getting deleter volume plugin for volume ${name}: no deletable volume plugin matched`;
        return failed("VolumeFailedDelete", problem);
      }
      return /^\/tmp\/.+/.test(spec.hostPath.path)
        ? { do: "delete" }
        : failed(
            "VolumeFailedDelete",
            `host_path deleter only supports /tmp/.+ but received provided ${spec.hostPath.path}`,
          );
    default:
      return failed("VolumeUnknownReclaimPolicy", "Volume has unrecognized PersistentVolumeReclaimPolicy");
  }
}

function modeComplaint({ metadata }: PersistentVolume, claim: PersistentVolumeClaim): VolumePlan {
  const complaint = (of: string, to: string): ClaimEvent => ({
    type: "Warning",
    reason: "VolumeMismatch",
    message: `Cannot bind ${of} to ${to} due to incompatible volumeMode.`,
  });
  return {
    do: "complain",
    ofVolume: complaint(
      "PersistentVolume",
      `requested PersistentVolumeClaim ${JSON.stringify(claim.metadata.name)}`,
    ),
    ofClaim: complaint(
      `PersistentVolume ${JSON.stringify(metadata.name)}`,
      "requested PersistentVolumeClaim",
    ),
  };
}

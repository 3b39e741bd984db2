import { quotedAsInGo } from "../../pkg/api/go-quote.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../pkg/api/types/core-v1.gen.ts";
import { isAnnotated, MIGRATED_TO, PROVISIONED_BY } from "../../pkg/api/volumes/claim-facts.ts";
import { modeOf } from "../../pkg/api/volumes/fit.ts";
import type { ObjectEvent } from "./decide-claim.ts";

/** What becomes of a volume. */
export type VolumePlan<C extends PersistentVolumeClaim = PersistentVolumeClaim> =
  | { readonly do: "mark"; readonly phase: "Available" | "Bound" }
  /** Its claim is gone, or has another volume. */
  | { readonly do: "reclaim"; readonly how: Reclaim }
  | { readonly do: "unbind" }
  | {
      readonly do: "complain";
      readonly claim: C;
      readonly ofVolume: ObjectEvent;
      readonly ofClaim: ObjectEvent;
    }
  /** The claim's sync binds it. */
  | { readonly do: "leave to claim"; readonly claim: C };

export type Reclaim = "keep" | "recycle" | "delete" | "unknown policy";

/**
 * upstream: pkg/controller/volume/persistentvolume/pv_controller.go#syncVolume
 *
 * `claim` is the very claim that the volume is bound to; undefined when that is gone for sure.
 */
export function decideVolume<C extends PersistentVolumeClaim>(
  volume: PersistentVolume,
  claim: C | undefined,
): VolumePlan<C> {
  const { claimRef, persistentVolumeReclaimPolicy } = volume.spec ?? {};
  if ((claimRef?.uid ?? "") === "") return { do: "mark", phase: "Available" };
  if (claim === undefined) return { do: "reclaim", how: reclaim(volume) };
  const boundTo = claim.spec?.volumeName ?? "";
  if (boundTo === "")
    return modeOf(claim) === modeOf(volume) ? { do: "leave to claim", claim } : modeComplaint(volume, claim);
  if (boundTo === volume.metadata.name) return { do: "mark", phase: "Bound" };
  const isSpare = isAnnotated(volume, PROVISIONED_BY) && persistentVolumeReclaimPolicy === "Delete";
  return isSpare ? { do: "reclaim", how: reclaim(volume) } : { do: "unbind" };
}

/** Phases that are left alone when a claim is gone: a user is to see what went wrong, while it is tried again. */
export function isReleased({ status }: PersistentVolume): boolean {
  return status?.phase === "Released" || status?.phase === "Failed";
}

/**
 * Whether the volume is still nobody's when something is about to be done to it. `claim` is what the claim that it is
 * bound to has become, as far as is known.
 * upstream: pv_controller.go#isVolumeReleased
 */
export function isUnclaimed(volume: PersistentVolume, claim: PersistentVolumeClaim | undefined): boolean {
  const { claimRef } = volume.spec ?? {};
  if ((claimRef?.uid ?? "") === "") return false;
  if (claim === undefined || claim.metadata.uid !== claimRef?.uid) return true;
  const { volumeName = "" } = claim.spec ?? {};
  return volumeName !== "" && volumeName !== volume.metadata.name;
}

/** upstream: pv_controller.go#reclaimVolume */
function reclaim({ metadata, spec }: PersistentVolume): Reclaim {
  // The driver's provisioner does it.
  if ((metadata.annotations?.[MIGRATED_TO] ?? "") !== "") return "keep";
  switch (spec?.persistentVolumeReclaimPolicy ?? "") {
    case "Retain":
      return "keep";
    case "Recycle":
      return "recycle";
    case "Delete":
      return "delete";
    default:
      return "unknown policy";
  }
}

function modeComplaint<C extends PersistentVolumeClaim>(
  { metadata }: PersistentVolume,
  claim: C,
): VolumePlan<C> {
  const complaint = (of: string, to: string): ObjectEvent => ({
    type: "Warning",
    reason: "VolumeMismatch",
    message: `Cannot bind ${of} to ${to} due to incompatible volumeMode.`,
  });
  const ofVolume = complaint(
    "PersistentVolume",
    `requested PersistentVolumeClaim ${quotedAsInGo(claim.metadata.name ?? "")}`,
  );
  const ofClaim = complaint(
    `PersistentVolume ${quotedAsInGo(metadata.name ?? "")}`,
    "requested PersistentVolumeClaim",
  );
  return { do: "complain", claim, ofVolume, ofClaim };
}

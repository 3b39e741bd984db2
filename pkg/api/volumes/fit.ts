import { quotedAsInGo } from "../go-quote.ts";
import type { Quantity } from "../quantity.ts";
import { parseQuantity } from "../quantity-parse.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../types/core-v1.gen.ts";
import { classOf } from "./claim-facts.ts";

type Either = PersistentVolume | PersistentVolumeClaim;

export function modeOf({ spec }: Either): string {
  return spec?.volumeMode ?? "Filesystem";
}

export function attributesClassOf({ spec }: Either): string {
  return spec?.volumeAttributesClassName ?? "";
}

export function requestOf({ spec }: PersistentVolumeClaim): Quantity {
  return parseQuantity(spec?.resources?.requests?.["storage"] ?? "0");
}

export function capacityOf({ spec }: PersistentVolume): Quantity {
  return parseQuantity(spec?.capacity?.["storage"] ?? "0");
}

export function hasAccessModes(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const offered = volume.spec?.accessModes ?? [];
  return (claim.spec?.accessModes ?? []).every((mode) => offered.includes(mode));
}

/**
 * Whether the volume could hold what the claim is for, its class and its selector left aside: one that is kept for the
 * claim need not have these.
 */
export function canHold(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (
    volume.metadata.deletionTimestamp === undefined &&
    modeOf(volume) === modeOf(claim) &&
    attributesClassOf(volume) === attributesClassOf(claim) &&
    hasAccessModes(volume, claim) &&
    capacityOf(volume).compare(requestOf(claim)) >= 0
  );
}

/** Why a volume that a claim names is not for it. upstream: pv_controller.go#checkVolumeSatisfyClaim */
export function mismatch(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  if (volume.metadata.deletionTimestamp !== undefined)
    return `the volume is marked for deletion ${quotedAsInGo(volume.metadata.name ?? "")}`;
  // upstream: whole bytes are compared here, and fractions of them where a volume is looked for.
  if (capacityOf(volume).scaledValue(0) < requestOf(claim).scaledValue(0)) return "requested PV is too small";
  if (classOf(volume) !== classOf(claim)) return "storageClassName does not match";
  if (attributesClassOf(volume) !== attributesClassOf(claim))
    return "volumeAttributesClassName does not match";
  if (modeOf(volume) !== modeOf(claim)) return "incompatible volumeMode";
  return hasAccessModes(volume, claim) ? undefined : "incompatible accessMode";
}

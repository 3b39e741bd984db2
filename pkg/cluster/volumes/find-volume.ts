import { SelectorError } from "../../api/labels.ts";
import { selectorFromSpec } from "../../api/label-selector.ts";
import { compileNodeSelector } from "../../api/node-selector.ts";
import type { Quantity } from "../../api/quantity.ts";
import { parseQuantity } from "../../api/quantity-parse.ts";
import type { Node, PersistentVolume, PersistentVolumeClaim } from "../../api/types/core-v1.gen.ts";
import { classOf, isFor } from "./claim-facts.ts";

export interface VolumeWish {
  readonly claim: PersistentVolumeClaim;
  /** Only volumes that this node can use. */
  readonly node?: Node;
  /** Names of volumes that are spoken for. */
  readonly excluded?: ReadonlySet<string>;
  /** Only one that is kept for the claim: another is chosen together with the node. */
  readonly delayed?: boolean;
}

/**
 * The volume that is kept for the claim; else of those that are available the one with the fewest other access modes,
 * and of these the smallest.
 */
export function findVolume(
  wish: VolumeWish,
  volumes: Iterable<PersistentVolume>,
): PersistentVolume | undefined {
  const { claim, node, excluded, delayed = false } = wish;
  let best: PersistentVolume | undefined;
  for (const volume of volumes) {
    if (excluded?.has(volume.metadata.name ?? "") === true) continue;
    const isKept = isFor(volume, claim);
    if ((volume.spec?.claimRef !== undefined && !isKept) || !mayHold(volume, claim)) continue;
    if (isKept) return node === undefined || fitsNode(volume, node) ? volume : undefined;
    if (delayed || volume.status?.phase !== "Available") continue;
    if (classOf(volume) !== classOf(claim) || !isSelected(volume, claim)) continue;
    if (node !== undefined && !fitsNode(volume, node)) continue;
    if (best === undefined || isCloser(volume, best)) best = volume;
  }
  return best;
}

/** Why a volume that a claim names is not for it, in the words of the real controller. */
export function mismatch(volume: PersistentVolume, claim: PersistentVolumeClaim): string | undefined {
  if (volume.metadata.deletionTimestamp !== undefined)
    return `the volume is marked for deletion ${JSON.stringify(volume.metadata.name)}`;
  if (capacityOf(volume).compare(requestOf(claim)) < 0) return "requested PV is too small";
  if (classOf(volume) !== classOf(claim)) return "storageClassName does not match";
  if (attributesClassOf(volume) !== attributesClassOf(claim))
    return "volumeAttributesClassName does not match";
  if (modeOf(volume) !== modeOf(claim)) return "incompatible volumeMode";
  return hasAccessModes(volume, claim) ? undefined : "incompatible accessMode";
}

/** A volume without an affinity can be used everywhere. */
export function fitsNode({ spec }: PersistentVolume, node: Node): boolean {
  const required = spec?.nodeAffinity?.required;
  return required === undefined || compileNodeSelector(required).matches(node);
}

export function modeOf({ spec }: PersistentVolume | PersistentVolumeClaim): string {
  return spec?.volumeMode ?? "Filesystem";
}

export function requestOf({ spec }: PersistentVolumeClaim): Quantity {
  return parseQuantity(spec?.resources?.requests?.["storage"] ?? "0");
}

function capacityOf({ spec }: PersistentVolume): Quantity {
  return parseQuantity(spec?.capacity?.["storage"] ?? "0");
}

function attributesClassOf({ spec }: PersistentVolume | PersistentVolumeClaim): string {
  return spec?.volumeAttributesClassName ?? "";
}

function mayHold(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (
    volume.metadata.deletionTimestamp === undefined &&
    modeOf(volume) === modeOf(claim) &&
    attributesClassOf(volume) === attributesClassOf(claim) &&
    hasAccessModes(volume, claim) &&
    capacityOf(volume).compare(requestOf(claim)) >= 0
  );
}

function hasAccessModes(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  const offered = volume.spec?.accessModes ?? [];
  return (claim.spec?.accessModes ?? []).every((mode) => offered.includes(mode));
}

function isSelected(volume: PersistentVolume, { spec }: PersistentVolumeClaim): boolean {
  if (spec?.selector === undefined) return true;
  try {
    return selectorFromSpec(spec.selector).matches(volume.metadata.labels);
  } catch (error) {
    if (error instanceof SelectorError) return false;
    throw error;
  }
}

function isCloser(volume: PersistentVolume, other: PersistentVolume): boolean {
  const modes = (volume.spec?.accessModes?.length ?? 0) - (other.spec?.accessModes?.length ?? 0);
  return modes === 0 ? capacityOf(volume).compare(capacityOf(other)) < 0 : modes < 0;
}

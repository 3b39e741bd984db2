import { SelectorError } from "../../api/labels.ts";
import { selectorFromSpec } from "../../api/label-selector.ts";
import { compileNodeSelector } from "../../api/node-selector.ts";
import type { Node, PersistentVolume, PersistentVolumeClaim } from "../../api/types/core-v1.gen.ts";
import { classOf, isFor } from "../../api/volumes/claim-facts.ts";
import { canHold, capacityOf } from "../../api/volumes/fit.ts";

export interface VolumeWish {
  readonly claim: PersistentVolumeClaim;
  /** Only volumes that this node can use. */
  readonly node: Node;
  /** Names of volumes that are spoken for. */
  readonly excluded?: ReadonlySet<string>;
}

/**
 * The volume that is kept for the claim; else of those that are available the one with the fewest other access modes,
 * and of these the smallest.
 */
export function findVolume(
  wish: VolumeWish,
  volumes: Iterable<PersistentVolume>,
): PersistentVolume | undefined {
  const { claim, node, excluded } = wish;
  let best: PersistentVolume | undefined;
  for (const volume of volumes) {
    if (excluded?.has(volume.metadata.name ?? "") === true) continue;
    const isKept = isFor(volume, claim);
    if ((volume.spec?.claimRef !== undefined && !isKept) || !canHold(volume, claim)) continue;
    if (isKept) return fitsNode(volume, node) ? volume : undefined;
    if (volume.status?.phase !== "Available") continue;
    if (classOf(volume) !== classOf(claim) || !isSelected(volume, claim)) continue;
    if (!fitsNode(volume, node)) continue;
    if (best === undefined || isCloser(volume, best)) best = volume;
  }
  return best;
}

/** A volume without an affinity can be used everywhere. */
export function fitsNode({ spec }: PersistentVolume, node: Node): boolean {
  const required = spec?.nodeAffinity?.required;
  return required === undefined || compileNodeSelector(required).matches(node);
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

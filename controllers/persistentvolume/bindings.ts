import { quotedAsInGo } from "../../pkg/api/go-quote.ts";
import type { Quantity } from "../../pkg/api/quantity.ts";
import { isWrittenQuantity, parseQuantity, QuantityError } from "../../pkg/api/quantity-parse.ts";
import type {
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimStatus,
} from "../../pkg/api/types/core-v1.gen.ts";
import {
  BIND_COMPLETED,
  BOUND_BY_CONTROLLER,
  isAnnotated,
  withAnnotations,
  withoutAnnotation,
} from "../../pkg/api/volumes/claim-facts.ts";

/** A volume that is growing says what it had before. */
const SIZE_BEFORE_GROWING = "volume.alpha.kubernetes.io/pre-resize-capacity";

const byController = { [BOUND_BY_CONTROLLER]: "yes" };

export class BindingError extends Error {
  readonly code = "NoCapacity";

  constructor(message: string) {
    super(message);
    this.name = "BindingError";
  }
}

/** One that the controller has bound is free again; one that its user keeps for the claim stays so. */
export function unboundVolume(volume: PersistentVolume): PersistentVolume {
  const { claimRef, ...spec } = volume.spec ?? {};
  if (isAnnotated(volume, BOUND_BY_CONTROLLER) || claimRef === undefined)
    return withoutAnnotation({ ...volume, spec }, BOUND_BY_CONTROLLER);
  const { uid: _, ...kept } = claimRef;
  return { ...volume, spec: { ...spec, claimRef: kept } };
}

/** The claim as one that has the volume; the very claim when it has it already. */
export function boundClaim<T extends PersistentVolumeClaim>(claim: T, volume: PersistentVolume): T {
  const { name = "" } = volume.metadata;
  const isNamed = claim.spec?.volumeName === name;
  const marks = {
    ...(!isAnnotated(claim, BIND_COMPLETED) && { [BIND_COMPLETED]: "yes" }),
    ...(!isNamed && !isAnnotated(claim, BOUND_BY_CONTROLLER) && byController),
  };
  if (isNamed && Object.keys(marks).length === 0) return claim;
  const named = isNamed ? claim : { ...claim, spec: { ...claim.spec, volumeName: name } };
  return withAnnotations(named, marks);
}

/** The volume in the phase; the very volume when it is in it already. What was said of another phase goes. */
export function volumeInPhase(volume: PersistentVolume, phase: string, message?: string): PersistentVolume {
  if (volume.status?.phase === phase) return volume;
  const { message: _, ...status } = volume.status ?? {};
  return { ...volume, status: { ...status, phase, ...(message !== undefined && { message }) } };
}

/** The status of a claim without a volume; the very status when it says so already. */
export function volumelessStatus(
  { status = {} }: PersistentVolumeClaim,
  phase: "Pending" | "Lost",
): PersistentVolumeClaimStatus {
  const { accessModes, capacity, currentVolumeAttributesClassName, ...rest } = status;
  const isSaid =
    status.phase === phase &&
    accessModes === undefined &&
    capacity === undefined &&
    currentVolumeAttributesClassName === undefined;
  return isSaid ? status : { ...rest, phase };
}

/**
 * The status of a claim that has the volume; the very status when it says so already. Capacity and attributes are
 * written when the claim becomes bound, and not after: a file system may be smaller than its volume, and what changes
 * attributes says so itself.
 * upstream: pkg/controller/volume/persistentvolume/pv_controller.go#updateClaimStatus
 */
export function boundStatus(
  { status = {} }: PersistentVolumeClaim,
  volume: PersistentVolume,
): PersistentVolumeClaimStatus {
  const { spec = {} } = volume;
  const becomes = status.phase !== "Bound";
  if (!becomes && sameModes(status.accessModes, spec.accessModes)) return status;
  const { accessModes: _, ...rest } = status;
  const modes = spec.accessModes === undefined ? {} : { accessModes: spec.accessModes };
  if (!becomes) return { ...rest, ...modes };
  const capacity = capacityFor(status, volume);
  const wasPending = status.phase === "Pending";
  const { currentVolumeAttributesClassName: _before, ...withoutClass } = rest;
  const attributes =
    spec.volumeAttributesClassName === undefined
      ? {}
      : { currentVolumeAttributesClassName: spec.volumeAttributesClassName };
  return {
    ...(wasPending ? { ...withoutClass, ...attributes } : rest),
    phase: "Bound",
    ...modes,
    ...(capacity !== undefined && { capacity }),
  };
}

function sameModes(modes: readonly string[] = [], others: readonly string[] = []): boolean {
  return modes.length === others.length && modes.every((mode, at) => mode === others[at]);
}

type Capacity = PersistentVolumeClaimStatus["capacity"];

function capacityFor({ capacity }: PersistentVolumeClaimStatus, volume: PersistentVolume): Capacity {
  const { metadata, spec } = volume;
  const offered = spec?.capacity?.["storage"];
  if (offered === undefined)
    throw new BindingError(
      `PersistentVolume ${quotedAsInGo(metadata.name ?? "")} is without a storage capacity`,
    );
  const before = metadata.annotations?.[SIZE_BEFORE_GROWING];
  if (before !== undefined)
    return { ...capacity, storage: (quantityOf(before) ?? parseQuantity(offered)).toString() };
  const known = capacity?.["storage"];
  if (known !== undefined && parseQuantity(known).equals(parseQuantity(offered))) return capacity;
  return spec?.capacity;
}

function quantityOf(text: string): Quantity | undefined {
  if (!isWrittenQuantity(text)) return undefined;
  try {
    return parseQuantity(text);
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}

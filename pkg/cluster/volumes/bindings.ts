import { semanticEqual } from "../../api/equality.ts";
import { parseQuantity } from "../../api/quantity-parse.ts";
import type {
  ObjectReference,
  PersistentVolume,
  PersistentVolumeClaim,
  PersistentVolumeClaimStatus,
} from "../../api/types/core-v1.gen.ts";
import { BIND_COMPLETED, BOUND_BY_CONTROLLER, isAnnotated, isFor, withAnnotations } from "./claim-facts.ts";

const byController = { [BOUND_BY_CONTROLLER]: "yes" };

export function referenceTo({ metadata }: PersistentVolumeClaim): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    kind: "PersistentVolumeClaim",
    apiVersion: "v1",
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    ...(uid !== undefined && { uid }),
    ...(resourceVersion !== undefined && { resourceVersion }),
  };
}

/** The volume as one of the claim; the very volume when it is that already. */
export function boundVolume(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume {
  const wasKept = isFor(volume, claim);
  if (wasKept && volume.spec?.claimRef?.uid === claim.metadata.uid) return volume;
  const bound = { ...volume, spec: { ...volume.spec, claimRef: referenceTo(claim) } };
  return wasKept || isAnnotated(volume, BOUND_BY_CONTROLLER) ? bound : withAnnotations(bound, byController);
}

/** The claim as one that has the volume; the very claim when it has it already. */
export function boundClaim(claim: PersistentVolumeClaim, volume: PersistentVolume): PersistentVolumeClaim {
  const { name = "" } = volume.metadata;
  const isNamed = claim.spec?.volumeName === name;
  if (isNamed && isAnnotated(claim, BIND_COMPLETED)) return claim;
  const named = isNamed ? claim : { ...claim, spec: { ...claim.spec, volumeName: name } };
  const marks = { [BIND_COMPLETED]: "yes", ...(!isNamed && byController) };
  return withAnnotations(named, marks);
}

/** The status that says so; the very status when it does. Without a volume it has neither room nor modes. */
export function claimStatus(
  { status = {} }: PersistentVolumeClaim,
  phase: "Bound" | "Pending" | "Lost",
  volume?: PersistentVolume,
): PersistentVolumeClaimStatus {
  const { accessModes, capacity, currentVolumeAttributesClassName, ...rest } = status;
  if (volume === undefined) {
    const isSaid =
      status.phase === phase &&
      accessModes === undefined &&
      capacity === undefined &&
      currentVolumeAttributesClassName === undefined;
    return isSaid ? status : { ...rest, phase };
  }
  const { spec = {} } = volume;
  const becomes = status.phase !== phase;
  if (!becomes && semanticEqual(accessModes, spec.accessModes)) return status;
  const attributesClass = becomes ? spec.volumeAttributesClassName : currentVolumeAttributesClassName;
  return {
    ...rest,
    phase,
    ...(spec.accessModes && { accessModes: spec.accessModes }),
    // A volume that has grown does not mean that the file system on it has.
    ...roomOf(becomes && !hasRoomOf(volume, capacity) ? spec.capacity : capacity),
    ...(attributesClass !== undefined && { currentVolumeAttributesClassName: attributesClass }),
  };
}

type Room = PersistentVolumeClaimStatus["capacity"];

function roomOf(capacity: Room): Pick<PersistentVolumeClaimStatus, "capacity"> {
  return capacity === undefined ? {} : { capacity };
}

function hasRoomOf({ spec }: PersistentVolume, capacity: Room): boolean {
  const [offered, known] = [spec?.capacity?.["storage"], capacity?.["storage"]];
  if (offered === undefined || known === undefined) return offered === known;
  return parseQuantity(offered).equals(parseQuantity(known));
}

import type { Projected } from "../../pkg/api/projected.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../pkg/api/types/core-v1.gen.ts";
import {
  PRE_RESIZE_CAPACITY,
  type ResizeStatus,
  STORAGE_RESIZER,
  storageOf,
  wantsMore,
} from "../../pkg/api/volumes/claim-resize.ts";
import { csiDriverOf, inTreePluginOf } from "../../pkg/api/volumes/in-tree-drivers.ts";

/** What is read of claims. */
export const CLAIM_FIELDS = [
  `metadata.annotations[${STORAGE_RESIZER}]`,
  "spec.volumeName",
  "spec.resources.requests.storage",
  "status.phase",
  "status.allocatedResources",
  "status.allocatedResourceStatuses",
  "status.capacity",
  "status.conditions",
] as const;
export type CachedClaim = Projected<PersistentVolumeClaim, typeof CLAIM_FIELDS>;

/** What is read of volumes. */
export const VOLUME_FIELDS = [
  `metadata.annotations[${PRE_RESIZE_CAPACITY}]`,
  "spec.capacity.storage",
  "spec.claimRef.namespace",
  "spec.claimRef.uid",
  "spec.volumeMode",
  "spec.awsElasticBlockStore.volumeID",
  "spec.azureDisk.diskName",
  "spec.azureFile.shareName",
  "spec.cinder.volumeID",
  "spec.flexVolume.driver",
  "spec.gcePersistentDisk.pdName",
  "spec.portworxVolume.volumeID",
  "spec.vsphereVolume.volumePath",
] as const;
export type CachedVolume = Projected<PersistentVolume, typeof VOLUME_FIELDS>;

export type ExpansionPlan =
  | { readonly kind: "nothing" }
  /** Somebody else makes the volume larger. */
  | { readonly kind: "leave" }
  /** The CSI driver does that does the work of the volume's plugin now. */
  | { readonly kind: "hand over"; readonly plugin: string; readonly driver: string }
  /** Nodes are done: what was kept for them can go. */
  | { readonly kind: "clean up" }
  /** It may be tried again on nodes. */
  | { readonly kind: "retry on nodes" }
  | { readonly kind: "expand"; readonly size: string; readonly resizer: string };

const NOTHING: ExpansionPlan = { kind: "nothing" };

export function isBoundTo({ spec }: CachedVolume, { metadata }: CachedClaim): boolean {
  const { namespace, uid } = spec?.claimRef ?? {};
  return namespace === metadata.namespace && uid !== undefined && uid === metadata.uid;
}

/** What is to be done for a claim and its volume. */
export function decideExpansion(claim: CachedClaim, volume: CachedVolume): ExpansionPlan {
  if (!wantsMore(claim) && !isKeptForNodes(volume)) return NOTHING;
  const plugin = inTreePluginOf(volume.spec ?? {});
  const driver = plugin && csiDriverOf(plugin);
  if (plugin !== undefined && driver !== undefined) return { kind: "hand over", plugin, driver };
  // Of all others only FlexVolumes are nobody else's: their nodes make them larger.
  const resizer = volume.spec?.flexVolume?.driver;
  return resizer === undefined ? { kind: "leave" } : decideOnController(claim, volume, resizer);
}

const isKeptForNodes = ({ metadata }: CachedVolume): boolean =>
  metadata.annotations?.[PRE_RESIZE_CAPACITY] !== undefined;

/** upstream: pkg/volume/util/operationexecutor/operation_generator.go#expandAndRecoverFunction */
export function decideOnController(claim: CachedClaim, volume: CachedVolume, resizer: string): ExpansionPlan {
  if (isKeptForNodes(volume) && isNodeDone(claim, volume)) return { kind: "clean up" };
  const { allocatedResources, allocatedResourceStatuses } = claim.status ?? {};
  const status = allocatedResourceStatuses?.["storage"] as ResizeStatus | "" | undefined;
  const asked = claim.spec?.resources?.requests?.["storage"] ?? "0";
  const allocated = allocatedResources?.["storage"] ?? asked;
  const isLargeEnough = storageOf(volume.spec?.capacity).compare(storageOf({ storage: asked })) >= 0;
  if (isLargeEnough && (status === "NodeResizePending" || status === "NodeResizeInProgress")) return NOTHING;
  if (isLargeEnough && status === "NodeResizeInfeasible") return { kind: "retry on nodes" };
  // What was begun is brought to its end, though the claim may ask for something else by now.
  const wasBegun = isLargeEnough
    ? status !== undefined || allocatedResources?.["storage"] !== undefined
    : status !== undefined && status !== "" && status !== "ControllerResizeInfeasible";
  return { kind: "expand", size: wasBegun ? allocated : asked, resizer };
}

function isNodeDone({ spec, status }: CachedClaim, volume: CachedVolume): boolean {
  const has = storageOf(status?.capacity);
  return (
    has.compare(storageOf(spec?.resources?.requests)) >= 0 &&
    has.compare(storageOf(volume.spec?.capacity)) >= 0
  );
}

import { parseQuantity } from "../quantity-parse.ts";
import type { Quantity } from "../quantity.ts";
import { formatTime } from "../time.ts";
import type { PersistentVolumeClaimCondition, PersistentVolumeClaimStatus } from "../types/core-v1.gen.ts";

/** Who makes the volume of the claim larger. */
export const STORAGE_RESIZER = "volume.kubernetes.io/storage-resizer";
/** Of a volume that nodes have yet to make larger: what its claim has had before. */
export const PRE_RESIZE_CAPACITY = "volume.alpha.kubernetes.io/pre-resize-capacity";

/** How far the resize of a claim's storage is, where something has still to be done. */
export type ResizeStatus =
  | "ControllerResizeInProgress"
  | "ControllerResizeInfeasible"
  | "NodeResizePending"
  | "NodeResizeInProgress"
  | "NodeResizeInfeasible";

const RESIZE_CONDITIONS: ReadonlySet<string> = new Set([
  "Resizing",
  "FileSystemResizePending",
  "ControllerResizeError",
  "NodeResizeError",
]);

type Sizes = Readonly<Record<string, string>>;
/** What of a claim's status tells of its resize. */
type ResizePart = Pick<
  PersistentVolumeClaimStatus,
  "allocatedResources" | "allocatedResourceStatuses" | "capacity" | "conditions"
>;

/** What a claim asks for, and what it has. */
interface ClaimSizes {
  readonly spec?: { readonly resources?: { readonly requests?: WithStorage } };
  readonly status?: { readonly capacity?: WithStorage };
}
type WithStorage = { readonly storage?: string } | Sizes;

/** Nothing where it is not said. */
export function storageOf(sizes: WithStorage | undefined): Quantity {
  return parseQuantity(sizes?.["storage"] ?? "0");
}

/** The claim asks for more than it has. */
export function wantsMore({ spec, status }: ClaimSizes): boolean {
  return storageOf(spec?.resources?.requests).compare(storageOf(status?.capacity)) > 0;
}

/** A controller makes the volume larger, to this size. */
export function withResizeOnController(status: ResizePart, size: string, nowMs: number): ResizePart {
  return {
    ...status,
    allocatedResources: { ...status.allocatedResources, storage: size },
    allocatedResourceStatuses: resizeStatuses(status, "ControllerResizeInProgress"),
    conditions: resizeConditions(othersOf(status), status, { type: "Resizing" }, nowMs),
  };
}

/** The volume is larger, and nodes are to make its file system so. */
export function withResizeOnNode(status: ResizePart, nowMs: number): ResizePart {
  const message = "Waiting for user to (re-)start a pod to finish file system resize of volume on node.";
  const pending = { type: "FileSystemResizePending", message };
  return {
    ...status,
    allocatedResourceStatuses: resizeStatuses(status, "NodeResizePending"),
    conditions: resizeConditions(status.conditions ?? [], status, pending, nowMs),
  };
}

/** All has this size. What was allocated stays: it tells of the last resize. */
export function withResizeDone(status: ResizePart, size: string): ResizePart {
  const { allocatedResourceStatuses: { storage: _, ...others } = {}, conditions, ...rest } = status;
  return {
    ...rest,
    capacity: { ...status.capacity, storage: size },
    ...(Object.keys(others).length > 0 && { allocatedResourceStatuses: others }),
    ...(conditions && { conditions: othersOf(status) }),
  };
}

function resizeStatuses({ allocatedResourceStatuses }: ResizePart, storage: ResizeStatus): Sizes {
  return { ...allocatedResourceStatuses, storage };
}

function othersOf({ conditions = [] }: ResizePart): readonly PersistentVolumeClaimCondition[] {
  return conditions.filter(({ type }) => !RESIZE_CONDITIONS.has(type));
}

/** `kept` with a condition that is true; one that was so before is left as it was, in its place. */
function resizeConditions(
  kept: readonly PersistentVolumeClaimCondition[],
  { conditions = [] }: ResizePart,
  condition: { readonly type: string; readonly message?: string },
  nowMs: number,
): readonly PersistentVolumeClaimCondition[] {
  const before = conditions.find(({ type }) => type === condition.type);
  const isSame = before?.status === "True";
  const next = isSame ? before : { ...condition, status: "True", lastTransitionTime: formatTime(nowMs) };
  if (before === undefined) return [...kept, next];
  return conditions.flatMap((each) => {
    if (each === before) return [next];
    return kept.includes(each) ? [each] : [];
  });
}

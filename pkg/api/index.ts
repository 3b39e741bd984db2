/*
 * Kubernetes' objects as they are on the wire, and what can be said of them without asking anybody. The types of a group
 * are in a room of their own: `/api/apps-v1`, `/api/core-v1`, `/api/meta`.
 */
export {
  isStored,
  keyOf,
  refKey,
  splitKey,
  type ApiObject,
  type ListMeta,
  type ManagedFieldsEntry,
  type NamespacedMeta,
  type ObjectList,
  type ObjectMeta,
  type ObjectRef,
  type OwnerReference,
  type PartialObject,
  type Status,
  type StatusCause,
  type StatusDetails,
  type Stored,
  type StoredObject,
  type WatchEvent,
  type WatchEventType,
} from "./object.ts";
export type { PartOf, PathsOf, Projected } from "./projected.ts";
export type { PropagationPolicy } from "./propagation-policy.ts";

// What is served.
export {
  apiVersionOf,
  groupResource,
  resourcePath,
  type BuiltInResource,
  type Resource,
  type ServedResource,
  type Subresource,
  type TypedResource,
} from "./resource.ts";
export { allResources, findResource, isServedByDefault, resourceOfKind, resources } from "./resources.ts";

// Values that are written as text.
export { addInt64, compareInt64, isInt64, parseInt64, toInt64, type Int64 } from "./int64.ts";
export { parseJson } from "./wire-json.ts";
export { Quantity, zeroQuantity } from "./quantity.ts";
export { QuantityError, parseQuantity, type WrittenQuantity } from "./quantity-parse.ts";
export { formatMicroTime, formatTime, parseTime, TimeError } from "./time.ts";
export { DurationError, formatDurationMs, parseDurationMs } from "./duration.ts";
export { IntOrStringError, scaledValue, type IntOrString } from "./int-or-string.ts";
export { dnsLabelProblems, dnsSubdomainProblems, generateName } from "./names.ts";
export { compareResourceVersions } from "./resource-version.ts";

// Selectors.
export {
  everything,
  nothing,
  SelectorError,
  selectorFromLabels,
  type LabelOperator,
  type LabelRequirement,
  type Labels,
  type LabelSelector,
} from "./labels.ts";
export { parseLabelSelector } from "./labels-parse.ts";
export { selectorFromSpec, type LabelSelectorSpec } from "./label-selector.ts";
export { parseFieldSelector, selectorFromFields, type FieldSelector } from "./fields.ts";

// Owners, conditions, equality, patches.
export { controllerOf, isControlledBy, newControllerRef, parseApiVersion } from "./owner-references.ts";
export {
  findCondition,
  hasCondition,
  removeCondition,
  setCondition,
  type NewCondition,
} from "./conditions.ts";
export { semanticEqual } from "./equality.ts";
export { changedPaths } from "./changed-paths.ts";
export { deepFreeze } from "./freeze.ts";
export { applyJsonPatch } from "./patch/json-patch.ts";
export { applyMergePatch, createMergePatch } from "./patch/merge-patch.ts";
export { applyStrategicMergePatch } from "./patch/strategic-merge-patch.ts";
export { PatchError } from "./patch/patch-error.ts";
export { combinedError, messageOf, throwAll } from "./errors.ts";

// Pods, nodes and jobs.
export {
  containerStatus,
  isPodActive,
  isPodAvailable,
  isPodReady,
  isPodTerminal,
  isPodTerminating,
  podCondition,
} from "./pod.ts";
export { isNodeReady, nodeCondition } from "./node.ts";
export { tolerates, untoleratedTaint } from "./taints.ts";
export { finishedCondition, isJobFinished, isJobSuspended } from "./job.ts";

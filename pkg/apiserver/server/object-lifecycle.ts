import type { ApiObject } from "../../api/object.ts";
import { formatTime } from "../../api/time.ts";
import { type Random, randomUuid } from "../../clock/random.ts";
import { asJson, copyField, type Json, sameValue, text } from "../../api/json.ts";
import type { Draft } from "../kinds/kind.ts";
import type { Unstored } from "../storage/store.ts";

/** metadata in the order in which the API server writes it; anything else comes last. */
const metadataOrder = [
  "name",
  "generateName",
  "namespace",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "labels",
  "annotations",
  "ownerReferences",
  "finalizers",
  "managedFields",
];

/** What only the server may say of a new object. */
export function stampNew(draft: Draft, nowMs: number, random: Random): void {
  const { metadata } = draft;
  delete metadata["deletionTimestamp"];
  delete metadata["deletionGracePeriodSeconds"];
  metadata["uid"] = randomUuid(random);
  metadata["creationTimestamp"] = formatTime(nowMs);
}

/** What an update cannot change in silence: it stays as it was. A change of uid, name or namespace is an error later. */
export function keepSystemFields(draft: Draft, before: ApiObject): void {
  const { metadata } = draft;
  const old = asJson(before)["metadata"] as Json;
  copyField(metadata, old, "generation");
  copyField(metadata, old, "creationTimestamp");
  if (old["deletionTimestamp"] !== undefined) copyField(metadata, old, "deletionTimestamp");
  if (old["deletionGracePeriodSeconds"] !== undefined && metadata["deletionGracePeriodSeconds"] === undefined)
    copyField(metadata, old, "deletionGracePeriodSeconds");
  if (text(metadata, "uid") === "") copyField(metadata, old, "uid");
}

/** Whether anything but metadata and status differs. */
export function specChanged(draft: Draft, before: ApiObject, statusCounts: boolean): boolean {
  const old = asJson(before);
  return Object.keys({ ...old, ...draft }).some((key) => {
    if (key === "metadata" || key === "kind" || key === "apiVersion") return false;
    if (key === "status" && !statusCounts) return false;
    return !sameValue(draft[key], old[key]);
  });
}

/** Brings the members into their usual order and leaves out what is empty: ready to be stored. */
export function finishObject(draft: Draft): Unstored {
  const { kind, apiVersion, metadata, ...rest } = draft;
  const ordered: Json = {};
  for (const key of metadataOrder) {
    // The store fills the version in: its place is kept.
    if (key === "resourceVersion") ordered[key] = "";
    else if (!isEmptyValue(metadata[key])) ordered[key] = metadata[key];
  }
  for (const key of Object.keys(metadata)) {
    if (!Object.hasOwn(ordered, key) && !isEmptyValue(metadata[key])) ordered[key] = metadata[key];
  }
  return { kind, apiVersion, metadata: ordered, ...rest } as Unstored;
}

/** What the storage does not keep. */
const unstored = { resourceVersion: "", selfLink: "" };

/** Equal but for the version: nothing to write. */
export function sameObject(left: ApiObject, right: ApiObject): boolean {
  const { metadata: leftMetadata, ...leftRest } = asJson(left);
  const { metadata: rightMetadata, ...rightRest } = asJson(right);
  return (
    sameValue({ ...(leftMetadata as Json), ...unstored }, { ...(rightMetadata as Json), ...unstored }) &&
    sameValue(leftRest, rightRest)
  );
}

export function isEmptyValue(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.keys(value).length === 0;
}

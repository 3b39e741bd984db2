import type { ManagedFieldsEntry } from "../../api/object.ts";
import { done, type Steps } from "../../api/steps.ts";
import type { FieldSet } from "./field-set.ts";
import { fromFieldsV1, isEmptySet, toFieldsV1, union } from "./field-set.ts";
import { compareStrings } from "./path-element.ts";

/** Who owns what: one entry of managedFields, taken apart. */
export interface Manager {
  readonly name: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly subresource: string;
  /** RFC 3339, to the second; "" when the entry has none. */
  readonly time: string;
  readonly fields: FieldSet;
}

/** By identity, see managerId. Treated as immutable. */
export type Managers = ReadonlyMap<string, Manager>;

export class ManagedFieldsError extends Error {
  readonly code = "InvalidManagedFields";
}

/** Updates through several versions are several managers; applies are one, whatever the version. */
export function managerId(
  manager: Pick<Manager, "name" | "operation" | "apiVersion" | "subresource">,
): string {
  const { name, operation, apiVersion, subresource } = manager;
  return JSON.stringify({
    ...(name !== "" && { manager: name }),
    operation,
    ...(operation === "Update" && { apiVersion }),
    ...(subresource !== "" && { subresource }),
  });
}

/** Throws a ManagedFieldsError for entries that no server has written. */
export function decodeManagers(entries: readonly ManagedFieldsEntry[] = []): Steps<Managers> {
  return entries.length === 0 ? done(noManagers) : decodeEntries(entries);
}

const noManagers: Managers = new Map();

function* decodeEntries(entries: readonly ManagedFieldsEntry[]): Steps<Managers> {
  const managers = new Map<string, Manager>();
  for (const [index, entry] of entries.entries()) {
    const { operation, apiVersion = "", fieldsType = "" } = entry;
    if (operation !== "Apply" && operation !== "Update") {
      throw new ManagedFieldsError("operation must be `Apply` or `Update`");
    }
    if (apiVersion === "") throw new ManagedFieldsError("apiVersion must not be empty");
    if (fieldsType === "") {
      throw new ManagedFieldsError(`missing fieldsType in managed fields entry ${index}`);
    }
    if (fieldsType !== "FieldsV1") {
      throw new ManagedFieldsError(
        `invalid fieldsType ${JSON.stringify(fieldsType)} in managed fields entry ${index}`,
      );
    }
    const manager: Manager = {
      name: entry.manager ?? "",
      operation,
      apiVersion,
      subresource: entry.subresource ?? "",
      time: entry.time ?? "",
      fields: yield* decodeFields(entry),
    };
    managers.set(managerId(manager), manager);
  }
  return managers;
}

function* decodeFields(entry: ManagedFieldsEntry): Steps<FieldSet> {
  try {
    return yield* fromFieldsV1(entry.fieldsV1);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ManagedFieldsError(`error decoding set: ${error.message}`, { cause: error });
  }
}

/** undefined when nobody manages anything: the field is then left out. */
export function* encodeManagers(managers: Managers): Steps<readonly ManagedFieldsEntry[] | undefined> {
  if (managers.size === 0) return undefined;
  const entries: ManagedFieldsEntry[] = [];
  for (const manager of [...managers.values()].sort(compareManagers))
    entries.push({
      ...(manager.name !== "" && { manager: manager.name }),
      operation: manager.operation,
      apiVersion: manager.apiVersion,
      ...(manager.time !== "" && { time: manager.time }),
      fieldsType: "FieldsV1",
      fieldsV1: yield* toFieldsV1(manager.fields),
      ...(manager.subresource !== "" && { subresource: manager.subresource }),
    });
  return entries;
}

/** An empty list, or one empty entry, is a request to forget all managers. */
export function isReset(entries: readonly ManagedFieldsEntry[] | undefined): boolean {
  if (entries === undefined) return false;
  const [only] = entries;
  return only === undefined || (entries.length === 1 && Object.keys(only).length === 0);
}

export function withManager(managers: Managers, manager: Manager): Managers {
  const id = managerId(manager);
  const others = [...managers].filter(([other]) => other !== id);
  return new Map(isEmptySet(manager.fields) ? others : [...others, [id, manager]]);
}

const maxUpdateManagers = 10;

/** Folds the oldest updates into one entry per version, so that their number stays bounded. */
export function capUpdateManagers(managers: Managers): Steps<Managers> {
  return managers.size <= maxUpdateManagers ? done(managers) : foldOldest(managers);
}

function* foldOldest(managers: Managers): Steps<Managers> {
  const updates = [...managers].filter(([, manager]) => manager.operation === "Update");
  let excess = updates.length - maxUpdateManagers;
  if (excess <= 0) return managers;
  const result = new Map(managers);
  const firstOfVersion = new Map<string, string>();
  for (const [id, manager] of updates.sort(olderFirst)) {
    if (excess <= 0) break;
    const first = firstOfVersion.get(manager.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(manager.apiVersion, id);
      continue;
    }
    const bucket: Manager = { ...manager, name: "ancient-changes", subresource: "" };
    const bucketId = managerId(bucket);
    const old = result.get(bucketId) ?? result.get(first);
    result.delete(first);
    result.delete(id);
    result.set(
      bucketId,
      old === undefined ? bucket : { ...bucket, fields: yield* union(manager.fields, old.fields) },
    );
    excess--;
  }
  return result;
}

function olderFirst([aId, a]: [string, Manager], [bId, b]: [string, Manager]): number {
  return seconds(a) - seconds(b) || compareStrings(aId, bId);
}

function compareManagers(a: Manager, b: Manager): number {
  return (
    compareStrings(a.operation, b.operation) ||
    seconds(a) - seconds(b) ||
    compareStrings(a.name, b.name) ||
    compareStrings(a.apiVersion, b.apiVersion) ||
    compareStrings(a.subresource, b.subresource)
  );
}

function seconds(manager: Manager): number {
  return manager.time === "" ? 0 : Math.floor(Date.parse(manager.time) / 1000);
}

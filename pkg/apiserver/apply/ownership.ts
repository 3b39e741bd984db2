import type { ApiObject } from "../../api/object.ts";
import { jsonEqual } from "../../api/patch/json.ts";
import { done, type Steps } from "../../api/steps.ts";
import { fieldElement } from "./path-element.ts";
import type { FieldSchema } from "./field-schema.ts";
import type { FieldSet } from "./field-set.ts";
import {
  difference,
  emptySet,
  intersection,
  isEmptySet,
  setOfPaths,
  union,
  withoutSubtrees,
} from "./field-set.ts";
import type { Comparison } from "./compare.ts";
import { compare } from "./compare.ts";
import type { Loss } from "./conflict.ts";
import type { Managers } from "./managers.ts";
import { withManager } from "./managers.ts";
import { fieldsOf, withNamedFields } from "./own-fields.ts";
import { removeFields } from "./remove.ts";
import { isObject } from "./typed-value.ts";

/** Fields that no manager owns: the server sets them, or everybody must give them. */
const unowned = setOfPaths(
  [
    ["apiVersion"],
    ["kind"],
    ["metadata"],
    ...["name", "namespace", "creationTimestamp", "selfLink", "uid", "clusterName"].map((name) => [
      "metadata",
      name,
    ]),
    ...["generation", "managedFields", "resourceVersion"].map((name) => ["metadata", name]),
  ].map((path) => path.map(fieldElement)),
);

export function withoutUnowned(fields: FieldSet): Steps<FieldSet> {
  return difference(fields, unowned);
}

export function fieldSetOf(paths: readonly (readonly string[])[]): FieldSet {
  return setOfPaths(paths.map((path) => path.map(fieldElement)));
}

/**
 * What a write takes from the managers other than the writer: of fields that it changes or adds they lose the ownership
 * (for an apply without force that is a conflict), and fields that it removes are nobody's.
 */
export function takeFromOthers(managers: Managers, writer: string, comparison: Comparison): Steps<Taken> {
  return managers.size === 0 ? done({ managers, losses: [] }) : takeFrom(managers, writer, comparison);
}

interface Taken {
  readonly managers: Managers;
  readonly losses: readonly Loss[];
}

function* takeFrom(managers: Managers, writer: string, comparison: Comparison): Steps<Taken> {
  const changed = yield* union(comparison.modified, comparison.added);
  const losses: Loss[] = [];
  let result = managers;
  for (const [id, manager] of managers) {
    if (id === writer) continue;
    const lost = yield* intersection(manager.fields, changed);
    if (isEmptySet(lost) && isEmptySet(comparison.removed) && !isEmptySet(manager.fields)) continue;
    losses.push({ manager, fields: lost });
    const left = yield* difference(manager.fields, lost);
    const fields = yield* difference(left, comparison.removed);
    result = withManager(result, { ...manager, fields });
  }
  return { managers: result, losses };
}

/**
 * What two states of an object differ in, each without the members that are the same in both: they would be walked through
 * for nothing, such as all of a spec where the status is written.
 */
export function differing(before: ApiObject, after: ApiObject): readonly [before: object, after: object] {
  const [was, is] = [{ ...before }, { ...after }] as [Record<string, unknown>, Record<string, unknown>];
  for (const key of Object.keys(was)) {
    if (was[key] === undefined || !jsonEqual(was[key], is[key])) continue;
    delete was[key];
    delete is[key];
  }
  return [was, is];
}

/** The comparison of two objects that are complete, without what the endpoint of the write cannot set. */
export function* compareWritten(
  schema: FieldSchema,
  was: unknown,
  is: unknown,
  reset: FieldSet,
): Steps<Comparison> {
  const { added, modified, removed } = yield* compare(schema, was, is);
  return {
    added: yield* withoutSubtrees(added, reset),
    modified: yield* withoutSubtrees(modified, reset),
    removed: yield* withoutSubtrees(removed, reset),
  };
}

/**
 * Takes away what the manager applied last time (`last`) and does not apply now, as long as nobody else owns it.
 * `managers` already has what the manager applies now.
 */
export function* prune(
  schema: FieldSchema,
  merged: unknown,
  managers: Managers,
  last: FieldSet,
): Steps<unknown> {
  const named = (set: FieldSet): Steps<FieldSet> => withNamedFields(schema, set);
  const fieldsIn = (value: unknown): Steps<FieldSet> => fieldsOf(schema, isObject(value) ? value : {});
  const applied = yield* named(last);
  const removed = yield* removeFields(schema, merged, applied);
  let owned = emptySet;
  for (const { fields } of managers.values()) owned = yield* union(owned, fields);
  const whole = yield* named(yield* fieldsOf(schema, merged));

  // With an object or item that goes, everything within it went: what others own in there comes back.
  const left = yield* named(yield* fieldsIn(removed));
  const claimed = yield* union(left, yield* named(owned));
  const returned = yield* removeFields(schema, merged, yield* difference(whole, claimed));

  // And so does what was within it, but never applied by this manager.
  const kept = yield* named(yield* fieldsIn(returned));
  const gone = yield* intersection(yield* difference(whole, kept), applied);
  return yield* removeFields(schema, merged, gone);
}

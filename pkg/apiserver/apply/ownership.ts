import type { Steps } from "../../api/steps.ts";
import { fieldElement } from "./path-element.ts";
import type { FieldSchema } from "./field-schema.ts";
import type { FieldSet } from "./field-set.ts";
import { difference, intersection, setOfPaths, union, withoutSubtrees } from "./field-set.ts";
import type { Comparison } from "./compare.ts";
import { compare } from "./compare.ts";
import type { Conflict } from "./conflict.ts";
import { conflictsOf } from "./conflict.ts";
import type { Manager, Managers } from "./managers.ts";
import { withManager } from "./managers.ts";
import { fieldsOf, withNamedFields } from "./own-fields.ts";
import { removeFields } from "./remove.ts";
import { complete, isObject } from "./typed-value.ts";

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

export function withoutUnowned(fields: FieldSet): FieldSet {
  return difference(fields, unowned);
}

export function fieldSetOf(paths: readonly (readonly string[])[] | undefined): FieldSet {
  return setOfPaths((paths ?? []).map((path) => path.map(fieldElement)));
}

/**
 * What a write takes from the managers other than the writer: of fields that it changes or adds they lose the ownership
 * (for an apply without force that is a conflict), and fields that it removes are nobody's.
 */
export function* takeFromOthers(
  managers: Managers,
  writer: string,
  comparison: Comparison,
): Steps<{ readonly managers: Managers; readonly conflicts: readonly Conflict[] }> {
  const changed = union(comparison.modified, comparison.added);
  yield;
  const owners: { manager: Manager; fields: FieldSet }[] = [];
  let result = managers;
  for (const [id, manager] of managers) {
    if (id === writer) continue;
    const lost = intersection(manager.fields, changed);
    yield;
    owners.push({ manager, fields: lost });
    const left = difference(manager.fields, lost);
    yield;
    const fields = difference(left, comparison.removed);
    yield;
    result = withManager(result, { ...manager, fields });
  }
  return { managers: result, conflicts: conflictsOf(owners) };
}

/** The comparison of two objects, with all that their types imply, without what the endpoint of the write cannot set. */
export function* compareWritten(
  schema: FieldSchema,
  before: unknown,
  after: unknown,
  reset: FieldSet,
): Steps<Comparison> {
  const was = complete(schema, before);
  yield;
  const is = complete(schema, after);
  yield;
  const { added, modified, removed } = yield* compare(schema, was, is);
  yield;
  return {
    added: withoutSubtrees(added, reset),
    modified: withoutSubtrees(modified, reset),
    removed: withoutSubtrees(removed, reset),
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
  const named = (set: FieldSet): FieldSet => withNamedFields(schema, set);
  const applied = named(last);
  yield;
  const removed = removeFields(schema, merged, applied);
  let owned = fieldSetOf([]);
  for (const { fields } of managers.values()) {
    yield;
    owned = union(owned, fields);
  }
  yield;
  const whole = named(yield* fieldsOf(schema, merged));
  yield;

  // With an object or item that goes, everything within it went: what others own in there comes back.
  const left = named(yield* fieldsOf(schema, isObject(removed) ? removed : {}));
  yield;
  const claimed = union(left, named(owned));
  yield;
  const returned = removeFields(schema, merged, difference(whole, claimed));
  yield;

  // And so does what was within it, but never applied by this manager.
  const kept = named(yield* fieldsOf(schema, isObject(returned) ? returned : {}));
  yield;
  return removeFields(schema, merged, intersection(difference(whole, kept), applied));
}

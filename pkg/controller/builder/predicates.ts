import { semanticEqual } from "../../api/equality.ts";
import { type PartialObject, type Stored } from "../../api/object.ts";
import { managerChanged } from "../owner-lookup.ts";
import type { WakeRule } from "../cache.ts";

/** Whether an update is of interest. */
export type Predicate = (before: PartialObject, after: PartialObject) => boolean;

type Fields = Readonly<Record<string, unknown>>;

/** Predicates of updates, by what has changed. */
export const changed = {
  /** All but metadata and status: the data of a ConfigMap counts, though it has neither spec nor generation. */
  spec: (before: PartialObject, after: PartialObject): boolean => {
    const was: Fields = { ...before };
    const is: Fields = { ...after };
    return [...new Set([...Object.keys(was), ...Object.keys(is)])].some(
      (field) => !BESIDE_SPEC.has(field) && was[field] !== is[field] && !semanticEqual(was[field], is[field]),
    );
  },
  status: at("status"),
  labels: at("metadata.labels"),
  annotations: at("metadata.annotations"),
  at,
  any: (...predicates: readonly Predicate[]): Predicate => {
    return (before, after) => predicates.some((predicate) => predicate(before, after));
  },
} as const;

const BESIDE_SPEC: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata", "status"]);

/** A path such as "status.readyReplicas", or "metadata.annotations[example.com/pause]". */
function at(path: string): Predicate {
  const segments = [...path.matchAll(/\[([^\]]+)\]|([^.[\]]+)/g)].map(([, key, field]) => key ?? field ?? "");
  if (segments.length === 0) throw new Error("the path of a field is empty");
  return (before, after) => !semanticEqual(valueAt(before, segments), valueAt(after, segments));
}

function valueAt(object: unknown, segments: readonly string[]): unknown {
  let value = object;
  for (const segment of segments) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Fields)[segment];
  }
  return value;
}

/**
 * The rule for updates that are of interest. What comes, goes, is about to go or gets another owner always is, and so are
 * resyncs, which somebody has asked for.
 */
export function where<T extends PartialObject, K = string>(
  predicate: Predicate | undefined,
  rule: WakeRule<T, K>,
): WakeRule<T, K> {
  if (predicate === undefined) return rule;
  return (change, wake) => {
    const isOfInterest =
      change.type !== "updated" ||
      change.resync ||
      isTurningPoint(change.before, change.object) ||
      predicate(change.before, change.object);
    if (isOfInterest) rule(change, wake);
  };
}

function isTurningPoint<T extends PartialObject>(before: Stored<T>, after: Stored<T>): boolean {
  return (
    before.metadata.deletionTimestamp !== after.metadata.deletionTimestamp || managerChanged(before, after)
  );
}

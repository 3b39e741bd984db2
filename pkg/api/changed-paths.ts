import { semanticEqual } from "./equality.ts";
import type { PartialObject } from "./object.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Told of at the most; a last one of "…" stands for the others. */
const MOST = 8;
const MORE = "…";
/** Different in every update, so that they tell nothing. */
const ALWAYS_IN_METADATA = new Set(["resourceVersion", "managedFields"]);
/** So many paths are made once and kept: of most resources there are few that ever change. */
const MOST_KNOWN = 1_000;
const known = new Map<string, Map<string, string>>();
let knownPaths = 0;

let last:
  | { readonly before: PartialObject; readonly after: PartialObject; readonly paths: readonly string[] }
  | undefined;

/**
 * What is different between two versions of an object, two levels deep, such as "status.phase". It is asked for with
 * every update that wakes somebody, as a rule by one controller after the other: so the last answer is remembered, and
 * nothing is allocated but what is found.
 */
export function changedPaths(before: PartialObject, after: PartialObject): readonly string[] {
  if (last === undefined || last.before !== before || last.after !== after)
    last = { before, after, paths: findChangedPaths(before, after) };
  return last.paths;
}

function findChangedPaths(before: PartialObject, after: PartialObject): readonly string[] {
  const paths: string[] = [];
  compare(before as unknown as Fields, after as unknown as Fields, (key, was, is) => {
    if (isFields(was) && isFields(is)) {
      compare(was, is, (below, a, b) => {
        if (paths.length > MOST || (key === "metadata" && ALWAYS_IN_METADATA.has(below))) return;
        if (!semanticEqual(a, b)) paths.push(pathOf(key, below));
      });
    } else if (!semanticEqual(was, is)) paths.push(key);
  });
  return paths.length <= MOST ? paths : [...paths.slice(0, MOST), MORE];
}

function pathOf(key: string, below: string): string {
  const path = known.get(key)?.get(below);
  if (path !== undefined) return path;
  const made = `${key}.${below}`;
  if (knownPaths >= MOST_KNOWN) return made;
  knownPaths++;
  const beside = known.get(key);
  if (beside === undefined) known.set(key, new Map([[below, made]]));
  else beside.set(below, made);
  return made;
}

/** Visits the values that are not the very same, of every key that either has. */
function compare(
  before: Fields,
  after: Fields,
  visit: (key: string, was: unknown, is: unknown) => void,
): void {
  for (const key in before) if (before[key] !== after[key]) visit(key, before[key], after[key]);
  for (const key in after) if (!(key in before)) visit(key, undefined, after[key]);
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

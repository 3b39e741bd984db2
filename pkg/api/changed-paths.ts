import { semanticEqual } from "./equality.ts";
import type { ApiObject } from "./object.ts";

/** Told of at the most; a last one of "…" stands for the others. */
const MOST = 8;
const MORE = "…";
/** Different in every update, so that they tell nothing. */
const ALWAYS = new Set(["metadata.resourceVersion", "metadata.managedFields"]);

/** What is different between two versions of an object, two levels deep, such as "status.phase". */
export function changedPaths(before: ApiObject, after: ApiObject): readonly string[] {
  const paths: string[] = [];
  eachPair(before, after, (key, was, is) => {
    if (was === is) return;
    if (isRecord(was) && isRecord(is)) {
      eachPair(was, is, (below, a, b) => {
        const path = `${key}.${below}`;
        if (a !== b && !ALWAYS.has(path) && !semanticEqual(a, b)) paths.push(path);
      });
    } else if (!semanticEqual(was, is)) paths.push(key);
  });
  return paths.length <= MOST ? paths : [...paths.slice(0, MOST), MORE];
}

/** The values of every key that either has. */
function eachPair(
  before: object,
  after: object,
  visit: (key: string, was: unknown, is: unknown) => void,
): void {
  const is = new Map<string, unknown>(Object.entries(after));
  for (const [key, was] of Object.entries(before)) {
    visit(key, was, is.get(key));
    is.delete(key);
  }
  for (const [key, now] of is) visit(key, undefined, now);
}

function isRecord(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

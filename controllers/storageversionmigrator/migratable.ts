import type { ServedResource } from "../../pkg/api/resource.ts";

/** What it takes to write the objects of a resource anew. In the order in which upstream names them. */
export const NEEDED_VERBS: readonly string[] = ["update", "patch", "list"];

export function isMigratable({ verbs }: Pick<ServedResource, "verbs">): boolean {
  const known = new Set(verbs);
  return NEEDED_VERBS.every((verb) => known.has(verb));
}

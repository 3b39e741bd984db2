import { groupResource, type ServedResource } from "../../pkg/api/resource.ts";

/** Nobody owns events or is owned by them, and there are many. */
const IGNORED: ReadonlySet<string> = new Set(["events", "events.events.k8s.io"]);
const NEEDED_VERBS = ["delete", "list", "watch"];

export function isDeletable(resource: ServedResource): boolean {
  return NEEDED_VERBS.every((verb) => resource.verbs.includes(verb)) && !IGNORED.has(groupResource(resource));
}

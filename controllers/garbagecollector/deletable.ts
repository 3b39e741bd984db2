import { groupResource, type Resource } from "../../pkg/api/resource.ts";

/** A resource as discovery tells of it. */
interface Discovered extends Resource {
  readonly verbs: readonly string[];
}

/** Nobody owns events or is owned by them, and there are many. */
const IGNORED: ReadonlySet<string> = new Set(["events", "events.events.k8s.io"]);
const NEEDED_VERBS = ["delete", "list", "watch"];

export function isDeletable(resource: Discovered): boolean {
  return NEEDED_VERBS.every((verb) => resource.verbs.includes(verb)) && !IGNORED.has(groupResource(resource));
}

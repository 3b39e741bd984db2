import { groupResource, type ServedResource } from "../../pkg/api/resource.ts";

/** One needs all of them to count objects, and a quota is about what can be created and deleted. */
const NEEDED_VERBS = ["create", "list", "watch", "delete"];

/** Events never had quotas: the others are not stored at all. */
const IGNORED: ReadonlySet<string> = new Set([
  "bindings",
  "componentstatuses",
  "tokenreviews.authentication.k8s.io",
  "selfsubjectreviews.authentication.k8s.io",
  "subjectaccessreviews.authorization.k8s.io",
  "selfsubjectaccessreviews.authorization.k8s.io",
  "localsubjectaccessreviews.authorization.k8s.io",
  "selfsubjectrulesreviews.authorization.k8s.io",
  "events",
  "events.events.k8s.io",
]);

export function isQuotable(resource: ServedResource): boolean {
  return (
    resource.namespaced &&
    NEEDED_VERBS.every((verb) => resource.verbs.includes(verb)) &&
    !IGNORED.has(groupResource(resource))
  );
}

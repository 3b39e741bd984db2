import type { PolicyRule } from "../../api/types/rbac-v1.gen.ts";

/** What is asked for: something of a resource, or a path when there is no resource. */
export interface AccessAttributes {
  readonly verb: string;
  readonly group: string;
  /** "" for a request that is not for a resource. */
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  readonly namespace: string;
  readonly path: string;
}

const matches = (allowed: readonly string[] | undefined, wanted: string): boolean =>
  allowed?.some((one) => one === "*" || one === wanted) === true;

export function ruleAllows(rule: PolicyRule, wanted: AccessAttributes): boolean {
  if (!matches(rule.verbs, wanted.verb)) return false;
  if (wanted.resource === "") return pathMatches(rule.nonResourceURLs ?? [], wanted.path);
  return (
    matches(rule.apiGroups, wanted.group) &&
    resourceMatches(rule.resources ?? [], wanted) &&
    ((rule.resourceNames ?? []).length === 0 || rule.resourceNames?.includes(wanted.name) === true)
  );
}

/** `pods`, `pods/log`, `* /log` (without the space) and `*`, which includes all subresources. */
function resourceMatches(allowed: readonly string[], wanted: AccessAttributes): boolean {
  const { resource, subresource } = wanted;
  const combined = subresource === "" ? resource : `${resource}/${subresource}`;
  return allowed.some(
    (one) => one === "*" || one === combined || (subresource !== "" && one === `*/${subresource}`),
  );
}

/** A path that is asked for may itself end in a star: it then stands for all that begins as it does. */
export function pathMatches(allowed: readonly string[], path: string): boolean {
  return allowed.some(
    (one) => one === "*" || one === path || (one.endsWith("*") && path.startsWith(one.replace(/\*+$/, ""))),
  );
}

/** Reads "get,list core,apps pods,deployments [names]" or "get /healthz,/livez". */
export function parseRule(text: string): PolicyRule {
  const [verbs = "", target = "", resources, names] = text.split(" ");
  if (resources === undefined) return { verbs: verbs.split(","), nonResourceURLs: target.split(",") };
  return {
    verbs: verbs.split(","),
    apiGroups: target.split(",").map((group) => (group === "core" ? "" : group)),
    resources: resources.split(","),
    ...(names === undefined ? {} : { resourceNames: names.split(",") }),
  };
}

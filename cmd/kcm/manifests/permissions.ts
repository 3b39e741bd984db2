import type { PolicyRule } from "../../../pkg/api/types/rbac-v1.gen.ts";
import { groupResource } from "../../../pkg/api/resource.ts";
import { CERTIFICATE_TARGETS, type Permission } from "./permission-sets.ts";
import type { OperatorModule } from "./load-module.ts";
import type { Seen } from "./seen-requests.ts";

const READS = ["get", "list", "watch"];
const KEEPS = [...READS, "create", "update", "patch", "delete"];
const VERBS = [...KEEPS, "deletecollection"];

/**
 * What the operator must be allowed: what its controllers were seen to do, and what goes with that. Who watches reads in
 * all ways; who writes what it watches may have to write it in any other way tomorrow, or delete it.
 */
export function clusterRules(
  seen: readonly Seen[],
  { crds, webhooks }: OperatorModule,
  name: string,
): readonly PolicyRule[] {
  const verbs = new Map<string, { readonly permission: Permission; readonly verbs: Set<string> }>();
  const allow = (permission: Permission, ...more: readonly string[]): void => {
    const { group, resource, names = [] } = permission;
    const key = `${group} ${resource} ${names.join()}`;
    const entry = verbs.get(key) ?? { permission, verbs: new Set() };
    verbs.set(key, entry);
    for (const verb of more) entry.verbs.add(verb);
  };
  for (const { group, resource, verb } of seen) allow({ group, resource }, verb);
  for (const { permission, verbs: given } of verbs.values()) {
    const isOwn = crds.some(
      (crd) => crd.group === permission.group && crd.plural === permission.resource.split("/")[0],
    );
    if (given.has("watch") || given.has("list")) for (const verb of READS) given.add(verb);
    const isWritten = ["create", "update", "patch", "delete"].some((verb) => given.has(verb));
    if (isWritten && given.has("watch") && !isOwn) for (const verb of KEEPS) given.add(verb);
  }
  for (const { group, plural } of crds) {
    // Its statuses, and its finalizers, by way of which owned objects may block its deletion.
    allow({ group, resource: plural }, ...READS, "update", "patch");
    allow({ group, resource: `${plural}/status` }, "get", "update", "patch");
    allow({ group, resource: `${plural}/finalizers` }, "update");
  }
  allow({ group: "", resource: "events" }, "create", "patch");
  allow({ group: "events.k8s.io", resource: "events" }, "create", "patch");
  if (webhooks.length > 0)
    for (const target of CERTIFICATE_TARGETS) allow({ ...target, names: [name] }, "get", "patch");
  const definitions = crds.map(groupResource);
  if (definitions.length > 0) {
    const definition = { group: "apiextensions.k8s.io", resource: "customresourcedefinitions" };
    allow({ ...definition, names: definitions }, "get", "patch", "update");
    // A name that is not there yet cannot be asked for.
    allow(definition, "create");
  }
  return joined([...verbs.values()]);
}

/** Resources that are allowed the same go into one rule. */
function joined(
  entries: readonly { readonly permission: Permission; readonly verbs: ReadonlySet<string> }[],
): readonly PolicyRule[] {
  const rules = new Map<string, PolicyRule>();
  const sorted = entries.toSorted((a, b) => (keyOf(a.permission) < keyOf(b.permission) ? -1 : 1));
  for (const { permission, verbs } of sorted) {
    const { group, resource, names } = permission;
    const allowed = [...verbs].toSorted((a, b) => VERBS.indexOf(a) - VERBS.indexOf(b));
    const key = `${group} ${names?.join() ?? ""} ${allowed.join()}`;
    const before = rules.get(key)?.resources ?? [];
    rules.set(key, {
      apiGroups: [group],
      resources: [...before, resource],
      ...(names !== undefined && { resourceNames: names }),
      verbs: allowed,
    });
  }
  return [...rules.values()];
}

const keyOf = ({ group, resource }: Permission): string => `${group}/${resource}`;

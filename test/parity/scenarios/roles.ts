import type { ApiObject } from "../../../pkg/api/object.ts";
import { inArea, type Scenario, type Step, type Target } from "../scenario.ts";
import { fresh } from "./accounts.ts";
import { create } from "./objects.ts";

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const may = (verb: string, resource: string): Rule => ({
  apiGroups: [""],
  resources: [resource],
  verbs: [verb],
});

/** Roles are the cluster's: labels are those of the scenario alone. */
function rolesOf(scenario: string) {
  const labels = (to: string): Readonly<Record<string, string>> => ({ [`parity.dev/${scenario}`]: to });
  const role = (name: string, metadata: ApiObject["metadata"], more: object): Step =>
    create({
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { ...metadata, name },
      ...more,
    });
  return {
    labels,
    source: (name: string, to: string, ...rules: readonly Rule[]): Step =>
      role(name, { labels: labels(to) }, { rules }),
    sum: (
      name: string,
      of: readonly string[],
      metadata: ApiObject["metadata"] = {},
      rules?: readonly Rule[],
    ): Step =>
      role(name, metadata, {
        aggregationRule: { clusterRoleSelectors: of.map((to) => ({ matchLabels: labels(to) })) },
        ...(rules && { rules }),
      }),
  };
}

const sumHas = (resource: string | undefined, index = 0): Step => ({
  do: "until",
  target: "clusterRoles/sum",
  holds: { [`rules.${index}.resources.0`]: resource },
});
const label = (target: Target, labels: unknown): Step => ({
  do: "patch",
  target,
  body: { metadata: { labels } },
});

const twoSources = rolesOf("two");
const relabelled = rolesOf("relabelled");
const sourceGone = rolesOf("source-gone");
const overwritten = rolesOf("overwritten");
const chain = rolesOf("chain");
const none = rolesOf("none");

/** ClusterRoles that are the sums of others. */
export const roles: readonly Scenario[] = inArea("accounts", [
  {
    name: "role-of-two-sources",
    steps: [
      ...fresh,
      twoSources.source("a", "sum", may("get", "pods")),
      twoSources.source("b", "sum", may("get", "nodes"), may("get", "pods")),
      twoSources.sum("sum", ["sum"]),
      sumHas("pods"),
      twoSources.source("c", "sum", may("list", "secrets")),
      sumHas("secrets", 2),
    ],
  },
  {
    name: "role-loses-a-label",
    steps: [
      ...fresh,
      relabelled.source("a", "sum", may("get", "pods")),
      relabelled.source("b", "other", may("get", "nodes")),
      relabelled.sum("sum", ["sum"]),
      sumHas("pods"),
      label("clusterRoles/a", null),
      sumHas(undefined),
      label("clusterRoles/b", relabelled.labels("sum")),
      sumHas("nodes"),
    ],
  },
  {
    name: "role-whose-source-goes",
    steps: [
      ...fresh,
      sourceGone.source("a", "sum", may("get", "pods")),
      sourceGone.source("b", "more", may("get", "nodes")),
      sourceGone.sum("sum", ["sum", "more"]),
      sumHas("nodes", 1),
      { do: "delete", target: "clusterRoles/a" },
      sumHas("nodes"),
    ],
  },
  {
    name: "role-with-rules-of-its-own",
    steps: [
      ...fresh,
      overwritten.source("a", "sum", may("get", "pods")),
      overwritten.sum("sum", ["sum"], {}, [may("delete", "nodes")]),
      sumHas("pods"),
      { do: "patch", target: "clusterRoles/sum", body: { rules: [may("delete", "nodes")] } },
      sumHas("pods"),
    ],
  },
  {
    name: "role-of-a-sum",
    steps: [
      ...fresh,
      chain.source("a", "middle", may("get", "pods")),
      chain.sum("middle", ["middle"], { labels: chain.labels("sum") }),
      chain.sum("sum", ["sum"]),
      sumHas("pods"),
    ],
  },
  { name: "role-of-nothing", steps: [...fresh, none.sum("sum", ["nobody"])] },
]);

import type { ApiObject } from "../../../pkg/api/object.ts";
import type { PropagationPolicy } from "../../../pkg/api/propagation-policy.ts";
import { inArea, type Owner, type Scenario, type Step, type Target } from "../scenario.ts";
import { complete, create, deployment, pod } from "./objects.ts";

export function configMap(name: string, metadata: ApiObject["metadata"] = {}): ApiObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { ...metadata, name } };
}

function dependent(name: string, ...owners: readonly Owner[]): Step {
  return { do: "create", object: configMap(name), owners };
}

function remove(target: Target, policy: PropagationPolicy = "Background"): Step {
  return { do: "delete", target, policy };
}

const gone = (target: Target): Step => ({ do: "until gone", target });
const owned = (by: string): Step => ({
  do: "until",
  target: "configMaps/child",
  holds: { "metadata.ownerReferences.0.name": by, "metadata.ownerReferences.1": undefined },
});
const finalizers = (target: Target, names: readonly string[]): Step => ({
  do: "patch",
  target,
  body: { metadata: { finalizers: names } },
});

const owner: Owner = { target: "configMaps/owner" };
const blocking: Owner = { ...owner, blockOwnerDeletion: true };
/** An owner with a child that has a child. */
const family = (link: Owner): readonly Step[] => [
  create(configMap("owner")),
  dependent("child", link),
  dependent("grandchild", { ...link, target: "configMaps/child" }),
  create(configMap("bystander")),
];
const workload: readonly Step[] = [create(deployment(2)), complete(2)];

/** Owners and dependents. */
const collected: readonly Scenario[] = [
  {
    name: "owner-deleted-in-background",
    steps: [...family(blocking), remove("configMaps/owner"), gone("configMaps/grandchild")],
  },
  {
    name: "owner-deleted-in-foreground",
    steps: [...family(blocking), remove("configMaps/owner", "Foreground"), gone("configMaps/owner")],
  },
  {
    name: "owner-does-not-wait-for-those-that-do-not-block",
    steps: [...family(owner), remove("configMaps/owner", "Foreground"), gone("configMaps/grandchild")],
  },
  {
    name: "owner-orphans-its-dependents",
    steps: [...family(blocking), remove("configMaps/owner", "Orphan"), gone("configMaps/owner")],
  },
  {
    name: "owner-that-had-the-orphan-finalizer",
    steps: [
      create(configMap("owner", { finalizers: ["orphan"] })),
      dependent("child", blocking),
      remove("configMaps/owner"),
      gone("configMaps/child"),
    ],
  },
  {
    name: "one-of-two-owners-gone",
    steps: [
      create(configMap("owner")),
      create(configMap("other")),
      dependent("child", blocking, { target: "configMaps/other", controller: true }),
      remove("configMaps/owner"),
      owned("other"),
    ],
  },
  {
    name: "one-of-two-owners-waits",
    steps: [
      create(configMap("owner")),
      create(configMap("other")),
      dependent("child", blocking, { target: "configMaps/other" }),
      remove("configMaps/owner", "Foreground"),
      gone("configMaps/owner"),
      owned("other"),
    ],
  },
  {
    name: "owner-that-never-was",
    steps: [dependent("child", { target: "configMaps/none", uid: "none" }), gone("configMaps/child")],
  },
  {
    name: "owner-of-that-name-is-another",
    steps: [
      create(configMap("owner")),
      dependent("child", { ...owner, uid: "other" }),
      gone("configMaps/child"),
    ],
  },
  {
    name: "owner-of-an-unknown-kind",
    steps: [dependent("child", { target: "configMaps/none", kind: "Nothing", uid: "none" })],
  },
  {
    name: "owner-of-the-cluster",
    steps: [
      create({
        apiVersion: "rbac.authorization.k8s.io/v1",
        kind: "ClusterRole",
        metadata: { name: "owner" },
      }),
      dependent("child", { target: "clusterRoles/owner" }),
      remove("clusterRoles/owner"),
      gone("configMaps/child"),
    ],
  },
  {
    name: "owner-in-another-namespace",
    steps: [
      { do: "create", object: configMap("owner"), elsewhere: true },
      dependent("child", { ...owner, elsewhere: true }),
      gone("configMaps/child"),
    ],
  },
  {
    name: "dependent-held-by-a-finalizer",
    steps: [
      create(configMap("owner")),
      { do: "create", object: configMap("child", { finalizers: ["parity.dev/held"] }), owners: [blocking] },
      remove("configMaps/owner", "Foreground"),
      { do: "until", target: "configMaps/child", holds: { "metadata.deletionGracePeriodSeconds": 0 } },
      finalizers("configMaps/child", []),
      gone("configMaps/owner"),
    ],
  },
  {
    name: "owners-of-each-other",
    steps: [
      create(configMap("owner")),
      dependent("child", blocking),
      {
        do: "own",
        target: "configMaps/owner",
        owners: [{ target: "configMaps/child", blockOwnerDeletion: true }],
      },
      remove("configMaps/owner", "Foreground"),
      gone("configMaps/owner"),
      gone("configMaps/child"),
    ],
  },
  {
    name: "deployment-deleted-in-background",
    steps: [...workload, remove("deployments/web"), { do: "until pods", pods: {}, are: 0 }],
  },
  {
    name: "deployment-deleted-in-foreground",
    steps: [...workload, remove("deployments/web", "Foreground"), gone("deployments/web")],
  },
  {
    name: "deployment-leaves-orphans",
    steps: [...workload, remove("deployments/web", "Orphan"), gone("deployments/web")],
  },
];

/** Namespaces that are deleted. */
const emptied: readonly Scenario[] = [
  { name: "namespace-empty", steps: [remove("namespaces/own"), gone("namespaces/own")] },
  {
    name: "namespace-with-pods",
    steps: [
      create(pod("a")),
      create(pod("b")),
      create(configMap("c")),
      { do: "until pods", pods: { ready: true }, are: 2 },
      remove("namespaces/own"),
      gone("namespaces/own"),
    ],
  },
  {
    name: "namespace-held-by-a-finalizer",
    steps: [
      create(configMap("held", { finalizers: ["parity.dev/held"] })),
      remove("namespaces/own"),
      {
        do: "until",
        target: "namespaces/own",
        holds: {
          "status.phase": "Terminating",
          "status.conditions[NamespaceContentRemaining].message":
            "Some resources are remaining: configmaps. has 1 resource instances",
          "status.conditions[NamespaceFinalizersRemaining].message":
            "Some content in the namespace has finalizers remaining: parity.dev/held in 1 resource instances",
          "status.conditions[NamespaceDeletionContentFailure].status": "False",
        },
      },
      finalizers("configMaps/held", []),
      gone("namespaces/own"),
    ],
  },
];

export const garbage = inArea("garbage", [...collected, ...emptied]);

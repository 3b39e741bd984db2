import type { ApiObject } from "../../api/object.ts";
import type { PolicyRule, Subject } from "../../api/types/rbac-v1.gen.ts";
import { componentRoles } from "./component-roles.ts";
import { controllerRoles, controllerRolesOfBetas } from "./controller-roles.ts";
import { parseRule } from "./rbac-rules.ts";
import { userRoles } from "./user-roles.ts";

const rbac = "rbac.authorization.k8s.io";
const rbacVersion = `${rbac}/v1`;

export interface ClusterAddress {
  /** Address of the service `kubernetes`. */
  readonly clusterIp: string;
  /** Port that the server listens on. */
  readonly port: number;
}

/** What every cluster has before anybody has made anything, in an order in which it can be created. */
export function bootstrapObjects(
  address: ClusterAddress,
  runtimeConfig: readonly string[] = [],
): readonly ApiObject[] {
  const ofControllers = rolesOfControllers(runtimeConfig);
  return [
    ...["default", "kube-system", "kube-public", "kube-node-lease"].map(namespace),
    priorityClass(
      "system-node-critical",
      2_000_001_000,
      "Used for system critical pods that must not be moved from their current node.",
    ),
    priorityClass(
      "system-cluster-critical",
      2_000_000_000,
      "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
    ),
    ...clusterRoles(ofControllers),
    ...clusterRoleBindings(ofControllers),
    ...namespacedRoles(),
    kubernetesService(address),
  ];
}

function namespace(name: string): ApiObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}

function priorityClass(
  name: string,
  value: number,
  description: string,
): ApiObject & Record<string, unknown> {
  return {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name },
    value,
    description,
  };
}

const bootstrapped = {
  labels: { "kubernetes.io/bootstrapping": "rbac-defaults" },
  annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
} as const;

const aggregateLabel = (name: string): Record<string, string> => ({
  [`${rbac}/aggregate-to-${name}`]: "true",
});

/** admin gathers edit, which gathers view, besides rules of their own. */
const gathers: Readonly<Record<string, string>> = { edit: "admin", view: "edit" };

type RulesByName = Readonly<Record<string, readonly string[]>>;

/** Those of kinds that not every server serves are there where they are served. */
function rolesOfControllers(runtimeConfig: readonly string[]): RulesByName {
  const served = Object.entries(controllerRolesOfBetas).filter(([prefix]) =>
    runtimeConfig.some((version) => version.startsWith(prefix)),
  );
  return Object.assign({}, controllerRoles, ...served.map(([, roles]) => roles)) as RulesByName;
}

function clusterRoles(ofControllers: RulesByName): ApiObject[] {
  const roles: ApiObject[] = ["admin", "edit", "view"].map((name) => aggregatedRole(name));
  for (const [name, rules] of Object.entries(userRoles)) {
    const target = /^system:aggregate-to-(.*)$/.exec(name)?.[1];
    roles.push(clusterRole(name, rules, target === undefined ? {} : aggregateLabel(target)));
  }
  for (const [name, rules] of Object.entries(componentRoles)) roles.push(clusterRole(name, rules, {}));
  for (const [name, rules] of Object.entries(ofControllers)) {
    roles.push(clusterRole(`system:controller:${name}`, rules, {}));
  }
  return roles;
}

function clusterRole(
  name: string,
  rules: readonly string[],
  labels: Readonly<Record<string, string>>,
): ApiObject & { readonly rules: readonly PolicyRule[] } {
  return {
    apiVersion: rbacVersion,
    kind: "ClusterRole",
    metadata: { name, ...bootstrapped, labels: { ...bootstrapped.labels, ...labels } },
    rules: rules.map(parseRule),
  };
}

function aggregatedRole(name: string): ApiObject & Record<string, unknown> {
  const target = gathers[name];
  const labels = { ...bootstrapped.labels, ...(target === undefined ? {} : aggregateLabel(target)) };
  return {
    apiVersion: rbacVersion,
    kind: "ClusterRole",
    metadata: { name, ...bootstrapped, labels },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: aggregateLabel(name) }] },
    rules: [],
  };
}

const user = (name: string): Subject => ({ kind: "User", apiGroup: rbac, name });
const group = (name: string): Subject => ({ kind: "Group", apiGroup: rbac, name });
const account = (name: string): Subject => ({ kind: "ServiceAccount", name, namespace: "kube-system" });

const componentBindings: Readonly<Record<string, readonly Subject[]>> = {
  "cluster-admin": [group("system:masters")],
  "system:basic-user": [group("system:authenticated")],
  "system:discovery": [group("system:authenticated")],
  "system:kube-controller-manager": [user("system:kube-controller-manager")],
  "system:kube-dns": [account("kube-dns")],
  "system:kube-scheduler": [user("system:kube-scheduler")],
  "system:monitoring": [group("system:monitoring")],
  "system:node": [],
  "system:node-proxier": [user("system:kube-proxy")],
  "system:public-info-viewer": [group("system:authenticated"), group("system:unauthenticated")],
  "system:service-account-issuer-discovery": [group("system:serviceaccounts")],
  "system:volume-scheduler": [user("system:kube-scheduler")],
};

function clusterRoleBindings(ofControllers: RulesByName): ApiObject[] {
  const controllers = Object.keys(ofControllers).map((name) =>
    binding(`system:controller:${name}`, [account(name)]),
  );
  const components = Object.entries(componentBindings).map(([name, subjects]) => binding(name, subjects));
  return [...components, ...controllers];
}

/** Of a ClusterRole, or in a namespace of a Role, by the name of the binding unless told otherwise. */
function binding(
  name: string,
  subjects: readonly Subject[],
  options: { readonly namespace?: string; readonly role?: string } = {},
): ApiObject & Record<string, unknown> {
  const { namespace: home, role = name } = options;
  const roleKind = home === undefined ? "ClusterRole" : "Role";
  return {
    apiVersion: rbacVersion,
    kind: `${roleKind}Binding`,
    metadata: { name, ...(home === undefined ? {} : { namespace: home }), ...bootstrapped },
    roleRef: { apiGroup: rbac, kind: roleKind, name: role },
    subjects,
  };
}

interface NamespacedRole {
  readonly namespace: string;
  readonly name: string;
  readonly rules: readonly string[];
  readonly subjects: readonly Subject[];
  /** Name of the binding, when it is not the role's. */
  readonly binding?: string;
}

const eventRule = "create,patch,update core,events.k8s.io events";
const lockRules = ["leases", "leasecandidates"].map(
  (one) => `create,get,list,update,watch coordination.k8s.io ${one}`,
);

const namespaced: readonly NamespacedRole[] = [
  {
    namespace: "kube-system",
    name: "extension-apiserver-authentication-reader",
    rules: ["get,list,watch core configmaps extension-apiserver-authentication"],
    subjects: [user("system:kube-controller-manager"), user("system:kube-scheduler")],
    binding: "system::extension-apiserver-authentication-reader",
  },
  {
    namespace: "kube-system",
    name: "system::leader-locking-kube-controller-manager",
    rules: lockRules,
    subjects: [
      user("system:kube-controller-manager"),
      account("kube-controller-manager"),
      account("leader-election-controller"),
    ],
  },
  {
    namespace: "kube-system",
    name: "system::leader-locking-kube-scheduler",
    rules: lockRules,
    subjects: [user("system:kube-scheduler"), account("kube-scheduler")],
  },
  {
    namespace: "kube-system",
    name: "system:controller:bootstrap-signer",
    rules: ["get,list,watch core secrets"],
    subjects: [account("bootstrap-signer")],
  },
  {
    namespace: "kube-system",
    name: "system:controller:cloud-provider",
    rules: ["create,get,list,watch core configmaps"],
    subjects: [account("cloud-provider")],
  },
  {
    namespace: "kube-system",
    name: "system:controller:token-cleaner",
    rules: ["delete,get,list,watch core secrets", eventRule],
    subjects: [account("token-cleaner")],
  },
  {
    namespace: "kube-public",
    name: "system:controller:bootstrap-signer",
    rules: ["get,list,watch core configmaps", "update core configmaps cluster-info", eventRule],
    subjects: [account("bootstrap-signer")],
  },
];

function namespacedRoles(): ApiObject[] {
  return namespaced.flatMap((role): ApiObject[] => {
    const metadata = { name: role.name, namespace: role.namespace, ...bootstrapped };
    const object = { apiVersion: rbacVersion, kind: "Role", metadata, rules: role.rules.map(parseRule) };
    const options = { namespace: role.namespace, role: role.name };
    return [object, binding(role.binding ?? role.name, role.subjects, options)];
  });
}

function kubernetesService({ clusterIp, port }: ClusterAddress): ApiObject & Record<string, unknown> {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: "kubernetes",
      namespace: "default",
      labels: { component: "apiserver", provider: "kubernetes" },
    },
    spec: {
      clusterIP: clusterIp,
      ports: [{ name: "https", port: 443, targetPort: port }],
    },
  };
}

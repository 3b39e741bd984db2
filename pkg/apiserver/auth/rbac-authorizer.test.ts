import { describe, expect, test } from "vitest";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import type { ApiObject } from "../../api/object.ts";
import { resourceOfKind } from "../../api/resources.ts";
import { storeReader } from "../admission/cluster-reader.ts";
import { bucketName, storageKey } from "../server/served-resource.ts";
import { Store } from "../storage/store.ts";
import { reviewOwnAccess, reviewOwnRules, reviewSubjectAccess } from "./access-reviews.ts";
import { bootstrapObjects } from "./bootstrap-objects.ts";
import { RbacAuthorizer } from "./rbac-authorizer.ts";
import type { AccessAttributes } from "./rbac-rules.ts";

function authorizerOf(objects: readonly ApiObject[]): RbacAuthorizer {
  const store = new Store({ clock: new VirtualClock() });
  for (const object of objects) {
    const resource = resourceOfKind(object.apiVersion ?? "", object.kind ?? "");
    if (resource === undefined) throw new Error(`no resource for ${object.kind}`);
    const { namespace = "", name = "" } = object.metadata;
    const key = storageKey(resource.namespaced, namespace, name);
    store.put(bucketName(resource.group, resource.plural), key, undefined, {
      ...object,
      metadata: { ...object.metadata },
    });
  }
  return new RbacAuthorizer(storeReader(store));
}

const asked = (verb: string, resource: string, rest: Partial<AccessAttributes> = {}): AccessAttributes => ({
  verb,
  group: "",
  resource,
  subresource: "",
  name: "",
  namespace: "",
  path: "",
  ...rest,
});

const account = (name: string) => ({
  username: `system:serviceaccount:kube-system:${name}`,
  groups: ["system:serviceaccounts", "system:authenticated"],
});

describe("the bootstrap roles", () => {
  const authorizer = authorizerOf(bootstrapObjects({ clusterIp: "10.0.0.1", port: 6443 }));

  test.each([
    ["deployment-controller", asked("create", "replicasets", { group: "apps", namespace: "a" }), true],
    ["deployment-controller", asked("update", "deployments", { group: "apps", subresource: "status" }), true],
    ["deployment-controller", asked("delete", "pods", { namespace: "a" }), false],
    ["replicaset-controller", asked("create", "pods", { namespace: "a" }), true],
    ["replicaset-controller", asked("create", "events", { namespace: "a" }), true],
    ["replicaset-controller", asked("create", "secrets", { namespace: "a" }), false],
    ["generic-garbage-collector", asked("delete", "widgets", { group: "example.com" }), true],
    [
      "horizontal-pod-autoscaler",
      asked("update", "widgets", { group: "example.com", subresource: "scale" }),
      true,
    ],
    ["horizontal-pod-autoscaler", asked("update", "widgets", { group: "example.com" }), false],
    ["namespace-controller", asked("update", "namespaces", { subresource: "finalize" }), true],
    [
      "certificate-controller",
      asked("sign", "signers", { group: "certificates.k8s.io", name: "kubernetes.io/kubelet-serving" }),
      true,
    ],
    [
      "certificate-controller",
      asked("sign", "signers", { group: "certificates.k8s.io", name: "other" }),
      false,
    ],
  ] as const)("%s: %o is %s", (name, attributes, allowed) => {
    expect(authorizer.isAllowed(account(name), attributes)).toBe(allowed);
  });

  test("masters may do everything, others only read what is public", () => {
    const anybody = { username: "eve", groups: ["system:authenticated"] };
    expect(authorizer.isAllowed({ username: "root", groups: ["system:masters"] }, asked("x", "y"))).toBe(
      true,
    );
    expect(authorizer.isAllowed(anybody, asked("get", "", { path: "/healthz" }))).toBe(true);
    expect(authorizer.isAllowed(anybody, asked("get", "", { path: "/apis/apps/v1" }))).toBe(true);
    expect(authorizer.isAllowed(anybody, asked("get", "", { path: "/metrics" }))).toBe(false);
    expect(authorizer.isAllowed(anybody, asked("get", "pods"))).toBe(false);
  });

  test("the lock of the controller manager is its own", () => {
    const manager = { username: "system:kube-controller-manager", groups: ["system:authenticated"] };
    const lease = (namespace: string) =>
      asked("update", "leases", { group: "coordination.k8s.io", namespace });
    expect(authorizer.isAllowed(manager, lease("kube-system"))).toBe(true);
    expect(authorizer.isAllowed(manager, lease("default"))).toBe(false);
  });
});

describe("reviews", () => {
  const rbac = "rbac.authorization.k8s.io/v1";
  const authorizer = authorizerOf([
    {
      apiVersion: rbac,
      kind: "Role",
      metadata: { name: "r", namespace: "a" },
      rules: [{ verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["p"] }],
    } as ApiObject,
    {
      apiVersion: rbac,
      kind: "RoleBinding",
      metadata: { name: "b", namespace: "a" },
      roleRef: { kind: "Role", name: "r" },
      subjects: [{ kind: "User", name: "u" }],
    } as ApiObject,
  ]);
  const user = { username: "u", groups: [] };
  const spec = (name: string, namespace: string) => ({
    resourceAttributes: { verb: "get", resource: "pods", name, namespace },
  });

  test("a role holds in its namespace and for its names", () => {
    const allowed = (name: string, namespace: string): unknown =>
      reviewOwnAccess(authorizer, { spec: spec(name, namespace) }, user);
    expect(allowed("p", "a")).toMatchObject({
      review: {
        status: { allowed: true, reason: 'RBAC: allowed by RoleBinding "b/a" of Role "r" to User "u"' },
      },
    });
    expect(allowed("q", "a")).toMatchObject({ review: { status: { allowed: false } } });
    expect(allowed("p", "b")).toMatchObject({ review: { status: { allowed: false } } });
  });

  test("a review names its subject and one target", () => {
    const both = { ...spec("p", "a"), nonResourceAttributes: { verb: "get", path: "/" } };
    expect(reviewSubjectAccess(authorizer, { spec: both }, undefined)).toMatchObject({
      errors: [{ field: "spec.nonResourceAttributes" }, { field: "spec.user" }],
    });
    expect(reviewSubjectAccess(authorizer, { spec: { ...spec("p", "a"), user: "u" } }, "b")).toMatchObject({
      errors: [{ field: "spec.resourceAttributes.namespace" }],
    });
  });

  test("the rules of a namespace are listed", () => {
    expect(reviewOwnRules(authorizer, { spec: { namespace: "a" } }, user)).toMatchObject({
      review: { status: { resourceRules: [{ verbs: ["get"], resources: ["pods"], resourceNames: ["p"] }] } },
    });
    expect(reviewOwnRules(authorizer, { spec: { namespace: "b" } }, user)).toMatchObject({
      review: { status: { resourceRules: [] } },
    });
  });
});

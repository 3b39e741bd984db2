import { beforeAll, expect, test } from "vitest";
import { until } from "../../harness/until.ts";
import { type Answer, type ApiClient, describeApi } from "./api-client.ts";

const group = "rbac.authorization.k8s.io";
const base = `/apis/${group}/v1`;
const writes = ["create", "update", "patch", "get"];
const secrets = [{ verbs: ["get"], apiGroups: [""], resources: ["secrets"] }];

const bindingTo = (name: string, role: string, user: string, kind = "ClusterRole") => ({
  metadata: { name },
  roleRef: { apiGroup: group, kind, name: role },
  subjects: [{ kind: "User", name: user, apiGroup: group }],
});

const aggregating = (name: string) => ({
  metadata: { name },
  rules: null,
  aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] },
});

/** What the refusal says is missing. */
const granting = (user: string, ...missing: readonly string[]) =>
  `user "${user}" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n${missing.join("\n")}`;

const SECRETS = '{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}';
const EVERYTHING = [
  '{APIGroups:["*"], Resources:["*"], Verbs:["*"]}',
  '{NonResourceURLs:["*"], Verbs:["*"]}',
];

describeApi("role escalation", (api) => {
  let namespace = "";
  let roles = "";

  /** Users who may write roles and bindings, and whose further permissions are these. */
  async function grant(user: string, ...rules: readonly object[]): Promise<void> {
    const write = { verbs: writes, apiGroups: [group], resources: ["*"] };
    const role = await api().send("POST", `${base}/clusterroles`, {
      metadata: { name: user },
      rules: [write, ...rules],
    });
    expect(role.status).toBe(201);
    await api().send("POST", `${base}/clusterrolebindings`, bindingTo(user, user, user));
    // Authorization hears of it a moment later.
    const spec = { user, resourceAttributes: { verb: "create", group, resource: "roles", namespace } };
    const review = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview", spec };
    const path = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
    await until(`${user} may write roles`, async () => {
      const { body } = await api().send("POST", path, review);
      return (body.status as { readonly allowed: boolean }).allowed;
    });
  }

  const as = async (user: string, ...request: Parameters<ApiClient["send"]>): Promise<Answer> => {
    const [method, path, body, headers] = request;
    return api().send(method, path, body, { ...headers, "impersonate-user": user });
  };
  const merge = async (user: string, path: string, body: object): Promise<Answer> =>
    as(user, "PATCH", path, body, { "content-type": "application/merge-patch+json" });

  beforeAll(async () => {
    namespace = await api().namespace();
    roles = `${base}/namespaces/${namespace}/roles`;
    const verbs = (list: readonly string[], resources: readonly string[], ...resourceNames: string[]) => ({
      verbs: list,
      apiGroups: [group],
      resources,
      ...(resourceNames.length === 0 ? {} : { resourceNames }),
    });
    await grant("mallory");
    await grant("eve", verbs(["escalate"], ["roles", "clusterroles"]));
    await grant("nat", verbs(["escalate"], ["roles"], "named"));
    await grant("bob", verbs(["bind"], ["clusterroles"], "view"));
    await api().send("POST", roles, { metadata: { name: "big" }, rules: secrets });
  });

  test("whoever may write bindings does not become cluster-admin by it", async () => {
    const everywhere = await as(
      "mallory",
      "POST",
      `${base}/clusterrolebindings`,
      bindingTo("evil", "cluster-admin", "mallory"),
    );
    expect([everywhere.status, everywhere.body.reason, everywhere.body.message]).toEqual([
      403,
      "Forbidden",
      `clusterrolebindings.${group} "evil" is forbidden: ${granting("mallory", ...EVERYTHING)}`,
    ]);
    expect(everywhere.body.details).toEqual({ group, kind: "clusterrolebindings", name: "evil" });
    const here = await as(
      "mallory",
      "POST",
      `${base}/namespaces/${namespace}/rolebindings`,
      bindingTo("evil", "cluster-admin", "mallory"),
    );
    expect([here.status, here.body.message]).toEqual([
      403,
      `rolebindings.${group} "evil" is forbidden: ${granting("mallory", ...EVERYTHING)}`,
    ]);
  });

  test.each([
    {
      to: "a role that does not exist",
      kind: "Role",
      status: 404,
      message: `rolebindings.${group} "x" not found`,
    },
    {
      to: "a cluster role that does not exist",
      kind: "ClusterRole",
      status: 404,
      message: `rolebindings.${group} "x" not found`,
    },
    { to: "what is no role", kind: "Foo", status: 500, message: 'unsupported role reference kind: "Foo"' },
  ])("a binding to $to", async ({ kind, status, message }) => {
    const path = `${base}/namespaces/${namespace}/rolebindings`;
    const refused = await as("mallory", "POST", path, bindingTo("b", "x", "mallory", kind));
    expect([refused.status, refused.body.message]).toEqual([status, message]);
  });

  test("who may not bind is told so, also of a version that is gone", async () => {
    const path = `${base}/namespaces/${namespace}/rolebindings`;
    const made = await api().send("POST", path, bindingTo("stale", "view", "mallory"));
    expect(made.status).toBe(201);
    const refused = await merge("mallory", `${path}/stale`, {
      metadata: { resourceVersion: "1" },
      roleRef: { kind: "Foo" },
    });
    expect([refused.status, refused.body.message]).toEqual([500, 'unsupported role reference kind: "Foo"']);
  });

  test("a binding for the whole cluster to a role of a namespace", async () => {
    const body = bindingTo("b", "nope", "mallory", "Role");
    const refused = await as("mallory", "POST", `${base}/clusterrolebindings`, body);
    expect([refused.status, refused.body.message]).toEqual([400, "Namespace parameter required."]);
  });

  test("a new role: what is missing, rule by rule", async () => {
    const refused = await as("mallory", "POST", `${base}/clusterroles`, {
      metadata: { name: "evil" },
      rules: [
        { verbs: ["get", "list"], apiGroups: [""], resources: ["secrets", "pods"] },
        { verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["a", "b"] },
        { verbs: ["get", "post"], nonResourceURLs: ["/metrics", "/x*"] },
        { verbs: ["get"], apiGroups: [group], resources: ["roles"] },
      ],
    });
    const lines = [
      '{APIGroups:[""], Resources:["pods"], ResourceNames:["a"], Verbs:["get"]}',
      '{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get"]}',
      '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}',
      '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list"]}',
      '{NonResourceURLs:["/metrics"], Verbs:["get"]}',
      '{NonResourceURLs:["/metrics"], Verbs:["post"]}',
      '{NonResourceURLs:["/x*"], Verbs:["get"]}',
      '{NonResourceURLs:["/x*"], Verbs:["post"]}',
    ];
    expect([refused.status, refused.body.message]).toEqual([
      403,
      `clusterroles.${group} "evil" is forbidden: ${granting("mallory", ...lines)}`,
    ]);
  });

  test.each([
    { by: "a create", method: "POST", path: "", name: "r", type: "json" },
    { by: "an update that creates", method: "PUT", path: "/r", name: "r", type: "json" },
    { by: "an apply", method: "PATCH", path: "/r?fieldManager=m", name: "r", type: "apply-patch+yaml" },
    {
      by: "a create that validation would refuse as well",
      method: "POST",
      path: "",
      name: "bad name/",
      type: "json",
    },
  ])("a role by $by", async ({ method, path, name, type }) => {
    const body = { apiVersion: `${group}/v1`, kind: "Role", metadata: { name }, rules: [{}, ...secrets] };
    const refused = await as("mallory", method, roles + path, body, {
      "content-type": `application/${type}`,
    });
    expect([refused.status, refused.body.message]).toEqual([
      403,
      `roles.${group} ${JSON.stringify(name)} is forbidden: ${granting("mallory", SECRETS)}`,
    ]);
  });

  test("a role without a name yet", async () => {
    const body = { metadata: { generateName: "r" }, rules: secrets };
    const refused = await as("mallory", "POST", roles, body);
    expect(refused.body.message).toBe(`roles.${group} is forbidden: ${granting("mallory", SECRETS)}`);
    expect(refused.body.details).toEqual({ group, kind: "roles" });
  });

  test("a namespace that is not there comes first", async () => {
    const body = { metadata: { name: "r" }, rules: secrets };
    const refused = await as("mallory", "POST", `${base}/namespaces/nowhere/roles`, body);
    expect([refused.status, refused.body.message]).toEqual([404, 'namespaces "nowhere" not found']);
  });

  test("what one has can be given away, and not be made more", async () => {
    const rules = [{ verbs: ["get"], apiGroups: [group], resources: ["roles"] }];
    expect((await as("mallory", "POST", roles, { metadata: { name: "held" }, rules })).status).toBe(201);
    const more = [{ verbs: ["*"], apiGroups: [group], resources: ["roles"] }];
    const refused = await merge("mallory", `${roles}/held`, { rules: more });
    const missing = `{APIGroups:["${group}"], Resources:["roles"], Verbs:["*"]}`;
    expect([refused.status, refused.body.message]).toEqual([
      403,
      `roles.${group} "held" is forbidden: ${granting("mallory", missing)}`,
    ]);
    expect((await merge("mallory", `${roles}/held`, { metadata: { labels: { a: "b" } } })).status).toBe(200);
  });

  test("of a role with more than one has, only finalizers and owners may change", async () => {
    const finalizers = await merge("mallory", `${roles}/big`, { metadata: { finalizers: ["x.io/a"] } });
    expect(finalizers.status).toBe(200);
    const labels = await merge("mallory", `${roles}/big`, { metadata: { labels: { a: "b" } } });
    expect([labels.status, labels.body.message]).toEqual([
      403,
      `roles.${group} "big" is forbidden: ${granting("mallory", SECRETS)}`,
    ]);
  });

  test("to aggregate is for cluster administrators", async () => {
    const refused = await as("mallory", "POST", `${base}/clusterroles`, aggregating("gathering"));
    expect([refused.status, refused.body.message]).toEqual([
      403,
      `clusterroles.${group} "gathering" is forbidden: must have cluster-admin privileges to use the aggregationRule`,
    ]);
    expect((await as("eve", "POST", `${base}/clusterroles`, aggregating("gathering"))).status).toBe(201);
    const rules: readonly object[] = [];
    const emptied = await merge("mallory", `${base}/clusterroles/gathering`, {
      aggregationRule: null,
      rules,
    });
    expect(emptied.status).toBe(403);
  });

  test("escalate is for roles, and not for bindings", async () => {
    const body = { metadata: { name: "by-eve" }, rules: secrets };
    expect((await as("eve", "POST", roles, body)).status).toBe(201);
    const path = `${base}/namespaces/${namespace}/rolebindings`;
    const bound = await as("eve", "POST", path, bindingTo("by-eve", "by-eve", "eve", "Role"));
    expect([bound.status, bound.body.message]).toEqual([
      403,
      `rolebindings.${group} "by-eve" is forbidden: ${granting("eve", SECRETS)}`,
    ]);
  });

  test("escalate of one name is of no use to a create, which has no name in its path", async () => {
    const body = { metadata: { name: "named" }, rules: secrets };
    expect((await as("nat", "POST", roles, body)).status).toBe(403);
    expect((await as("nat", "PUT", `${roles}/named`, body)).status).toBe(201);
  });

  test("bind is for the role that it names, wherever the binding is", async () => {
    const path = `${base}/namespaces/${namespace}/rolebindings`;
    expect((await as("bob", "POST", path, bindingTo("view", "view", "bob"))).status).toBe(201);
    expect(
      (await as("bob", "POST", `${base}/clusterrolebindings`, bindingTo("v", "view", "bob"))).status,
    ).toBe(201);
    expect((await as("bob", "POST", path, bindingTo("proxy", "system:node-proxier", "bob"))).status).toBe(
      403,
    );
    const others = await merge("bob", `${base}/clusterrolebindings/nat`, { subjects: [] });
    expect(others.status).toBe(403);
  });

  test("system:masters may do everything", async () => {
    const headers = { "impersonate-user": "root", "impersonate-group": "system:masters" };
    const rules = [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }];
    const made = await api().send(
      "POST",
      `${base}/clusterroles`,
      { metadata: { name: "all" }, rules },
      headers,
    );
    expect(made.status).toBe(201);
  });

  test("bindings of the user to roles that are gone are told of", async () => {
    await grant("dan");
    await api().send("POST", `${base}/clusterrolebindings`, bindingTo("dan-gone", "gone", "dan"));
    await expect
      .poll(async () => {
        const body = { metadata: { name: "r" }, rules: secrets };
        return (await as("dan", "POST", roles, body)).body.message;
      })
      .toBe(
        `roles.${group} "r" is forbidden: ${granting("dan", SECRETS)}; resolution errors: [roles.${group} "gone" not found]`,
      );
  });

  test("groups without a user are nobody", async () => {
    const refused = await api().send("GET", "/api/v1/namespaces", undefined, { "impersonate-group": "x" });
    expect([refused.status, refused.body.message]).toEqual([
      400,
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"x"}, Extra:map[string][]string(nil)} without impersonating a user name',
    ]);
  });

  test("who one is taken for", async () => {
    const path = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    const headers = {
      "impersonate-user": "jane",
      "impersonate-uid": "u-1",
      "impersonate-extra-acme.com%2fx": "p",
    };
    const { body } = await api().send("POST", path, {}, headers);
    expect(body.metadata.creationTimestamp).toEqual(expect.any(String));
    expect(body.status).toEqual({
      userInfo: {
        username: "jane",
        uid: "u-1",
        groups: ["system:authenticated"],
        extra: { "acme.com/x": ["p"] },
      },
    });
  });
});

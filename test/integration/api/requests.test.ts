import { load } from "js-yaml";
import { expect, test } from "vitest";
import { type Answer, type ApiClient, describeApi } from "./api-client.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const roleRef = (kind: string, name: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind, name });
const user = (name: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind: "User", name });
const pod = (name: string) => ({ metadata: { name }, spec: { containers: [{ name: "a", image: "a:1" }] } });
const said = ({ status, body }: Answer) => [status, body.reason, body.message];

/** Grants these rules in the namespace to a user of its own, and returns the headers of that user. */
async function granted(
  api: ApiClient,
  namespace: string,
  rules: readonly object[],
): Promise<Readonly<Record<string, string>>> {
  const name = `user-of-${namespace}`;
  const inNamespace = `${rbac}/namespaces/${namespace}`;
  await api.send("POST", `${inNamespace}/roles`, { metadata: { name }, rules });
  const binding = { metadata: { name }, roleRef: roleRef("Role", name), subjects: [user(name)] };
  await api.send("POST", `${inNamespace}/rolebindings`, binding);
  return { "impersonate-user": name };
}

// Each was found by the differential fuzzer (test/differential).
describeApi("requests", (api) => {
  test("an object can be read as YAML, and so can a refusal", async () => {
    const path = await api().configMaps();
    await api().send("POST", path, { metadata: { name: "a" }, data: { yes: "true", n: "1", e: "" } });
    const accept = "application/yaml";
    const one = await api().get(`${path}/a`, { accept });
    expect(one.headers["content-type"]).toBe("application/yaml");
    const read = load(one.body as unknown as string) as { readonly kind: string; readonly data: unknown };
    expect([read.kind, read.data]).toEqual(["ConfigMap", { yes: "true", n: "1", e: "" }]);
    const many = load((await api().get(path, { accept })).body as unknown as string) as {
      readonly items: unknown;
    };
    const { apiVersion: _, kind: __, ...bare } = read as unknown as Record<string, unknown>;
    expect(many.items).toEqual([bare]);
    const none = await api().get(`${path}/b`, { accept });
    expect([none.status, (load(none.body as unknown as string) as { reason: unknown }).reason]).toEqual([
      404,
      "NotFound",
    ]);
  });

  test("what cannot be had is refused with what can", async () => {
    const path = await api().configMaps();
    await api().send("POST", path, { metadata: { name: "a" } });
    const types = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
    const streams = "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch";
    const whole = await api().get(`${path}/a`, { accept: "application/*" });
    expect(said(whole)).toEqual([
      406,
      "NotAcceptable",
      `406: Not Acceptable\n\nAvailable representations: ${types}`,
    ]);
    const list = await api().get(path, { accept: "text/html" });
    expect(list.body.message).toBe(`406: Not Acceptable\n\nAvailable representations: ${types}, ${streams}`);
    const form = await api().get(`${path}/a`, { accept: "application/json;as=Table;g=meta.k8s.io;v=v2" });
    expect(said(form)).toEqual([
      406,
      "NotAcceptable",
      `only the following media types are accepted: ${types}`,
    ]);
    const partial = "application/json;g=meta.k8s.io;v=v1;as=PartialObjectMetadata";
    expect(said(await api().get(path, { accept: partial }))).toEqual([
      406,
      "NotAcceptable",
      "you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)",
    ]);
    expect(said(await api().get(`${path}/a`, { accept: `${partial}List` }))).toEqual([
      406,
      "NotAcceptable",
      "you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)",
    ]);
  });

  test("parameters that are no numbers or durations are refused", async () => {
    const path = await api().configMaps();
    await api().send("POST", path, { metadata: { name: "a" } });
    const version = await api().get(`${path}/a?resourceVersion=x`);
    expect([version.status, version.body.message]).toEqual([
      500,
      'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
    ]);
    expect(said(await api().get(`${path}?timeout=x`))).toEqual([
      400,
      "BadRequest",
      'invalid timeout specified in the request URL - time: invalid duration "x"',
    ]);
    expect(said(await api().send("DELETE", `${path}/a?gracePeriodSeconds=`))).toEqual([
      400,
      "BadRequest",
      'strconv.ParseInt: parsing "": invalid syntax',
    ]);
    const policy = await api().send("DELETE", `${path}/a?propagationPolicy=`);
    expect([policy.status, policy.body.reason]).toEqual([422, "Invalid"]);
  });

  test("options of a deletion are held against their types", async () => {
    const path = await api().configMaps();
    await api().send("POST", path, { metadata: { name: "a" } });
    const refused = await api().send("DELETE", `${path}/a`, { orphanDependents: "x" });
    expect(said(refused)).toEqual([
      400,
      "BadRequest",
      "json: cannot unmarshal string into Go struct field DeleteOptions.orphanDependents of type bool",
    ]);
    expect((await api().get(`${path}/a`)).status).toBe(200);
  });

  test("who deletes a pod that nothing runs sees how it went", async () => {
    const path = `/api/v1/namespaces/${await api().namespace()}/pods`;
    await api().send("POST", path, pod("a"));
    const { status, body } = await api().send("DELETE", `${path}/a`);
    const { generation, deletionGracePeriodSeconds, deletionTimestamp } = body.metadata;
    expect([status, generation, deletionGracePeriodSeconds]).toEqual([200, 2, 0]);
    expect(deletionTimestamp).toMatch(/Z$/);
    expect((await api().get(`${path}/a`)).status).toBe(404);
  });

  test("a deletion that is only tried answers with the object's own version", async () => {
    const path = await api().configMaps();
    const held = { metadata: { name: "a", finalizers: ["example.com/f"] } };
    const { resourceVersion } = (await api().send("POST", path, held)).body.metadata;
    const tried = await api().send("DELETE", `${path}/a?dryRun=All`);
    expect([tried.status, tried.body.metadata.resourceVersion]).toEqual([200, resourceVersion]);
  });

  test("a new object has no version, but for what means none", async () => {
    const path = await api().configMaps();
    const create = async (name: string, resourceVersion: string) =>
      api().send("POST", path, { metadata: { name, resourceVersion } });
    const refused = await create("a", "1");
    expect([refused.status, refused.body.message]).toEqual([
      500,
      "resourceVersion should not be set on objects to be created",
    ]);
    expect((await create("b", "0")).status).toBe(201);
    expect((await create("c", "x")).body.metadata.resourceVersion).toMatch(/^[1-9]\d*$/);
  });

  test("a review is about nothing of its own", async () => {
    const group = "/apis/authorization.k8s.io/v1";
    const spec = { user: "a", resourceAttributes: { verb: "get", resource: "pods" } };
    const named = { metadata: { name: "a" }, spec };
    const refused = await api().send("POST", `${group}/subjectaccessreviews`, named);
    expect([refused.status, refused.body.message]).toEqual([
      422,
      expect.stringMatching(
        /^\.authorization\.k8s\.io "" is invalid: metadata: Invalid value: .*: must be empty$/,
      ),
    ]);
    const { body } = await api().send("POST", `${group}/subjectaccessreviews`, { spec });
    expect(body.metadata.managedFields).toHaveLength(1);
    const namespace = await api().namespace();
    const local = `${group}/namespaces/${namespace}/localsubjectaccessreviews`;
    const causes = (await api().send("POST", local, named)).body.details["causes"] as readonly {
      field: string;
    }[];
    expect(causes.map(({ field }) => field)).toEqual(["metadata", "spec.resourceAttributes.namespace"]);
    const path = { verb: "get", path: "/healthz" };
    const pathless = await api().send("POST", local, { spec: { user: "a", nonResourceAttributes: path } });
    expect(pathless.body.message).toContain("disallowed on this kind of request");
    expect(said(await api().send("POST", `${group}/selfsubjectrulesreviews`, {}))).toEqual([
      400,
      "BadRequest",
      "no namespace on request",
    ]);
    const self = await api().send("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {
      metadata: { name: "a" },
    });
    expect(Object.keys(self.body.metadata)).toEqual(["creationTimestamp"]);
  });

  test("a namespace lies in itself: a role there is about it", async () => {
    const namespace = await api().namespace();
    const rules = [{ apiGroups: [""], resources: ["namespaces"], verbs: ["get"] }];
    const headers = await granted(api(), namespace, rules);
    await expect
      .poll(async () => (await api().get(`/api/v1/namespaces/${namespace}`, headers)).status)
      .toBe(200);
    const other = await api().get("/api/v1/namespaces/default", headers);
    expect(other.body.message).toMatch(
      /cannot get resource "namespaces" in API group "" in the namespace "default"/,
    );
  });

  test("who may list one name only does so by its selector", async () => {
    const namespace = await api().namespace();
    const rules = [{ apiGroups: [""], resources: ["configmaps"], resourceNames: ["a"], verbs: ["list"] }];
    const headers = await granted(api(), namespace, rules);
    const path = `/api/v1/namespaces/${namespace}/configmaps`;
    const list = async (query: string) => (await api().get(path + query, headers)).status;
    await expect.poll(async () => list("?fieldSelector=metadata.name%3Da")).toBe(200);
    expect([await list("?fieldSelector=metadata.name%3Db"), await list("")]).toEqual([403, 403]);
    // Options that cannot be read name nothing.
    expect(await list("?fieldSelector=metadata.name%3Da&limit=x")).toBe(403);
  });

  test("a watch does not go on where a list ended", async () => {
    const answer = await api().get(`${await api().configMaps()}?watch=1&continue=x`);
    expect([answer.status, answer.body.reason]).toEqual([422, "Invalid"]);
    expect(answer.body.message).toContain("resourceVersionMatch is forbidden when continue is provided");
  });

  test("a binding to nothing is an error of the server", async () => {
    const path = `/api/v1/namespaces/${await api().namespace()}/pods`;
    await api().send("POST", path, pod("a"));
    const bind = async (target: object) =>
      api().send("POST", `${path}/a/binding`, { metadata: { name: "a" }, target });
    const [unnamed, both] = [await bind({}), await bind({ kind: "Pod" })];
    expect([unnamed.status, unnamed.body.message]).toEqual([500, "target.name: Required value"]);
    expect([both.status, both.body.message]).toEqual([
      500,
      '[target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>", target.name: Required value]',
    ]);
  });

  test("who writes a DaemonSet writes the generation of its template", async () => {
    const path = `/apis/apps/v1/namespaces/${await api().namespace()}/daemonsets`;
    const labels = { a: "b" };
    const template = { metadata: { labels }, spec: pod("a").spec };
    const { body } = await api().send("POST", path, {
      metadata: { name: "a" },
      spec: { selector: { matchLabels: labels }, template },
    });
    const [entry] = body.metadata.managedFields ?? [];
    expect((entry?.["fieldsV1"] as Record<string, unknown> | undefined)?.["f:metadata"]).toEqual({
      "f:annotations": { ".": {}, "f:deprecated.daemonset.template.generation": {} },
    });
  });

  test("a path of a JSON patch begins with a slash", async () => {
    const path = await api().configMaps();
    await api().send("POST", path, { metadata: { name: "a" } });
    const answer = await api().patch(`${path}/a`, "json", [{ op: "replace", path: "data", value: [] }]);
    expect(said(answer)).toEqual([
      422,
      "Invalid",
      "the server rejected our request due to an error in our request",
    ]);
  });

  test("a body of another kind is told apart from one that nobody knows", async () => {
    const path = await api().configMaps();
    const create = async (apiVersion: string, kind: string) =>
      (await api().send("POST", path, { apiVersion, kind, metadata: { name: "a" } })).body.message;
    expect(await create("v1", "Nothing")).toMatch(
      /^Nothing in version "v1" cannot be handled as a ConfigMap: no kind "Nothing" is registered for version "v1" in scheme/,
    );
    expect(await create("v1", "Secret")).toBe(
      'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to (core.ConfigMap): unknown conversion',
    );
  });

  test.each([
    ["", "/registry"],
    ["?dryRun=All", ""],
  ])("whoever means another object is told where this one is kept%s", async (query, prefix) => {
    const path = await api().configMaps();
    const [, namespace = ""] = /namespaces\/([^/]+)/.exec(path) ?? [];
    const made = await api().send("POST", path, { metadata: { name: "a" } });
    const answer = await api().send("PUT", `${path}/a${query}`, { metadata: { name: "a", uid: "x" } });
    expect(said(answer)).toEqual([
      409,
      "Conflict",
      `Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, Code: 4, Key: ${prefix}/configmaps/${namespace}/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: x, UID in object meta: ${made.body.metadata.uid}`,
    ]);
  });

  test("of a version that is gone, the addresses of a service are not looked at", async () => {
    const path = `/api/v1/namespaces/${await api().namespace()}/services`;
    await api().send("POST", path, { metadata: { name: "a" }, spec: { clusterIP: "None" } });
    const change = { metadata: { resourceVersion: "1" }, spec: { clusterIP: "1.2.3.4" } };
    expect((await api().patch(`${path}/a`, "merge", change)).body.reason).toBe("Conflict");
    const now = await api().patch(`${path}/a`, "merge", { spec: change.spec });
    expect(now.body.reason).toBe("Invalid");
  });
});

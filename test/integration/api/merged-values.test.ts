import { beforeAll, expect, test } from "vitest";
import { describeApi } from "./api-client.ts";

/** What an apply or a strategic patch says, and what a Go type makes of it. */
describeApi("values that are merged", (api) => {
  let home = "";
  let apps = "";
  beforeAll(async () => {
    const namespace = await api().namespace();
    home = `/api/v1/namespaces/${namespace}`;
    apps = `/apis/apps/v1/namespaces/${namespace}`;
  });
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  const configMap = (name: string, more: object) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name },
    ...more,
  });
  const replicaSet = (name: string, more: object) => ({
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { name },
    spec: { selector: { matchLabels: { a: "b" } }, template, ...more },
  });

  test("a key that is applied as null is there, and empty", async () => {
    const data = { a: "1", b: null };
    const made = await api().apply(`${home}/configmaps/n`, "m", configMap("n", { data, binaryData: null }));
    expect([made.status, made.body.data]).toEqual([201, { a: "1", b: "" }]);
    const labels = { metadata: { name: "n", labels: { x: null }, annotations: null } };
    const again = await api().apply(`${home}/configmaps/n`, "m", configMap("n", { data, ...labels }));
    expect([again.status, again.body.metadata.labels]).toEqual([200, { x: "" }]);
    expect(again.body.metadata).not.toHaveProperty("annotations");
  });

  test("a field that is applied as null is owned, and a change", async () => {
    await api().apply(`${apps}/replicasets/t`, "one", replicaSet("t", {}));
    const { body } = await api().apply(
      `${apps}/replicasets/t`,
      "two",
      replicaSet("t", { minReadySeconds: null }),
    );
    expect(body.metadata.managedFields?.map(({ manager, time }) => [manager, typeof time])).toEqual([
      ["one", "string"],
      ["two", "string"],
    ]);
  });

  test.each([
    ["9223372036854775808", 0],
    ["4294967297", 1],
    ["1e30", 0],
  ])("%s replicas that are applied are %d", async (digits, replicas) => {
    const name = `r${digits}`;
    const text = JSON.stringify(replicaSet(name, { replicas: "many" })).replace('"many"', digits);
    const { status, body } = await api().apply(`${apps}/replicasets/${name}`, "m", text);
    expect([status, body.spec["replicas"]]).toEqual([201, replicas]);
  });

  test("what a merge has said in another case comes first, and what the object says counts", async () => {
    const path = `/api/v1/namespaces/${await api().namespace()}/configmaps`;
    await api().send("POST", path, { metadata: { name: "odd" } });
    const patch = { APIVERSION: "x", KIND: "y", data: { a: "b" } };
    const { status, body } = await api().patch(`${path}/odd`, "merge", patch);
    expect([status, body.kind, body.apiVersion]).toEqual([200, "ConfigMap", "v1"]);
  });

  test("what is too long for 64 bits becomes the smallest number", async () => {
    const spec = {
      restartPolicy: "Never",
      containers: [{ name: "a", image: "b" }],
      activeDeadlineSeconds: "many",
    };
    const text = JSON.stringify({
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "long" },
      spec,
    }).replace('"many"', "1e20");
    const namespace = await api().namespace();
    const { status, body } = await api().apply(`/api/v1/namespaces/${namespace}/pods/long`, "m", text);
    expect([status, body.message]).toEqual([
      422,
      'Pod "long" is invalid: spec.activeDeadlineSeconds: Invalid value: -9223372036854775808: must be between 1 and 2147483647, inclusive',
    ]);
  });

  test("as is what a strategic patch says", async () => {
    await api().send("POST", `${apps}/replicasets`, replicaSet("s", { replicas: 3 }));
    const { status, body } = await api().patch(
      `${apps}/replicasets/s`,
      "strategic",
      '{"spec":{"replicas":9223372036854775808}}',
    );
    expect([status, body.spec["replicas"]]).toEqual([200, 0]);
  });

  test("a namespace may be empty in what changes an object", async () => {
    await api().send("POST", `${home}/configmaps`, configMap("e", { data: { a: "1" } }));
    const empty = { metadata: { name: "e", namespace: "" } };
    const applied = await api().apply(`${home}/configmaps/e`, "m", configMap("e", empty));
    const merged = await api().patch(`${home}/configmaps/e`, "merge", { metadata: { namespace: null } });
    expect([applied.status, merged.status]).toEqual([200, 200]);
    const other = await api().patch(`${home}/configmaps/e`, "merge", { metadata: { namespace: "x" } });
    expect([other.status, other.body.message]).toEqual([
      400,
      "the namespace of the provided object does not match the namespace sent on the request",
    ]);
  });

  test.each([
    [null, 200, undefined],
    [[], 400, "metadata.managedFields must be nil"],
    [[{ operation: "x" }], 400, "metadata.managedFields must be nil"],
    ["x", 500, expect.stringContaining(".metadata.managedFields: expected list, got")],
    [[{ operation: true }], 500, expect.stringContaining("managedFields[0].operation: expected string, got")],
  ])("managers of %j", async (managedFields, ...expected) => {
    await api().send("POST", `${home}/configmaps`, configMap("m", {}));
    const applied = configMap("m", { metadata: { name: "m", managedFields } });
    const { status, body } = await api().apply(`${home}/configmaps/m`, "m", applied);
    expect([status, body.message]).toEqual(expected);
  });

  test("what a type says nothing of cannot be merged strategically", async () => {
    const data = { spec: { a: 1 }, list: [1], text: "x" };
    const revision = { metadata: { name: "r" }, revision: 1, data };
    await api().send("POST", `${apps}/controllerrevisions`, revision);
    const at = `${apps}/controllerrevisions/r`;
    const refused = async (patch: object): Promise<unknown> => {
      const { status, body } = await api().patch(at, "strategic", { data: patch });
      return [status, body.message.replace(/ for the json field.*| is invalid.*/, "")];
    };
    const none = [500, "unable to find api field in struct RawExtension"];
    expect(await refused({ spec: { a: 2 } })).toEqual(none);
    expect(await refused({ spec: {} })).toEqual(none);
    expect(await refused({ list: [2] })).toEqual(none);
    expect(await refused({ list: { a: 1 } })).toEqual([422, 'ControllerRevision.apps "r"']);
    expect(await refused({ other: { a: 1 } })).toEqual([422, 'ControllerRevision.apps "r"']);
  });

  test("an apply to a part of what a PUT may create makes the whole", async () => {
    const ports = [{ port: 80 }];
    const service = { apiVersion: "v1", kind: "Service", metadata: { name: "none" }, spec: { ports } };
    const at = `${home}/services/none/status`;
    const twice = await api().apply(at, "m", { ...service, spec: { ports: [...ports, ...ports] } });
    expect([twice.status, twice.body.message]).toEqual([500, expect.stringContaining("duplicate entries")]);
    expect((await api().apply(at, "m", { ...service, metadata: { name: "other" } })).status).toBe(400);
    expect((await api().apply(at, "m", { ...service, spec: {} })).status).toBe(422);
    const headless = await api().apply(at, "m", { ...service, spec: { ports, clusterIP: "None" } });
    expect([headless.status, headless.body.message]).toEqual([
      422,
      'Service "none" is invalid: spec.clusterIPs: Required value',
    ]);
    const made = await api().apply(at, "m", service);
    expect([made.status, made.body.spec]).toMatchObject([201, { type: "ClusterIP", ports }]);
    // Addresses are given with the whole.
    expect(made.body.spec).not.toHaveProperty("clusterIP");
    const none = await api().apply(`${apps}/replicasets/none/status`, "m", replicaSet("none", {}));
    expect(none.status).toBe(404);
  });

  test("a version says nothing of an object that an apply creates", async () => {
    const metadata = { name: "versioned", resourceVersion: "1" };
    const { status } = await api().apply(`${home}/configmaps/versioned`, "m", configMap("", { metadata }));
    expect(status).toBe(201);
    const none = `${apps}/replicasets/nothing/status`;
    expect((await api().apply(none, "m", configMap("nothing", {}))).status).toBe(404);
  });

  test("directives about nothing that is there are taken for what they seem to be", async () => {
    await api().send("POST", `${home}/configmaps`, configMap("d", {}));
    const patch = { metadata: { labels: { $retainKeys: ["a"] } } };
    const { status, body } = await api().patch(`${home}/configmaps/d`, "strategic", patch);
    expect([status, body.message]).toEqual([422, expect.stringContaining("unrecognized type: string")]);
  });

  test("another address is one in both of the fields that say it", async () => {
    await api().send("POST", `${home}/services`, { metadata: { name: "h" }, spec: { clusterIP: "None" } });
    const spec = { clusterIP: "-1", clusterIPs: ["None"], type: "ClusterIP" };
    const { body } = await api().send("PUT", `${home}/services/h`, { metadata: { name: "h" }, spec });
    expect(body.message).toContain('spec.clusterIPs[0]: Invalid value: "-1": must be a valid IP address');
  });

  test("an address that a service has does not change, to whatever", async () => {
    const ports = [{ port: 80 }];
    const made = await api().send("POST", `${home}/services`, {
      metadata: { name: "fixed" },
      spec: { ports },
    });
    expect(made.status).toBe(201);
    const spec = { clusterIP: "192.0.2.1", ports };
    const { status, body } = await api().send("PUT", `${home}/services/fixed`, {
      metadata: { name: "fixed" },
      spec,
    });
    expect([status, body.message]).toEqual([422, expect.stringContaining("may not change once set")]);
    const merged = await api().patch(`${home}/services/fixed`, "merge", { spec: { clusterIP: "192.0.2.1" } });
    expect([merged.status, merged.body.message]).toEqual([
      422,
      expect.stringContaining("may not change once set"),
    ]);
  });

  test("what an autoscaler of old says of the CPU is one of its metrics", async () => {
    const scalers = home.replace("/api/v1", "/apis/autoscaling/v1") + "/horizontalpodautoscalers";
    const spec = { maxReplicas: 3, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" } };
    await api().send("POST", scalers, { metadata: { name: "s" }, spec });
    const status = { currentCPUUtilizationPercentage: 7, currentReplicas: 1, desiredReplicas: 1 };
    const { body } = await api().patch(`${scalers}/s/status`, "merge", { status });
    expect(body.status).toMatchObject(status);
    const newer = await api().get(`${scalers.replace("/v1/", "/v2/")}/s`);
    expect(newer.body.status).toMatchObject({
      currentMetrics: [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: 7 } } }],
    });
    // It is kept by whoever writes it back.
    const again = await api().patch(`${scalers}/s/status`, "merge", { status: { currentReplicas: 2 } });
    expect(again.body.status).toMatchObject({ ...status, currentReplicas: 2 });
  });

  test("limits that nobody has named have a name", async () => {
    const spec = { limits: [{ type: "Container", max: { cpu: "1" } }] };
    const { status, body } = await api().send("POST", `${home}/limitranges?dryRun=All`, { spec });
    expect([status, body.metadata.name]).toEqual([201, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
  });

  test("what only a server says of an object is not heard of a review", async () => {
    const metadata = { creationTimestamp: "2001-02-03T04:05:06Z", uid: "x" };
    const spec = { resourceAttributes: { verb: "get", resource: "pods" } };
    const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    expect((await api().send("POST", path, { metadata, spec })).status).toBe(201);
  });

  test("the owner of what is left out when it is not there owns that it is", async () => {
    const spec = { parentRef: { resource: "a", name: "a" } };
    const { body } = await api().send("POST", "/apis/networking.k8s.io/v1/ipaddresses?dryRun=All", {
      metadata: { name: "192.0.2.7" },
      spec,
    });
    expect(body.metadata.managedFields?.[0]?.["fieldsV1"]).toEqual({
      "f:spec": { "f:parentRef": { ".": {}, "f:name": {}, "f:resource": {} } },
    });
  });
});

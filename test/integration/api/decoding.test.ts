import { expect, test } from "vitest";
import { type ApiClient, type Answer, describeApi } from "./api-client.ts";

type Json = Readonly<Record<string, unknown>>;

const container = { name: "a", image: "b" };

function deployment(spec: Json, podSpec: Json = {}): Json {
  const template = { metadata: { labels: { a: "b" } }, spec: { containers: [container], ...podSpec } };
  return { metadata: { name: "d" }, spec: { selector: { matchLabels: { a: "b" } }, template, ...spec } };
}

const withContainer = (fields: Json): Json => deployment({}, { containers: [{ ...container, ...fields }] });
const withProbe = (livenessProbe: Json): Json => withContainer({ livenessProbe });
const withLimit = (cpu: unknown): Json => withContainer({ resources: { limits: { cpu } } });
const specOf = (body: Json): Json => body["spec"] as Json;
const quota = (amount: unknown): Json => ({ metadata: { name: "q" }, spec: { hard: { pods: amount } } });
const lease = (renewTime: unknown): Json => ({ metadata: { name: "l" }, spec: { renewTime } });
const deleted = (deletionTimestamp: unknown): Json => ({ metadata: { name: "c", deletionTimestamp } });
const secret = (a: unknown): Json => ({ metadata: { name: "s" }, data: { a } });

const paths: Readonly<Record<string, string>> = {
  ConfigMap: "api/v1/namespaces/NS/configmaps",
  Deployment: "apis/apps/v1/namespaces/NS/deployments",
  Lease: "apis/coordination.k8s.io/v1/namespaces/NS/leases",
  ResourceQuota: "api/v1/namespaces/NS/resourcequotas",
  Secret: "api/v1/namespaces/NS/secrets",
};

const noQuantity =
  "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const noTime = (text: string, rest: string, part: string): string =>
  `parsing time "${text}" as "2006-01-02T15:04:05Z07:00": cannot parse "${rest}" as "${part}"`;
const into = (given: string, field: string, type: string): string =>
  `json: cannot unmarshal ${given} into Go struct field ${field} of type ${type}`;
const template = "spec.template.spec";

/** Bodies that do not fit their types, and what is said of them. */
const refused: readonly (readonly [kind: string, body: Json, problem: string])[] = [
  ["Secret", secret("YQ"), "illegal base64 data at input byte 0"],
  ["Secret", secret("!!!"), "illegal base64 data at input byte 0"],
  ["Secret", secret("YQ="), "illegal base64 data at input byte 3"],
  ["Secret", secret("YQ==YQ"), "illegal base64 data at input byte 4"],
  ["Secret", secret("Y==="), "illegal base64 data at input byte 1"],
  ["Secret", secret(5), into("number", "Secret.data", "[]uint8")],
  ["Secret", secret({}), into("object", "Secret.data", "[]uint8")],
  ["Secret", secret([1, 300]), into("number 300", "Secret.data", "uint8")],
  ["Secret", { metadata: { name: "s" }, data: "x" }, into("string", "Secret.data", "map[string][]uint8")],
  ["Secret", { metadata: { name: "s" }, type: 5 }, into("number", "Secret.type", "v1.SecretType")],
  ["Secret", { metadata: { name: "s" }, immutable: "x" }, into("string", "Secret.immutable", "bool")],
  ["ConfigMap", { metadata: { name: "c" }, data: { a: 5 } }, into("number", "ConfigMap.data", "string")],
  ["ConfigMap", { metadata: "x" }, into("string", "ConfigMap.metadata", "v1.ObjectMeta")],
  ["ConfigMap", { metadata: { name: 5 } }, into("number", "ObjectMeta.metadata.name", "string")],
  ["ConfigMap", { metadata: { generation: "1" } }, into("string", "ObjectMeta.metadata.generation", "int64")],
  ["ConfigMap", deleted(5), into("number", "ObjectMeta.metadata.deletionTimestamp", "string")],
  ["ConfigMap", deleted("2020"), noTime("2020", "", "-")],
  ["ConfigMap", deleted(""), noTime("", "", "2006")],
  ["ConfigMap", deleted("2020-01-01"), noTime("2020-01-01", "", "T")],
  ["ConfigMap", deleted("2020-01-01T00:00:00"), noTime("2020-01-01T00:00:00", "", "Z07:00")],
  ["ConfigMap", deleted("2020-13-01T00:00:00Z"), 'parsing time "2020-13-01T00:00:00Z": month out of range'],
  ["ConfigMap", deleted("2020-02-30T00:00:00Z"), 'parsing time "2020-02-30T00:00:00Z": day out of range'],
  ["ConfigMap", deleted("2020-01-01T24:00:00Z"), 'parsing time "2020-01-01T24:00:00Z": hour out of range'],
  [
    "ConfigMap",
    deleted("2020-01-01T00:00:00+25:00"),
    'parsing time "2020-01-01T00:00:00+25:00": time zone offset hour out of range',
  ],
  ["ConfigMap", deleted("2020-01-01T00:00:00Zx"), 'parsing time "2020-01-01T00:00:00Zx": extra text: "x"'],
  [
    "Lease",
    lease("2020-01-01T00:00:00Z"),
    'parsing time "2020-01-01T00:00:00Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "Z" as ".000000"',
  ],
  [
    "Lease",
    lease("2020-01-01T00:00:00.1234567Z"),
    'parsing time "2020-01-01T00:00:00.1234567Z" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "7Z" as "Z07:00"',
  ],
  ["ResourceQuota", quota("0x1"), noQuantity],
  ["ResourceQuota", quota(""), noQuantity],
  ["ResourceQuota", quota(true), noQuantity],
  ["ResourceQuota", quota({}), noQuantity],
  ["ResourceQuota", quota("1.2.3"), noQuantity],
  ["ResourceQuota", quota("1e"), "unable to parse quantity's suffix"],
  ["ResourceQuota", quota("1i"), "unable to parse quantity's suffix"],
  ["Deployment", deployment({ replicas: "x" }), into("string", "DeploymentSpec.spec.replicas", "int32")],
  ["Deployment", deployment({ replicas: 1.5 }), into("number 1.5", "DeploymentSpec.spec.replicas", "int32")],
  ["Deployment", deployment({ replicas: [] }), into("array", "DeploymentSpec.spec.replicas", "int32")],
  [
    "Deployment",
    deployment({ selector: "x" }),
    into("string", "DeploymentSpec.spec.selector", "v1.LabelSelector"),
  ],
  [
    "Deployment",
    deployment({}, { containers: {} }),
    into("object", `PodSpec.${template}.containers`, "[]v1.Container"),
  ],
  [
    "Deployment",
    withContainer({ imagePullPolicy: 5 }),
    into("number", `Container.${template}.containers.imagePullPolicy`, "v1.PullPolicy"),
  ],
  [
    "Deployment",
    withContainer({ args: [1] }),
    into("number", `Container.${template}.containers.args`, "string"),
  ],
  [
    "Deployment",
    withContainer({ resources: { limits: [] } }),
    into("array", `ResourceRequirements.${template}.containers.resources.limits`, "v1.ResourceList"),
  ],
  ["Deployment", withLimit("x"), noQuantity],
  [
    "Deployment",
    withProbe({ httpGet: 5 }),
    into("number", `Probe.${template}.containers.livenessProbe.ProbeHandler.httpGet`, "v1.HTTPGetAction"),
  ],
  [
    "Deployment",
    withProbe({ httpGet: { port: 1.5 } }),
    into(
      "number 1.5",
      `HTTPGetAction.${template}.containers.livenessProbe.ProbeHandler.httpGet.port`,
      "int32",
    ),
  ],
  // What a type refuses for itself goes before a wrong type that comes first.
  ["Deployment", { metadata: { name: "d" }, spec: { replicas: "x", ...specOf(withLimit("y")) } }, noQuantity],
];

/** Values that are taken, and what becomes of them. */
const taken: readonly (readonly [kind: string, body: Json, path: readonly string[], value: unknown])[] = [
  ["Secret", secret("YR=="), ["data", "a"], "YQ=="],
  ["Secret", secret("YWJ\njZA=="), ["data", "a"], "YWJjZA=="],
  ["Secret", secret([1, 2]), ["data", "a"], "AQI="],
  ["Secret", secret(null), ["data", "a"], ""],
  ["Lease", lease("2020-01-01T00:00:00,123456+01:00"), ["spec", "renewTime"], "2019-12-31T23:00:00.123456Z"],
  ["ResourceQuota", quota(" 5 "), ["spec", "hard", "pods"], "5"],
  ["ResourceQuota", quota(null), ["spec", "hard", "pods"], "0"],
  ["ResourceQuota", quota(5), ["spec", "hard", "pods"], "5"],
  ["Deployment", deployment({ strategy: null }), ["spec", "strategy", "type"], "RollingUpdate"],
  ["Deployment", deployment({ replicas: null }), ["spec", "replicas"], 1],
];

const merge = "application/merge-patch+json";
const strategic = "application/strategic-merge-patch+json";

/** Strategic merge patches, and what is said of what they lead to. */
const wrongPatches: readonly (readonly [patch: Json, shown: string, problem: string])[] = [
  [{ spec: { replicas: "x" } }, "map[spec:map[replicas:x]]", "unrecognized type: int32"],
  [{ spec: { replicas: 1.5 } }, "map[spec:map[replicas:1.5]]", "cannot convert float64 to int32"],
  [{ spec: { paused: "x" } }, "map[spec:map[paused:x]]", "unrecognized type: bool"],
  [{ spec: "x" }, "map[spec:x]", "cannot restore struct from: string"],
  [
    { spec: { template: { spec: { dnsPolicy: 5 } } } },
    "map[spec:map[template:map[spec:map[dnsPolicy:5]]]]",
    "cannot convert int64 to v1.DNSPolicy",
  ],
  [
    { spec: { template: { spec: { nodeSelector: "x" } } } },
    "map[spec:map[template:map[spec:map[nodeSelector:x]]]]",
    "cannot restore map from string",
  ],
  [
    { spec: { template: { spec: { tolerations: "x" } } } },
    "map[spec:map[template:map[spec:map[tolerations:x]]]]",
    "cannot restore slice from string",
  ],
  [
    { spec: { strategy: { rollingUpdate: { maxSurge: 1.5 } } } },
    "map[spec:map[strategy:map[rollingUpdate:map[maxSurge:1.5]]]]",
    "json: cannot unmarshal number 1.5 into Go value of type int32",
  ],
  [
    { metadata: { creationTimestamp: 5 } },
    "map[metadata:map[creationTimestamp:5]]",
    "json: cannot unmarshal number into Go value of type string",
  ],
];

const unreadable = "couldn't get version/kind; json parse error: ";
const kindType = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;

/** Bodies that are no objects of a kind. */
const noObjects: readonly (readonly [body: string, problem: string])[] = [
  ["[]", `${unreadable}json: cannot unmarshal array into Go value of type ${kindType} (5b5d)`],
  ["5", `${unreadable}json: cannot unmarshal number into Go value of type ${kindType} (35)`],
  ["", `${unreadable}unexpected end of JSON input (<empty>)`],
  ["{", `${unreadable}unexpected end of JSON input ({)`],
  [
    '{"kind":5,"metadata":{"name":"somebody"}}',
    `${unreadable}json: cannot unmarshal number into Go struct field .kind of type string ({"kind":5,"metadata":{"name":" ...)`,
  ],
];

async function send(api: ApiClient, kind: string, body: Json, query = ""): Promise<Answer> {
  const path = (paths[kind] ?? "").replace("NS", await api.namespace());
  return api.send("POST", `/${path}${query}`, body);
}

function valueAt(body: unknown, path: readonly string[]): unknown {
  return path.reduce((at, key) => (at as Json | undefined)?.[key], body);
}

describeApi("decoding", (api) => {
  test.each(refused)("%s %j is refused: %s", async (kind, body, problem) => {
    const { status, body: answer } = await send(api(), kind, body);
    const version = `${kind} in version "v1" cannot be handled as a ${kind}: `;
    expect([status, answer.reason, answer.message]).toEqual([400, "BadRequest", version + problem]);
  });

  test.each(taken)("%s %j is taken", async (kind, body, path, value) => {
    const { status, body: answer } = await send(api(), kind, body);
    expect([status, valueAt(answer, path)]).toEqual([201, value]);
  });

  test.each(wrongPatches)("a strategic merge patch %j is refused", async (patch, shown, problem) => {
    const namespace = await api().namespace();
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    await api().send("POST", path, deployment({ replicas: 0 }));
    const answer = await api().patch(`${path}/d`, "strategic", patch);
    expect([answer.status, answer.body.details["causes"]]).toEqual([
      422,
      [{ reason: "FieldValueInvalid", field: "patch", message: `Invalid value: "${shown}": ${problem}` }],
    ]);
  });

  test("a strategic merge patch cuts numbers off to 32 bits", async () => {
    const namespace = await api().namespace();
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    await api().send("POST", path, deployment({ replicas: 0 }));
    const { status, body } = await api().patch(`${path}/d`, "strategic", { spec: { replicas: 2 ** 32 + 1 } });
    expect([status, body.spec["replicas"]]).toEqual([200, 1]);
  });

  test("a strategic merge patch cuts numbers in lists off, too", async () => {
    const path = `/apis/batch/v1/namespaces/${await api().namespace()}/cronjobs`;
    const podSpec = { restartPolicy: "Never", containers: [container] };
    const ofJob = (values: readonly number[]): Json => ({
      template: { spec: podSpec },
      podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values } }] },
    });
    const spec = { schedule: "@hourly", jobTemplate: { spec: ofJob([1]) } };
    await api().send("POST", path, { metadata: { name: "j" }, spec });
    const patch = { spec: { jobTemplate: { spec: ofJob([2 ** 32 + 5, 2 ** 32 + 7]) } } };
    const { status, body } = await api().patch(`${path}/j`, "strategic", patch);
    expect(status).toBe(200);
    expect(body.spec["jobTemplate"]).toMatchObject({
      spec: { podFailurePolicy: ofJob([5, 7])["podFailurePolicy"] },
    });
  });

  test.each([merge, strategic, "application/json-patch+json"])(
    "a patch does not make a Secret of what is not base64: %s",
    async (type) => {
      const path = `/api/v1/namespaces/${await api().namespace()}/secrets`;
      await api().send("POST", path, secret("YQ=="));
      const patch =
        type === merge || type === strategic
          ? { data: { a: "x" } }
          : [{ op: "replace", path: "/data/a", value: "x" }];
      const answer = await api().send("PATCH", `${path}/s`, patch, { "content-type": type });
      expect([answer.status, answer.body.reason]).toEqual([422, "Invalid"]);
      expect(answer.body.message).toMatch(/illegal base64 data at input byte 0$/);
    },
  );

  test("an apply does not make a Secret of what is not base64", async () => {
    const namespace = await api().namespace();
    const path = `/api/v1/namespaces/${namespace}/secrets/s`;
    const answer = await api().apply(path, "me", { apiVersion: "v1", kind: "Secret", ...secret("x") });
    expect([answer.status, answer.body.message]).toEqual([
      500,
      "failed to convert new object (/s; /v1, Kind=Secret) to proper version: unable to convert unstructured object " +
        "to /v1, Kind=Secret: error decoding from json: illegal base64 data at input byte 0",
    ]);
  });

  test("an apply need not name an object that is there, but a new one", async () => {
    const path = `/api/v1/namespaces/${await api().namespace()}/configmaps/c`;
    const nameless = { apiVersion: "v1", kind: "ConfigMap", data: { a: "b" } };
    const missing = await api().apply(path, "me", nameless);
    expect([missing.status, missing.body.message]).toEqual([
      400,
      "the name of the object (c based on URL) was undeterminable: name must be provided",
    ]);
    await api().apply(path, "me", { ...nameless, metadata: { name: "c" } });
    const there = await api().apply(path, "me", { ...nameless, data: { a: "c" } });
    expect([there.status, there.body.metadata.name, there.body.data]).toEqual([200, "c", { a: "c" }]);
  });

  test("a status with a time that is none is refused", async () => {
    const path = `/apis/batch/v1/namespaces/${await api().namespace()}/cronjobs`;
    const podSpec = { restartPolicy: "Never", containers: [container] };
    const spec = { schedule: "* * * * *", jobTemplate: { spec: { template: { spec: podSpec } } } };
    const created = await api().send("POST", path, { metadata: { name: "c" }, spec });
    expect(created.status).toBe(201);
    const status = { lastScheduleTime: "nonsense" };
    const replaced = await api().send("PUT", `${path}/c/status`, { ...created.body, status });
    expect([replaced.status, replaced.body.message]).toEqual([
      400,
      `CronJob in version "v1" cannot be handled as a CronJob: ${noTime("nonsense", "nonsense", "2006")}`,
    ]);
    const patched = await api().patch(`${path}/c/status`, "merge", { status });
    expect(patched.status).toBe(422);
    expect(patched.body.message).toContain(noTime("nonsense", "nonsense", "2006"));
  });

  test.each(noObjects)("the body %j is no object", async (body, problem) => {
    const path = await api().configMaps();
    const answer = await api().send("POST", path, body);
    expect([answer.status, answer.body.message]).toEqual([
      400,
      `the object provided is unrecognized (must be of type ConfigMap): ${problem}`,
    ]);
  });

  test("bodies of subresources and options of deletions are read as their types, too", async () => {
    const namespace = await api().namespace();
    const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    const pods = `/api/v1/namespaces/${namespace}/pods`;
    await api().send("POST", deployments, deployment({ replicas: 0 }));
    const reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    const answers = [
      await api().send("PUT", `${deployments}/d/scale`, { metadata: { name: "d" }, spec: { replicas: 1.5 } }),
      await api().send("POST", `${pods}/p/binding`, { target: 5 }),
      await api().send("POST", `${pods}/p/eviction`, { metadata: { name: "p" }, deleteOptions: "x" }),
      await api().send("POST", `${accounts}/default/token`, { spec: { expirationSeconds: "x" } }),
      await api().send("POST", reviews, { spec: { resourceAttributes: 5 } }),
      await api().send("DELETE", `${deployments}/d`, { gracePeriodSeconds: "x" }),
    ];
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400));
    expect(answers.map(({ body }) => body.message.replace(/^.*cannot be handled as a /, ""))).toEqual([
      `Scale: ${into("number 1.5", "ScaleSpec.spec.replicas", "int32")}`,
      `Binding: ${into("number", "Binding.target", "v1.ObjectReference")}`,
      `Eviction: ${into("string", "Eviction.deleteOptions", "v1.DeleteOptions")}`,
      `TokenRequest: ${into("string", "TokenRequestSpec.spec.expirationSeconds", "int64")}`,
      `SelfSubjectAccessReview: ${into("number", "SelfSubjectAccessReviewSpec.spec.resourceAttributes", "v1.ResourceAttributes")}`,
      into("string", "DeleteOptions.gracePeriodSeconds", "int64"),
    ]);
  });
});

import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { until } from "../../../harness/until.ts";
import { type WebhookAnswer, WebhookServer } from "../../../harness/webhook-server.ts";
import { describeApi, type StreamedEvent } from "../api-client.ts";

type Json = Record<string, unknown>;
interface Thing extends Json {
  readonly apiVersion: string;
  readonly metadata: Json;
  readonly spec: Readonly<Record<string, string>>;
}
interface ConversionRequest {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly Thing[];
}

const group = "conversion.example.com";
const text = { type: "string" };
const schema = (properties: Json): Json => ({
  openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties } } },
});
const versions = [
  {
    name: "v1",
    served: true,
    storage: true,
    schema: schema({ a: text, b: text, d: { ...text, default: "dd" } }),
  },
  { name: "v2", served: true, storage: false, schema: schema({ both: text, e: { ...text, default: "ee" } }) },
];

/** v1 has in two fields what v2 has in one; what it says besides is not in the schema. */
function converted(thing: Thing, apiVersion: string): Json {
  const { spec } = thing;
  if (apiVersion.endsWith("v2"))
    return { ...thing, apiVersion, spec: { both: `${spec["a"] ?? ""}-${spec["b"] ?? ""}`, junk: "1" } };
  const [a, b] = (spec["both"] ?? "").split("-");
  return { ...thing, apiVersion, spec: { a, b } };
}

const good = ({ uid, objects, desiredAPIVersion }: ConversionRequest): Json => ({
  uid,
  result: { status: "Success" },
  convertedObjects: objects.map((object) => converted(object, desiredAPIVersion)),
});
const withMetadata =
  (change: (metadata: Json) => unknown) =>
  (request: ConversionRequest): Json => ({
    ...good(request),
    convertedObjects: request.objects.map((object) => ({
      ...converted(object, request.desiredAPIVersion),
      metadata: change(object.metadata),
    })),
  });
const LABEL_RULE =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
  "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

type Respond = (request: ConversionRequest) => Json;

/** What a converter answers, and what becomes of it: "… failed: " and so on. */
const failures: readonly (readonly [name: string, respond: Respond, problem: string])[] = [
  [
    "a failure",
    ({ uid }) => ({ uid, result: { status: "Failure", message: "cannot do" } }),
    "failed: cannot do",
  ],
  [
    "a failure without words",
    ({ uid }) => ({ uid, result: { status: "Failure" } }),
    "failed: response.result.status was 'Failure', not 'Success'",
  ],
  [
    "no status",
    ({ uid }) => ({ uid, convertedObjects: [] }),
    "failed: response.result.status was '', not 'Success'",
  ],
  [
    "too few objects",
    (request) => ({ ...good(request), convertedObjects: [] }),
    "returned 0 objects, expected 1",
  ],
  [
    "another uid",
    (request) => ({ ...good(request), uid: "x" }),
    'failed: expected response.uid="UID", got "x"',
  ],
  [
    "the version that was given",
    (request) => ({ ...good(request), convertedObjects: request.objects }),
    `returned invalid object at index 0: invalid groupVersion (expected ${group}/v2, received ${group}/v1)`,
  ],
  [
    "another kind",
    (request) => ({
      ...good(request),
      convertedObjects: request.objects.map((object) => ({
        ...converted(object, request.desiredAPIVersion),
        kind: "Other",
      })),
    }),
    "returned invalid object at index 0: invalid kind (expected Thing, received Other)",
  ],
  [
    "another name",
    withMetadata((metadata) => ({ ...metadata, name: "other" })),
    "returned invalid object: must have the same name: one != other",
  ],
  [
    "another uid of the object",
    withMetadata((metadata) => ({ ...metadata, uid: "other" })),
    "returned invalid object: must have the same UID: UID != other",
  ],
  ["no metadata", withMetadata(() => undefined), "returned invalid object: must have the same name: one != "],
  [
    "labels that cannot be",
    withMetadata((metadata) => ({ ...metadata, labels: { "a b": "c" } })),
    `returned invalid metadata: metadata.labels: Invalid value: "a b": ${LABEL_RULE}`,
  ],
  [
    "labels that are no texts",
    withMetadata((metadata) => ({ ...metadata, labels: { a: 1 } })),
    "returned invalid metadata: metadata.labels[a] must be a string, but is int64 in converted object",
  ],
  [
    "labels that are a list",
    withMetadata((metadata) => ({ ...metadata, labels: ["a"] })),
    "returned invalid metadata: invalid metadata.labels of type []interface {} in converted object",
  ],
  [
    "annotations that cannot be",
    withMetadata((metadata) => ({ ...metadata, annotations: { "a b": "c" } })),
    `returned invalid metadata: metadata.annotation: Invalid value: "a b": ${LABEL_RULE}`,
  ],
];

describeApi("conversion by webhooks", (api) => {
  let server: WebhookServer;
  let space = "";
  let respond: Respond | undefined = good;
  let raw: WebhookAnswer;
  const seen: ConversionRequest[] = [];

  const path = (version: string, rest = ""): string =>
    `/apis/${group}/${version}/namespaces/${space}/things${rest}`;
  const create = async (version: string, name: string, spec: Json, query = "") =>
    api().send("POST", path(version, query), {
      apiVersion: `${group}/${version}`,
      kind: "Thing",
      metadata: { name, labels: { x: "y" } },
      spec,
    });
  const directions = (): readonly string[] => [
    ...new Set(
      seen.flatMap(({ objects, desiredAPIVersion }) =>
        objects.map(({ apiVersion }) => `${apiVersion.slice(-2)} to ${desiredAPIVersion.slice(-2)}`),
      ),
    ),
  ];

  beforeAll(async () => {
    server = await WebhookServer.start();
    server.on("/convert", ({ body }) => {
      const request = body["request"] as ConversionRequest;
      seen.push(request);
      if (respond === undefined) return raw;
      return {
        body: { apiVersion: body["apiVersion"], kind: "ConversionReview", response: respond(request) },
      };
    });
    space = await api().namespace();
    const clientConfig = { url: server.url("/convert"), caBundle: server.caBundle };
    const conversion = { strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"], clientConfig } };
    const names = { plural: "things", kind: "Thing" };
    const made = await api().send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      metadata: { name: `things.${group}` },
      spec: { group, scope: "Namespaced", names, versions, conversion },
    });
    expect(made.status).toBe(201);
    await until("things are served", async () => (await api().get(path("v2"))).status === 200);
    expect((await create("v1", "one", { a: "1", b: "2" })).status).toBe(201);
  });
  beforeEach(() => {
    respond = good;
    seen.length = 0;
  });
  afterAll(async () => server.stop());

  test("what is stored and read in one version is not converted", async () => {
    const { body } = await api().get(path("v1", "/one"));
    expect(body.spec).toEqual({ a: "1", b: "2", d: "dd" });
    // Others may read it in the other version.
    expect(directions()).not.toContain("v2 to v1");
  });

  test("a read in another version, with the defaults of the stored one, and without what is unknown", async () => {
    const { body } = await api().get(path("v2", "/one"));
    expect(body).toMatchObject({
      apiVersion: `${group}/v2`,
      kind: "Thing",
      metadata: { labels: { x: "y" } },
    });
    expect(body.spec).toEqual({ both: "1-2" });
    // Others may have read it, too.
    expect(seen[0]).toMatchObject({
      desiredAPIVersion: `${group}/v2`,
      objects: [{ spec: { a: "1", b: "2", d: "dd" } }],
    });
  });

  test("a create in another version is stored in the stored one", async () => {
    const made = await create("v2", "two", { both: "3-4" });
    expect([made.status, made.body.spec]).toEqual([201, { both: "3-4" }]);
    expect(directions().toSorted()).toContain("v2 to v1");
    expect(seen.find(({ desiredAPIVersion }) => desiredAPIVersion.endsWith("v1"))).toMatchObject({
      objects: [{ spec: { both: "3-4", e: "ee" } }],
    });
    seen.length = 0;
    expect((await api().get(path("v1", "/two"))).body.spec).toEqual({ a: "3", b: "4", d: "dd" });
    expect(directions()).not.toContain("v2 to v1");
  });

  test("lists in both versions", async () => {
    await create("v1", "listed", { a: "5", b: "6" });
    const specs = async (version: string): Promise<readonly Json[]> => {
      const { body } = await api().get(path(version));
      return body.items.filter(({ metadata }) => metadata.name === "listed").map(({ spec }) => spec);
    };
    expect(await specs("v2")).toEqual([{ both: "5-6" }]);
    expect(await specs("v1")).toEqual([{ a: "5", b: "6", d: "dd" }]);
  });

  test("an update, a patch and an apply in another version", async () => {
    await create("v1", "changed", { a: "1", b: "2" });
    const patched = await api().patch(path("v2", "/changed"), "merge", { spec: { both: "7-8" } });
    expect([patched.status, patched.body.spec]).toEqual([200, { both: "7-8" }]);
    const put = await api().send("PUT", path("v2", "/changed"), { ...patched.body, spec: { both: "9-9" } });
    expect([put.status, put.body.spec]).toEqual([200, { both: "9-9" }]);
    const applied = await api().apply(
      path("v2", "/changed"),
      "m",
      { apiVersion: `${group}/v2`, kind: "Thing", metadata: { name: "changed" }, spec: { both: "0-0" } },
      true,
    );
    expect([applied.status, applied.body.spec]).toEqual([200, { both: "0-0" }]);
    expect((await api().get(path("v1", "/changed"))).body.spec).toMatchObject({ a: "0", b: "0" });
  });

  test("a dry run and a delete in another version", async () => {
    const dry = await create("v2", "dry", { both: "3-4" }, "?dryRun=All");
    expect([dry.status, dry.body.spec]).toEqual([201, { both: "3-4" }]);
    expect((await api().get(path("v1", "/dry"))).status).toBe(404);
    await create("v1", "gone", { a: "1", b: "2" });
    expect((await api().send("DELETE", path("v2", "/gone"))).status).toBe(200);
    expect((await api().get(path("v1", "/gone"))).status).toBe(404);
  });

  test("a watch in another version shows what is there and what comes, in order", async () => {
    const events: StreamedEvent[] = [];
    const query = "?watch=true&fieldSelector=metadata.name%3Dwatched";
    const watching = api().watch(path("v2", query), 4, events);
    await create("v1", "watched", { a: "1", b: "1" });
    await until("the watch has begun", () => events.length > 0);
    await api().patch(path("v1", "/watched"), "merge", { spec: { a: "2" } });
    await api().patch(path("v1", "/watched"), "merge", { spec: { b: "2" } });
    await api().send("DELETE", path("v1", "/watched"));
    await watching;
    expect(events.map(({ type, object }) => [type, object["apiVersion"], object.spec])).toEqual([
      ["ADDED", `${group}/v2`, { both: "1-1" }],
      ["MODIFIED", `${group}/v2`, { both: "2-1" }],
      ["MODIFIED", `${group}/v2`, { both: "2-2" }],
      ["DELETED", `${group}/v2`, { both: "2-2" }],
    ]);
    const { metadata } = (await api().get(path("v1", "/one"))).body;
    const again = await api().watch(
      path(
        "v2",
        `?watch=true&resourceVersion=${metadata.resourceVersion}&fieldSelector=metadata.name%3Dwatched`,
      ),
      2,
    );
    expect(again.map(({ type, object }) => [type, object.spec])).toEqual([
      ["ADDED", { both: "1-1" }],
      ["MODIFIED", { both: "2-1" }],
    ]);
  });

  test("what leaves the selector of a watch in another version goes as it was, under the version of the write", async () => {
    const events: StreamedEvent[] = [];
    const watching = api().watch(path("v2", "?watch=true&labelSelector=leaving"), 2, events);
    await create("v1", "leaving", { a: "1", b: "1" });
    const labelled = await api().patch(path("v1", "/leaving"), "merge", {
      metadata: { labels: { leaving: "" } },
    });
    expect(labelled.status).toBe(200);
    await until("it has come", () => events.length > 0);
    const change = { metadata: { labels: { leaving: null } }, spec: { a: "2" } };
    const left = await api().patch(path("v1", "/leaving"), "merge", change);
    await watching;
    expect(events.map(({ type, object }) => [type, object["apiVersion"], object.spec])).toEqual([
      ["ADDED", `${group}/v2`, { both: "1-1" }],
      ["DELETED", `${group}/v2`, { both: "1-1" }],
    ]);
    expect(events[1]?.object.metadata.resourceVersion).toBe(left.body.metadata.resourceVersion);
  });

  test("of the metadata, only labels and annotations are the converter's", async () => {
    respond = withMetadata((metadata) => ({
      ...metadata,
      labels: { z: "z" },
      annotations: { q: "r" },
      finalizers: ["a/b"],
      resourceVersion: "1",
      generation: 7,
    }));
    const { body } = await api().get(path("v2", "/one"));
    expect(body.metadata).toMatchObject({ labels: { z: "z" }, annotations: { q: "r" }, generation: 1 });
    expect(body.metadata).not.toHaveProperty("finalizers");
    expect(body.metadata.resourceVersion).not.toBe("1");
  });

  test.each(failures)("a converter that answers %s", async (_, answer, problem) => {
    respond = answer;
    const { status, body } = await api().get(path("v2", "/one"));
    const message = body.message.replace(/"?[0-9a-f]{8}-[0-9a-f-]{27}"?/, (uid) =>
      uid.startsWith('"') ? '"UID"' : "UID",
    );
    expect([status, message]).toEqual([500, `conversion webhook for ${group}/v1, Kind=Thing ${problem}`]);
    expect(body.reason).toBeUndefined();
  });

  test("a converter that cannot be asked: nothing is stored, and the stored version can be read", async () => {
    respond = undefined;
    raw = { status: 404, body: "x", type: "text/plain" };
    const problem = "failed: the server could not find the requested resource";
    const read = await api().get(path("v2", "/one"));
    expect([read.status, read.body.message]).toEqual([
      500,
      `conversion webhook for ${group}/v1, Kind=Thing ${problem}`,
    ]);
    const made = await create("v2", "never", { both: "1-2" });
    expect([made.status, made.body.message]).toEqual([
      500,
      `conversion webhook for ${group}/v2, Kind=Thing ${problem}`,
    ]);
    expect((await api().get(path("v1", "/never"))).status).toBe(404);
    const deleted = await api().send("DELETE", path("v2", "/one"));
    expect(deleted.status).toBe(500);
    expect((await api().get(path("v1", "/one"))).status).toBe(200);
  });

  test("where only apiVersion changes, defaults are those of the stored version, too", async () => {
    const names = { plural: "plains", kind: "Plain" };
    await api().send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      metadata: { name: `plains.${group}` },
      spec: { group, scope: "Cluster", names, versions },
    });
    const plains = (version: string): string => `/apis/${group}/${version}/plains`;
    await until("plains are served", async () => (await api().get(plains("v2"))).status === 200);
    const body = { apiVersion: `${group}/v1`, kind: "Plain", metadata: { name: "p" }, spec: { a: "1" } };
    expect((await api().send("POST", plains("v1"), body)).body.spec).toEqual({ a: "1", d: "dd" });
    expect((await api().get(`${plains("v2")}/p`)).body.spec).toEqual({});
    expect((await api().get(`${plains("v1")}/p`)).body.spec).toEqual({ a: "1", d: "dd" });
  });
});

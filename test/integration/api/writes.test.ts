import { expect, test } from "vitest";
import { describeApi } from "./api-client.ts";

const modified =
  "the object has been modified; please apply your changes to the latest version and try again";

describeApi("writes", (api) => {
  test("a create fills in what only the server may say", async () => {
    const path = await api().configMaps();
    const { status, body } = await api().send("POST", path, {
      metadata: { name: "a", uid: "mine", creationTimestamp: "2001-01-01T00:00:00Z" },
    });
    expect(status).toBe(201);
    expect(body.kind).toBe("ConfigMap");
    expect(body.metadata.uid).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(body.metadata.creationTimestamp).not.toMatch(/^2001/);
    expect(body.metadata.resourceVersion).toMatch(/^[1-9][0-9]*$/);
  });

  test("who asks for metadata only gets no more of what is written", async () => {
    const path = await api().configMaps();
    const accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    const object = { metadata: { name: "a", finalizers: ["example.com/stay"] }, data: { a: "b" } };
    const merge = "application/merge-patch+json";
    const answers = [
      await api().send("POST", path, object, { accept }),
      await api().send("PATCH", `${path}/a`, { data: { a: "c" } }, { accept, "content-type": merge }),
      await api().send("PUT", `${path}/a`, { ...object, data: { a: "d" } }, { accept }),
      await api().send("DELETE", `${path}/a`, undefined, { accept }),
    ];
    expect(answers.map(({ status, body }) => [status, body.kind, body.metadata.name, body.data])).toEqual(
      [201, 200, 200, 200].map((status) => [status, "PartialObjectMetadata", "a", undefined]),
    );
    const versions = new Set(answers.map(({ body }) => body.metadata.resourceVersion));
    expect(versions.size).toBe(answers.length);
    const refused = await api().send("POST", path, object, { accept });
    expect([refused.status, refused.body.kind, refused.body.reason]).toEqual([
      409,
      "Status",
      "AlreadyExists",
    ]);
  });

  test("a second create of the same name is refused", async () => {
    const path = await api().configMaps();
    await api().send("POST", path, { metadata: { name: "a" } });
    const { status, body } = await api().send("POST", path, { metadata: { name: "a" } });
    expect([status, body.reason, body.message]).toEqual([
      409,
      "AlreadyExists",
      'configmaps "a" already exists',
    ]);
    expect(body.details).toEqual({ name: "a", kind: "configmaps" });
  });

  test("generateName gets five characters of its own", async () => {
    const path = await api().configMaps();
    const { status, body } = await api().send("POST", path, { metadata: { generateName: "gen-" } });
    expect(status).toBe(201);
    expect(body.metadata.name).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  test("a create without a name, with a bad one, in another namespace or with a version is refused", async () => {
    const path = await api().configMaps();
    const nameless = await api().send("POST", path, { metadata: {} });
    expect(nameless.status).toBe(422);
    expect(nameless.body.message).toBe(
      'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    );
    const bad = await api().send("POST", path, { metadata: { name: "A_b" } });
    expect([bad.status, bad.body.reason]).toEqual([422, "Invalid"]);
    const elsewhere = await api().send("POST", path, { metadata: { name: "b", namespace: "other" } });
    expect([elsewhere.status, elsewhere.body.message]).toEqual([
      400,
      "the namespace of the provided object does not match the namespace sent on the request",
    ]);
    const versioned = await api().send("POST", path, { metadata: { name: "b", resourceVersion: "12" } });
    expect([versioned.status, versioned.body.message]).toEqual([
      500,
      "resourceVersion should not be set on objects to be created",
    ]);
  });

  test("of what is computed there are no tables", async () => {
    const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    const review = { spec: { nonResourceAttributes: { path: "/", verb: "get" } } };
    const table = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const asked = async (accept: string): Promise<readonly unknown[]> => {
      const { status, body } = await api().send("POST", path, review, { accept });
      return [status, status === 201 ? body.kind : body.reason];
    };
    expect(await asked(table)).toEqual([406, "NotAcceptable"]);
    expect(await asked(`${table},application/json`)).toEqual([201, "SelfSubjectAccessReview"]);
  });

  test("a version on what is created is minded after all else, and not by a dry run", async () => {
    const path = await api().configMaps();
    const resourceVersion = "12";
    const invalid = await api().send("POST", path, { metadata: { name: "A_b", resourceVersion } });
    expect([invalid.status, invalid.body.reason]).toEqual([422, "Invalid"]);
    const tried = await api().send("POST", `${path}?dryRun=All`, {
      metadata: { name: "b", resourceVersion },
    });
    expect([tried.status, tried.body.metadata.resourceVersion]).toEqual([201, resourceVersion]);
    await api().send("POST", path, { metadata: { name: "b" } });
    const taken = await api().send("POST", path, { metadata: { name: "b", resourceVersion } });
    expect(taken.status).toBe(500);
    const triedAgain = await api().send("POST", `${path}?dryRun=All`, {
      metadata: { name: "b", resourceVersion },
    });
    expect(triedAgain.status).toBe(409);
  });

  test("bodies that are not JSON, not an object, of another kind or of wrong types are refused", async () => {
    const path = await api().configMaps();
    const cases: readonly [unknown, number, RegExp][] = [
      [
        "{bad",
        400,
        /couldn't get version\/kind; json parse error: invalid character 'b' looking for beginning/,
      ],
      ["[]", 400, /json: cannot unmarshal array/],
      [
        { kind: "Secret", apiVersion: "v1", metadata: { name: "b" } },
        400,
        /^Secret in version "v1" cannot be handled as a ConfigMap/,
      ],
      [
        { kind: "ConfigMap", apiVersion: "v2", metadata: { name: "b" } },
        400,
        /no kind "ConfigMap" is registered for version "v2"/,
      ],
      [
        { metadata: { name: "b" }, data: { x: 1 } },
        400,
        /json: cannot unmarshal number into Go struct field ConfigMap.data of type string$/,
      ],
    ];
    for (const [body, status, message] of cases) {
      const answer = await api().send("POST", path, body);
      expect([answer.status, answer.body.reason]).toEqual([status, "BadRequest"]);
      expect(answer.body.message).toMatch(message);
    }
    const plain = await api().send("POST", path, "{}", { "content-type": "text/plain" });
    expect([plain.status, plain.body.reason]).toEqual([415, "UnsupportedMediaType"]);
  });

  test("unknown and duplicate fields: refused when Strict, named when Warn, dropped when Ignore", async () => {
    const path = await api().configMaps();
    const body = (name: string): string => `{"metadata":{"name":"${name}"},"foo":1,"data":{"a":"1","a":"2"}}`;
    const strict = await api().send("POST", `${path}?fieldValidation=Strict`, body("strict"));
    expect([strict.status, strict.body.message]).toEqual([
      400,
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "foo", duplicate field "data.a"',
    ]);
    const warn = await api().send("POST", path, body("warn"));
    expect(warn.status).toBe(201);
    expect(String(warn.headers["warning"])).toContain(String.raw`299 - "unknown field \"foo\""`);
    expect(String(warn.headers["warning"])).toContain(String.raw`299 - "duplicate field \"data.a\""`);
    expect(warn.body.data).toEqual({ a: "2" });
    const ignore = await api().send("POST", `${path}?fieldValidation=Ignore`, body("ignore"));
    expect([ignore.status, ignore.headers["warning"]]).toEqual([201, undefined]);
    expect(ignore.body["foo"]).toBeUndefined();
  });

  test("a dry run answers as the real thing and stores nothing", async () => {
    const path = await api().configMaps();
    const created = await api().send("POST", `${path}?dryRun=All`, { metadata: { name: "dry" } });
    expect(created.status).toBe(201);
    expect(created.body.metadata.uid).not.toBe("");
    expect((await api().get(`${path}/dry`)).status).toBe(404);
    await api().send("POST", path, { metadata: { name: "a" }, data: { x: "1" } });
    const patched = await api().patch(`${path}/a?dryRun=All`, "merge", { data: { x: "2" } });
    expect(patched.body.data).toEqual({ x: "2" });
    const deleted = await api().send("DELETE", `${path}/a?dryRun=All`);
    expect(deleted.status).toBe(200);
    expect((await api().get(`${path}/a`)).body.data).toEqual({ x: "1" });
    const invalid = await api().send("POST", `${path}?dryRun=Some`, { metadata: { name: "b" } });
    expect([invalid.status, invalid.body.reason]).toEqual([422, "Invalid"]);
  });

  test("an update of an old version conflicts, one without a version overwrites", async () => {
    const path = await api().configMaps();
    const { body: first } = await api().send("POST", path, { metadata: { name: "a" } });
    const { resourceVersion } = first.metadata;
    const second = await api().send("PUT", `${path}/a`, {
      metadata: { name: "a", resourceVersion },
      data: { x: "1" },
    });
    expect(second.status).toBe(200);
    const third = await api().send("PUT", `${path}/a`, {
      metadata: { name: "a", resourceVersion },
      data: { x: "2" },
    });
    expect([third.status, third.body.reason]).toEqual([409, "Conflict"]);
    expect(third.body.message).toBe(`Operation cannot be fulfilled on configmaps "a": ${modified}`);
    const blind = await api().send("PUT", `${path}/a`, { metadata: { name: "a" }, data: { x: "3" } });
    expect([blind.status, blind.body.data]).toEqual([200, { x: "3" }]);
  });

  test("an update cannot rename, change the uid, or meet an object that is not there", async () => {
    const path = await api().configMaps();
    await api().send("POST", path, { metadata: { name: "a" } });
    const renamed = await api().send("PUT", `${path}/a`, { metadata: { name: "z" } });
    expect([renamed.status, renamed.body.message]).toEqual([
      400,
      "the name of the object (z) does not match the name on the URL (a)",
    ]);
    const nameless = await api().send("PUT", `${path}/a`, { metadata: {} });
    expect(nameless.body.message).toBe(
      "the name of the object (a based on URL) was undeterminable: name must be provided",
    );
    const other = await api().send("PUT", `${path}/a`, { metadata: { name: "a", uid: "zz" } });
    expect([other.status, other.body.reason]).toEqual([409, "Conflict"]);
    expect(other.body.message).toMatch(/Precondition failed: UID in precondition: zz, UID in object meta: /);
    const missing = await api().send("PUT", `${path}/nope`, { metadata: { name: "nope" } });
    expect([missing.status, missing.body.message]).toEqual([404, 'configmaps "nope" not found']);
  });

  test("a write that changes nothing keeps the version", async () => {
    const path = await api().configMaps();
    const created = await api().send("POST", path, { metadata: { name: "a" }, data: { x: "1" } });
    const again = await api().send("PUT", `${path}/a`, created.body);
    const patched = await api().patch(`${path}/a`, "merge", { data: { x: "1" } });
    expect(again.body.metadata.resourceVersion).toBe(created.body.metadata.resourceVersion);
    expect(patched.body.metadata.resourceVersion).toBe(created.body.metadata.resourceVersion);
  });

  test("merge, JSON and strategic patches change what they name", async () => {
    const path = await api().configMaps();
    await api().send("POST", path, { metadata: { name: "a", labels: { l: "1" } }, data: { x: "1", y: "1" } });
    const merge = await api().patch(`${path}/a`, "merge", { data: { x: null, z: "2" } });
    expect([merge.status, merge.body.data]).toEqual([200, { y: "1", z: "2" }]);
    const json = await api().patch(`${path}/a`, "json", [
      { op: "test", path: "/data/y", value: "1" },
      { op: "replace", path: "/data/y", value: "3" },
      { op: "add", path: "/metadata/labels/m", value: "2" },
    ]);
    expect(json.body.data).toEqual({ y: "3", z: "2" });
    expect(json.body.metadata.labels).toEqual({ l: "1", m: "2" });
    const strategic = await api().patch(`${path}/a`, "strategic", {
      metadata: { labels: { $patch: "replace", n: "1" } },
    });
    expect(strategic.body.metadata.labels).toEqual({ n: "1" });
  });

  // What controllers let go is patched like this.
  test("an owner is taken off an object that has one, in silence off one that has none, and off no other object", async () => {
    const path = await api().configMaps();
    const owner = { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "one" };
    const owned = { metadata: { name: "owned", ownerReferences: [owner] } };
    const made = [
      await api().send("POST", path, owned),
      await api().send("POST", path, { metadata: { name: "free" } }),
    ];
    const release = async (name: string, uid?: string): Promise<unknown> => {
      const ownerReferences = [{ $patch: "delete", uid: "one" }];
      const answer = await api().patch(`${path}/${name}`, "strategic", {
        metadata: { uid, ownerReferences },
      });
      const causes = (answer.body.details?.["causes"] ?? []) as readonly { readonly field?: string }[];
      return [answer.status, ...new Set(causes.map(({ field }) => field))];
    };
    expect(await release("owned", "another")).toEqual([422, "metadata.uid"]);
    expect(await release("owned", made[0]?.body.metadata.uid)).toEqual([200]);
    expect(await release("owned", made[0]?.body.metadata.uid)).toEqual([200]);
    expect(await release("free", made[1]?.body.metadata.uid)).toEqual([200]);
  });

  test("patches that do not fit are refused as upstream does", async () => {
    const path = await api().configMaps();
    const { body } = await api().send("POST", path, { metadata: { name: "a" }, data: { x: "1" } });
    const failed = await api().patch(`${path}/a`, "json", [{ op: "test", path: "/data/x", value: "2" }]);
    expect([failed.status, failed.body.reason]).toEqual([422, "Invalid"]);
    const missing = await api().patch(`${path}/a`, "json", [{ op: "remove", path: "/data/zz" }]);
    expect(missing.status).toBe(422);
    const stale = await api().patch(`${path}/a`, "merge", { metadata: { resourceVersion: "1" } });
    expect([stale.status, stale.body.reason]).toEqual([409, "Conflict"]);
    const renamed = await api().patch(`${path}/a`, "merge", { metadata: { name: "q" } });
    expect(renamed.status).toBe(400);
    const retyped = await api().patch(`${path}/a`, "merge", { data: { y: { a: 1 } } });
    expect([retyped.status, retyped.body.reason]).toEqual([422, "Invalid"]);
    const uid = await api().patch(`${path}/a`, "merge", { metadata: { uid: "q" } });
    expect(uid.body.message).toContain('metadata.uid: Invalid value: "q": field is immutable');
    const media = await api().send("PATCH", `${path}/a`, {}, { "content-type": "application/json" });
    expect(media.status).toBe(415);
    expect((await api().get(`${path}/a`)).body.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
  });

  test("server-side apply creates, keeps what others own, and tells of conflicts", async () => {
    const path = await api().configMaps();
    const object = (data: object): object => ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "a" },
      data,
    });
    const created = await api().apply(`${path}/a`, "one", object({ x: "1" }));
    expect(created.status).toBe(201);
    const second = await api().apply(`${path}/a`, "two", object({ y: "2" }));
    expect([second.status, second.body.data]).toEqual([200, { x: "1", y: "2" }]);
    const conflict = await api().apply(`${path}/a`, "two", object({ x: "3", y: "2" }));
    expect([conflict.status, conflict.body.reason]).toEqual([409, "Conflict"]);
    expect(conflict.body.message).toBe('Apply failed with 1 conflict: conflict with "one": .data.x');
    const forced = await api().apply(`${path}/a`, "two", object({ x: "3", y: "2" }), true);
    expect(forced.body.data).toEqual({ x: "3", y: "2" });
    const dropped = await api().apply(`${path}/a`, "two", object({ y: "2" }));
    expect(dropped.body.data).toEqual({ y: "2" });
    const unnamed = await api().send("PATCH", `${path}/a`, object({}), {
      "content-type": "application/apply-patch+yaml",
    });
    expect([unnamed.status, unnamed.body.reason]).toEqual([422, "Invalid"]);
  });

  test("applied configurations that do not fit are refused as upstream does", async () => {
    const path = await api().configMaps();
    const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } };
    const cases: readonly [object, number, string][] = [
      [
        { ...object, foo: 1 },
        500,
        "failed to create typed patch object (/a; /v1, Kind=ConfigMap): .foo: field not declared in schema",
      ],
      [
        { ...object, data: { a: 1 } },
        500,
        "failed to create typed patch object (/a; /v1, Kind=ConfigMap): .data.a: expected string, got &value.valueUnstructured{Value:1}",
      ],
      [{ ...object, kind: "Secret" }, 400, "invalid object type: /v1, Kind=Secret"],
      [{ kind: "ConfigMap", metadata: { name: "a" } }, 400, "invalid object type: /, Kind=ConfigMap"],
      [
        { ...object, metadata: { name: "z" } },
        400,
        "the name of the object (z) does not match the name on the URL (a)",
      ],
      [
        { ...object, metadata: {} },
        400,
        "the name of the object (a based on URL) was undeterminable: name must be provided",
      ],
      [
        { ...object, metadata: { name: "a", uid: "abc" } },
        409,
        'Operation cannot be fulfilled on configmaps "a": uid mismatch: the provided object specified uid abc, and no existing object was found',
      ],
    ];
    for (const [body, status, message] of cases) {
      const answer = await api().apply(`${path}/a`, "m", body);
      expect([answer.status, answer.body.message]).toEqual([status, message]);
    }
    expect((await api().get(`${path}/a`)).status).toBe(404);
  });

  test("patches of the wrong shape are refused as upstream does", async () => {
    const path = await api().configMaps();
    await api().send("POST", path, { metadata: { name: "a" } });
    const cases: readonly ["json" | "merge" | "strategic", unknown, string][] = [
      [
        "json",
        "{}",
        "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
      ],
      [
        "merge",
        "[]",
        "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
      ],
      ["strategic", '"x"', "json: cannot unmarshal string into Go value of type map[string]interface {}"],
      [
        "merge",
        "{bad",
        "error decoding patch: invalid character 'b' looking for beginning of object key string",
      ],
    ];
    for (const [type, body, message] of cases) {
      const answer = await api().patch(`${path}/a`, type, body);
      expect([type, answer.status, answer.body.message]).toEqual([type, 400, message]);
    }
    const forced = await api().patch(`${path}/a?force=true`, "merge", {});
    expect([forced.status, forced.body.message]).toEqual([
      422,
      'PatchOptions.meta.k8s.io "" is invalid: force: Forbidden: may not be specified for non-apply patch',
    ]);
  });

  test("paths in the wrong scope lead nowhere", async () => {
    const name = await api().namespace();
    expect((await api().get(`/api/v1/namespaces/${name}/nodes`)).status).toBe(404);
    expect((await api().get("/api/v1/configmaps/a")).status).toBe(404);
    expect((await api().send("POST", "/api/v1/configmaps", {})).status).toBe(405);
  });

  test("spec and annotations of a deployment count generations, its status subresource does not", async () => {
    const path = `/apis/apps/v1/namespaces/${await api().namespace()}/deployments`;
    const created = await api().send("POST", path, deployment("d", 1));
    expect(created.body.metadata.generation).toBe(1);
    const labelled = await api().patch(`${path}/d`, "merge", { metadata: { labels: { a: "b" } } });
    expect(labelled.body.metadata.generation).toBe(1);
    const scaled = await api().patch(`${path}/d`, "merge", {
      spec: { replicas: 3 },
      status: { replicas: 7 },
    });
    expect(scaled.body.metadata.generation).toBe(2);
    expect(scaled.body.status).toEqual({});
    const reported = await api().patch(`${path}/d/status`, "merge", {
      spec: { replicas: 9 },
      status: { replicas: 2 },
    });
    expect(reported.body.metadata.generation).toBe(2);
    expect([reported.body.spec["replicas"], reported.body.status]).toEqual([3, { replicas: 2 }]);
    const annotated = await api().patch(`${path}/d`, "merge", { metadata: { annotations: { a: "b" } } });
    expect(annotated.body.metadata.generation).toBe(3);
  });

  test("the scale subresource shows and changes the replicas", async () => {
    const path = `/apis/apps/v1/namespaces/${await api().namespace()}/deployments`;
    await api().send("POST", path, deployment("d", 2));
    const scale = await api().get(`${path}/d/scale`);
    expect(scale.body.kind).toBe("Scale");
    expect(scale.body.spec).toEqual({ replicas: 2 });
    expect(scale.body.status).toEqual({ replicas: 0, selector: "app=d" });
    const put = await api().send("PUT", `${path}/d/scale`, { ...scale.body, spec: { replicas: 4 } });
    expect([put.status, put.body.spec]).toEqual([200, { replicas: 4 }]);
    const patched = await api().patch(`${path}/d/scale`, "merge", { spec: { replicas: 5 } });
    expect(patched.body.spec).toEqual({ replicas: 5 });
    const negative = await api().patch(`${path}/d/scale`, "merge", { spec: { replicas: -1 } });
    expect([negative.status, negative.body.reason]).toEqual([422, "Invalid"]);
    const stale = await api().send("PUT", `${path}/d/scale`, { ...scale.body, spec: { replicas: 1 } });
    expect([stale.status, stale.body.reason]).toEqual([409, "Conflict"]);
    expect((await api().get(`${path}/d`)).body.spec["replicas"]).toBe(5);
  });

  test("methods and subresources that there are not", async () => {
    const path = await api().configMaps();
    await api().send("POST", path, { metadata: { name: "a" } });
    for (const [method, below] of [
      ["PUT", ""],
      ["POST", "/a"],
      ["OPTIONS", ""],
    ] as const) {
      const answer = await api().send(method, path + below, method === "OPTIONS" ? undefined : {});
      expect([method, answer.status, answer.body.reason]).toEqual([method, 405, "MethodNotAllowed"]);
    }
    const subresource = await api().get(`${path}/a/status`);
    expect([subresource.status, subresource.body.reason]).toEqual([404, "NotFound"]);
    const resource = await api().get("/apis/apps/v1/nopes");
    expect(resource.body.message).toBe("the server could not find the requested resource");
    expect((await api().get("/apis/nope/v1/foos")).status).toBe(404);
  });
});

function deployment(name: string, replicas: number): object {
  const labels = { app: name };
  const containers = [{ name: "c", image: "i" }];
  return {
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  };
}

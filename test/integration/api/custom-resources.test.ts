import { expect, test } from "vitest";
import { type ApiClient, describeApi, type StreamedEvent } from "./api-client.ts";
import { protobufBody } from "./protobuf-body.ts";

type Json = Readonly<Record<string, unknown>>;

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

const schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["size"],
      properties: {
        size: { type: "integer", minimum: 1 },
        color: { type: "string", default: "red", enum: ["red", "blue"] },
        list: {
          type: "array",
          items: { type: "object", properties: { a: { type: "string", maxLength: 3 } } },
        },
      },
    },
    status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
};

const version = {
  name: "v1",
  served: true,
  storage: true,
  schema: { openAPIV3Schema: schema },
  subresources: {
    status: {},
    scale: {
      specReplicasPath: ".spec.size",
      statusReplicasPath: ".status.replicas",
      labelSelectorPath: ".status.selector",
    },
  },
  additionalPrinterColumns: [{ name: "Size", type: "integer", jsonPath: ".spec.size" }],
};

interface Kind {
  readonly group: string;
  readonly definition: string;
  readonly objects: string;
}

let defined = 0;

/** Defines a kind of its own group and waits until it is served. */
async function define(api: ApiClient, versions: readonly object[] = [version]): Promise<Kind> {
  const group = `g${defined++}.example.com`;
  const names = { plural: "widgets", kind: "Widget", shortNames: ["wd"] };
  const spec = { group, scope: "Namespaced", names, versions };
  const created = await api.send("POST", definitions, { metadata: { name: `widgets.${group}` }, spec });
  expect(created.status).toBe(201);
  const namespace = await api.namespace();
  const objects = `/apis/${group}/v1/namespaces/${namespace}/widgets`;
  await expect.poll(async () => (await api.get(objects)).status).toBe(200);
  return { group, definition: `${definitions}/widgets.${group}`, objects };
}

function widget(group: string, name: string, spec: object): object {
  return { apiVersion: `${group}/v1`, kind: "Widget", metadata: { name }, spec };
}

describeApi("custom resources", (api) => {
  test("a definition is established, named and in discovery", async () => {
    const { definition, group } = await define(api());
    const { body } = await api().get(definition);
    expect(body.status).toMatchObject({
      acceptedNames: {
        plural: "widgets",
        singular: "widget",
        kind: "Widget",
        listKind: "WidgetList",
        shortNames: ["wd"],
      },
      storedVersions: ["v1"],
      conditions: [
        { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" },
        {
          type: "Established",
          status: "True",
          reason: "InitialNamesAccepted",
          message: "the initial names have been accepted",
        },
      ],
    });
    const { resources } = (await api().get(`/apis/${group}/v1`)).body as unknown as {
      readonly resources: readonly { readonly name: string }[];
    };
    expect(resources.map(({ name }) => name).sort()).toEqual(["widgets", "widgets/scale", "widgets/status"]);
  });

  test("objects are pruned, completed and checked by their schema", async () => {
    const { group, objects } = await define(api());
    const created = await api().send("POST", objects, {
      ...widget(group, "w", { size: 3, zzz: 1 }),
      status: { a: 1 },
    });
    expect([created.status, created.body.spec, created.body.status]).toEqual([
      201,
      { size: 3, color: "red" },
      undefined,
    ]);
    expect(String(created.headers["warning"])).toContain(String.raw`unknown field \"spec.zzz\"`);
    const wrong = await api().send(
      "POST",
      objects,
      widget(group, "x", { size: 0, color: "green", list: [{ a: "abcd" }] }),
    );
    expect([wrong.status, wrong.body.reason]).toEqual([422, "Invalid"]);
    // Upstream walks maps in no particular order.
    const causes = wrong.body.details["causes"] as readonly {
      readonly field: string;
      readonly message: string;
    }[];
    expect(causes.map(({ field, message }) => `${field}: ${message}`).sort()).toEqual([
      'spec.color: Unsupported value: "green": supported values: "red", "blue"',
      "spec.list[0].a: Too long: may not be more than 3 bytes",
      "spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1",
    ]);
    const missing = await api().send("POST", objects, widget(group, "x", {}));
    expect(missing.body.message).toBe(`Widget.${group} "x" is invalid: spec.size: Required value`);
    const strict = await api().send(
      "POST",
      `${objects}?fieldValidation=Strict`,
      widget(group, "x", { size: 1, foo: 1 }),
    );
    expect([strict.status, strict.body.message]).toEqual([
      400,
      'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.foo"',
    ]);
    const odd = { ...widget(group, "x", { size: 1 }), metadata: { name: "x", foo: 1, labels: { a: "b" } } };
    const strange = await api().send("POST", `${objects}?fieldValidation=Strict`, odd);
    expect([strange.status, strange.body.message]).toEqual([
      400,
      'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "metadata.foo"',
    ]);
    const warned = await api().send("POST", `${objects}?dryRun=All`, odd);
    expect([warned.status, warned.headers["warning"]]).toEqual([
      201,
      '299 - "unknown field \\"metadata.foo\\""',
    ]);
    const kindless = await api().send("POST", objects, { metadata: { name: "x" }, spec: { size: 1 } });
    expect(kindless.body.message).toContain("Object 'Kind' is missing in");
  });

  test("status and scale are subresources of their own, and updates need a version", async () => {
    const { group, objects } = await define(api());
    await api().send("POST", objects, widget(group, "w", { size: 3 }));
    const resized = await api().patch(`${objects}/w`, "merge", {
      spec: { size: 4 },
      status: { replicas: 9 },
    });
    expect([resized.body.metadata.generation, resized.body.status]).toEqual([2, undefined]);
    const reported = await api().patch(`${objects}/w/status`, "merge", {
      spec: { size: 7 },
      status: { replicas: 5, selector: "a=b" },
    });
    expect([reported.body.metadata.generation, reported.body.spec["size"], reported.body.status]).toEqual([
      2,
      4,
      { replicas: 5, selector: "a=b" },
    ]);
    const scale = await api().get(`${objects}/w/scale`);
    expect([scale.body.spec, scale.body.status]).toEqual([{ replicas: 4 }, { replicas: 5, selector: "a=b" }]);
    await api().patch(`${objects}/w/scale`, "merge", { spec: { replicas: 6 } });
    expect((await api().get(`${objects}/w`)).body.spec["size"]).toBe(6);
    const strategic = await api().patch(`${objects}/w`, "strategic", { spec: { size: 5 } });
    expect(strategic.status).toBe(415);
    const blind = await api().send("PUT", `${objects}/w`, widget(group, "w", { size: 5 }));
    expect([blind.status, blind.body.message]).toEqual([
      422,
      `widgets.${group} "w" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
    ]);
  });

  test("tables have the columns of the definition", async () => {
    const { group, objects } = await define(api());
    await api().send("POST", objects, widget(group, "w", { size: 3 }));
    const table = (await api().get(objects, { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" }))
      .body as unknown as {
      readonly columnDefinitions: readonly { readonly name: string }[];
      readonly rows: readonly { readonly cells: readonly unknown[] }[];
    };
    expect(table.columnDefinitions.map(({ name }) => name)).toEqual(["Name", "Size"]);
    expect(table.rows[0]?.cells).toEqual(["w", 3]);
  });

  test("every served version shows the same objects", async () => {
    const later = { ...version, name: "v2", storage: false };
    const { group, objects } = await define(api(), [version, later]);
    await api().send("POST", objects, widget(group, "w", { size: 3 }));
    const seen = await api().get(`${objects.replace("/v1/", "/v2/")}/w`);
    expect([seen.status, seen.body["apiVersion"], seen.body.spec]).toEqual([
      200,
      `${group}/v2`,
      { size: 3, color: "red" },
    ]);
  });

  test("definitions that cannot be served are refused", async () => {
    const spec = {
      group: "bad.example.com",
      scope: "Namespaced",
      names: { plural: "widgets", kind: "Widget" },
    };
    const misnamed = await api().send("POST", definitions, {
      metadata: { name: "foo.bad.example.com" },
      spec: { ...spec, versions: [{ name: "v1", served: true, storage: true }] },
    });
    expect([misnamed.status, misnamed.body.message]).toEqual([
      422,
      'CustomResourceDefinition.apiextensions.k8s.io "foo.bad.example.com" is invalid: [metadata.name: Invalid value: "foo.bad.example.com": must be spec.names.plural+"."+spec.group, spec.versions[0].schema.openAPIV3Schema: Required value]',
    ]);
  });

  test("a second kind with names in use is not established", async () => {
    const { group } = await define(api());
    const names = { plural: "others", kind: "Widget" };
    const schemaOnly = {
      name: "v1",
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: "object" } },
    };
    const spec = { group, scope: "Namespaced", names, versions: [schemaOnly] };
    await api().send("POST", definitions, { metadata: { name: `others.${group}` }, spec });
    const conditions = async (): Promise<unknown> => {
      const { status } = (await api().get(`${definitions}/others.${group}`)).body;
      return (status as { readonly conditions?: unknown }).conditions;
    };
    await expect.poll(conditions).toMatchObject([
      {
        type: "NamesAccepted",
        status: "False",
        reason: "ListKindConflict",
        message: '"WidgetList" is already in use',
      },
      { type: "Established", status: "False", reason: "NotAccepted", message: "not all names are accepted" },
    ]);
  });

  test("names that come free are given to one of those that wait for them", async () => {
    const { group, definition } = await define(api());
    const schemaOnly = { openAPIV3Schema: { type: "object" } };
    const only = { name: "v1", served: true, storage: true, schema: schemaOnly };
    const waiting = ["others", "strangers"].map((plural) => `${plural}.${group}`);
    for (const name of waiting) {
      const names = { plural: name.split(".")[0], kind: "Widget" };
      const spec = { group, scope: "Namespaced", names, versions: [only] };
      expect((await api().send("POST", definitions, { metadata: { name }, spec })).status).toBe(201);
    }
    const established = async (): Promise<readonly unknown[]> => {
      const found = await Promise.all(waiting.map(async (name) => api().get(`${definitions}/${name}`)));
      const statuses = found.map(
        ({ body }) => body.status as { readonly conditions?: readonly object[] | null },
      );
      return statuses.map(({ conditions }) =>
        (conditions ?? []).some(
          (one) => "type" in one && one.type === "Established" && "status" in one && one.status === "True",
        ),
      );
    };
    await expect.poll(established).toEqual([false, false]);
    await api().send("DELETE", definition);
    const told = async (): Promise<readonly string[]> => (await established()).map(String).toSorted();
    await expect.poll(told).toEqual(["false", "true"]);
  });

  test("the objects go with their definition, which waits for their finalizers", async () => {
    const { group, definition, objects } = await define(api());
    await api().send("POST", objects, widget(group, "plain", { size: 1 }));
    const held = {
      ...widget(group, "held", { size: 1 }),
      metadata: { name: "held", finalizers: ["x.io/a"] },
    };
    await api().send("POST", objects, held);
    const marked = await api().send("DELETE", definition);
    expect([marked.status, marked.body.metadata.finalizers]).toEqual([
      200,
      ["customresourcecleanup.apiextensions.k8s.io"],
    ]);
    const present = async (): Promise<readonly string[]> =>
      (await api().get(objects)).body.items.map(({ metadata }) => metadata.name);
    await expect.poll(present).toEqual(["held"]);
    expect((await api().get(definition)).status).toBe(200);
    await api().patch(`${objects}/held`, "merge", { metadata: { finalizers: null } });
    await expect.poll(async () => (await api().get(definition)).status).toBe(404);
    await expect.poll(async () => (await api().get(objects)).status).toBe(404);
  });

  test("a watch ends when its version is served no more, and with the definition", async () => {
    const other = { ...version, name: "v2", storage: false };
    const { group, definition, objects } = await define(api(), [version, other]);
    await api().send("POST", objects, widget(group, "w", { size: 1 }));
    const watch = async (each: string): Promise<() => Promise<readonly unknown[]>> => {
      const path = objects.replace(`${group}/v1`, `${group}/${each}`);
      await expect.poll(async () => (await api().get(path)).status).toBe(200);
      const events: StreamedEvent[] = [];
      const ended = api().watch(`${path}?watch=1&resourceVersion=0`, 9, events);
      await expect.poll(() => events.length).toBe(1);
      return async () => (await ended).map(({ type }) => type);
    };
    const old = await watch("v1");
    await api().patch(definition, "merge", { spec: { versions: [{ ...version, served: false }, other] } });
    expect(await old()).toEqual(["ADDED"]);
    const newer = await watch("v2");
    await api().send("DELETE", definition);
    expect(await newer()).toEqual(["ADDED", "DELETED"]);
  });

  test("whole numbers of 64 bits are kept, checked and shown as what they are; others are doubles", async () => {
    const size = { type: "integer", format: "int64", minimum: -1 };
    const any = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    const set = { type: "array", items: { type: "integer" }, "x-kubernetes-list-type": "set" };
    const spec = { type: "object", properties: { size, any, set } };
    const { group, objects } = await define(api(), [
      { ...version, subresources: {}, schema: { openAPIV3Schema: { type: "object", properties: { spec } } } },
    ]);
    const head = `"apiVersion":"${group}/v1","kind":"Widget","metadata":{"name":"a"}`;
    const made = await api().send(
      "POST",
      objects,
      `{${head},"spec":{"size":9223372036854775807,"set":[9007199254740992,9007199254740993],"any":{"a":[-9007199254740993,9223372036854775808,1e3,0.5]}}}`,
    );
    const expected = {
      size: 9223372036854775807n,
      set: [9007199254740992n, 9007199254740993n],
      any: { a: [-9007199254740993n, 9223372036854775808, 1000, 0.5] },
    };
    expect(made.status).toBe(201);
    expect(made.body.spec).toEqual(expected);
    expect((await api().get(`${objects}/a`)).body.spec).toEqual(expected);
    const table = { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" };
    const { rows } = (await api().get(objects, table)).body as unknown as {
      readonly rows: readonly { readonly cells: readonly unknown[] }[];
    };
    expect(rows[0]?.cells).toEqual(["a", 9223372036854775807n]);

    const applied = await api().apply(
      `${objects}/a`,
      "somebody",
      `{${head},"spec":{"set":[9007199254740994,9007199254740993]}}`,
    );
    expect(applied.body.spec["set"]).toEqual([9007199254740992n, 9007199254740994n, 9007199254740993n]);
    const entry = applied.body.metadata.managedFields?.find(({ manager }) => manager === "somebody");
    expect(JSON.stringify(entry)).toContain('{"v:9007199254740993":{},"v:9007199254740994":{}}');

    for (const wrong of ["9223372036854775808", "1.5", '"9007199254740993"']) {
      const { status } = await api().send(
        "POST",
        objects,
        `{${head.replace('"a"', '"b"')},"spec":{"size":${wrong}}}`,
      );
      expect(status, wrong).toBe(422);
    }
    const low = await api().send(
      "POST",
      objects,
      `{${head.replace('"a"', '"b"')},"spec":{"size":-9007199254740993}}`,
    );
    expect(low.body.message).toContain(
      "Invalid value: -9007199254740993: spec.size in body should be greater than or equal to -1",
    );
  });

  test("definitions can be sent as protobuf, as clients in Go do", async () => {
    const name = "xs.a.io";
    const schema = [
      [5, "object"],
      [14, 0],
    ] as const;
    const version = [
      [1, "v1"],
      [2, 1],
      [3, 1],
      [4, [[1, schema]]],
    ] as const;
    const names = [
      [1, "xs"],
      [4, "X"],
    ] as const;
    const body = protobufBody("apiextensions.k8s.io/v1", "CustomResourceDefinition", [
      [1, [[1, name]]],
      [
        2,
        [
          [1, "a.io"],
          [3, names],
          [4, "Cluster"],
          [7, version],
        ],
      ],
    ]);
    const type = "application/vnd.kubernetes.protobuf";
    const created = await api().send("POST", definitions, body, { "content-type": type });
    expect([created.status, created.body.message]).toEqual([201, undefined]);
    expect(created.body.spec).toEqual({
      group: "a.io",
      names: { plural: "xs", singular: "x", kind: "X", listKind: "XList" },
      scope: "Cluster",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", minLength: 0 } },
        },
      ],
      conversion: { strategy: "None" },
    });
  });

  test("their schemas are in the OpenAPI 2 document, without what it has no words for", async () => {
    const inner = {
      type: "object",
      required: ["maybe", "sure"],
      properties: {
        maybe: { type: "object", nullable: true, properties: { a: { type: "string" } } },
        sure: { type: "string", minLength: 0 },
        open: {
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          properties: { a: { type: "string" } },
        },
        list: { type: "array", items: { type: "string", nullable: true } },
        map: { type: "object", additionalProperties: { type: "integer" } },
      },
      anyOf: [{ required: ["sure"] }, { not: { required: ["open"] } }],
    };
    const published = async (openAPIV3Schema: object): Promise<Json> => {
      const { group } = await define(api(), [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema } },
      ]);
      const name = `${group.split(".").toReversed().join(".")}.v1.Widget`;
      let found: Json | undefined;
      await expect
        .poll(async () => {
          const { body } = await api().get("/openapi/v2", { accept: "application/json" });
          found = (body["definitions"] as Record<string, Json>)[name];
          return found;
        })
        .toBeDefined();
      const { properties, "x-kubernetes-group-version-kind": kinds, ...rest } = found ?? {};
      expect(kinds).toEqual([{ group, version: "v1", kind: "Widget" }]);
      return properties === undefined
        ? rest
        : { ...rest, properties: { ...(properties as Json), ...unnamed } };
    };
    const unnamed = { apiVersion: "", kind: "", metadata: "" };
    const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
    expect(await published({ ...open, properties: { spec: inner } })).toEqual({ type: "object" });
    expect(await published({ type: "object", properties: { spec: inner } })).toEqual({
      type: "object",
      properties: {
        spec: {
          type: "object",
          required: ["sure"],
          properties: {
            maybe: {},
            sure: { type: "string", minLength: 0 },
            open: { "x-kubernetes-preserve-unknown-fields": true },
            list: { type: "array", items: {} },
            map: { type: "object", additionalProperties: { type: "integer" } },
          },
        },
        ...unnamed,
      },
    });
  });
});

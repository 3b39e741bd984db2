import { describe, expect, test } from "vitest";
import { deepFreeze } from "../../api/freeze.ts";
import type { ApiObject } from "../../api/object.ts";
import { inOneGo } from "../../api/steps.ts";
import type { ApplyContext, ApplyResult } from "./apply.ts";
import { applyPatch as applying, updateManagedFields as updating } from "./apply.ts";
import { builtInSchema } from "./built-in-schema.ts";
import type { FieldSchema } from "./field-schema.ts";
import { fieldSetOf } from "./ownership.ts";

const nowMs = Date.UTC(2024, 0, 1, 12, 30, 15, 999);
const time = "2024-01-01T12:30:15Z";

const applyPatch = (...args: Parameters<typeof applying>): ApplyResult => inOneGo(applying(...args));
const updateManagedFields = (...args: Parameters<typeof updating>): ApiObject => inOneGo(updating(...args));

function contextOf(apiVersion: string, kind: string, changes: Partial<ApplyContext> = {}): ApplyContext {
  const schema = builtInSchema(apiVersion, kind);
  if (schema === undefined) throw new Error(`there is no ${kind}`);
  return deepFreezeContext({
    schema,
    manager: "m1",
    apiVersion,
    kind,
    subresource: "",
    nowMs,
    force: false,
    ...changes,
  });
}
const deepFreezeContext = (context: ApplyContext): ApplyContext => Object.freeze(context);

interface ConfigMap extends ApiObject {
  readonly data?: Readonly<Record<string, string | null>>;
}
const configMap = (data?: ConfigMap["data"], metadata: ApiObject["metadata"] = {}): ConfigMap =>
  deepFreeze({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "c", namespace: "n", ...metadata },
    ...(data !== undefined && { data }),
  });
const inConfigMap = (changes: Partial<ApplyContext> = {}): ApplyContext =>
  contextOf("v1", "ConfigMap", changes);

function applied(live: ApiObject | undefined, body: ApiObject, context: ApplyContext): ApiObject {
  const result = applyPatch(live, body, context);
  if (result.kind !== "applied") throw new Error(`not applied: ${JSON.stringify(result)}`);
  return deepFreeze(result.object);
}

const owners = (object: ApiObject): unknown =>
  object.metadata.managedFields?.map(({ manager, operation, fieldsV1 }) => [manager, operation, fieldsV1]);

describe("applyPatch", () => {
  test("creates an object that the applier owns", () => {
    const result = applyPatch(undefined, configMap({ a: "1" }, { labels: { x: "y" } }), inConfigMap());
    expect(result).toEqual({
      kind: "applied",
      object: {
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: {
          name: "c",
          namespace: "n",
          labels: { x: "y" },
          managedFields: [
            {
              manager: "m1",
              operation: "Apply",
              apiVersion: "v1",
              time,
              fieldsType: "FieldsV1",
              fieldsV1: { "f:data": { "f:a": {} }, "f:metadata": { "f:labels": { "f:x": {} } } },
            },
          ],
        },
        data: { a: "1" },
      },
    });
  });

  test("applied again, it changes nothing", () => {
    const live = applied(undefined, configMap({ a: "1" }), inConfigMap());
    expect(applyPatch(live, configMap({ a: "1" }), inConfigMap({ nowMs: nowMs + 60_000 }))).toEqual({
      kind: "applied",
      object: live,
    });
  });

  test("takes away what its manager no longer applies, but not what others own", () => {
    const first = applied(undefined, configMap({ a: "1", b: "2", c: "3" }), inConfigMap());
    const second = applied(first, configMap({ b: "2" }), inConfigMap({ manager: "m2" }));
    const third = applied(second, configMap({ a: "1" }), inConfigMap()) as ConfigMap;
    expect(third.data).toEqual({ a: "1", b: "2" });
    expect(owners(third)).toEqual([
      ["m2", "Apply", { "f:data": { "f:b": {} } }],
      ["m1", "Apply", { "f:data": { "f:a": {} } }],
    ]);
  });

  test("an empty list resets what had been applied to it", () => {
    const finalizers = (...names: string[]): ConfigMap => configMap({}, { finalizers: names });
    const live = applied(undefined, finalizers("x/a", "x/b"), inConfigMap());
    expect(applied(live, finalizers(), inConfigMap()).metadata.finalizers).toBeUndefined();
    expect(applied(live, configMap(), inConfigMap()).metadata.finalizers).toBeUndefined();
  });

  test("a conflict names the owner and the field, and force ends it", () => {
    const live = applied(undefined, configMap({ a: "1", b: "2" }), inConfigMap());
    const other = inConfigMap({ manager: "m2" });
    const message = 'conflict with "m1"';
    expect(applyPatch(live, configMap({ a: "9" }), other)).toEqual({
      kind: "conflict",
      message: `Apply failed with 1 conflict: ${message}: .data.a`,
      causes: [{ reason: "FieldManagerConflict", message, field: ".data.a" }],
    });
    const updated = updateManagedFields(
      live,
      { ...live, data: { a: "1", b: "3" } } as ApiObject,
      inConfigMap({ manager: "m3", subresource: "scale" }),
    );
    expect(applyPatch(updated, configMap({ a: "9", b: "9" }), other)).toMatchObject({
      message:
        'Apply failed with 2 conflicts: conflicts with "m1":\n- .data.a\n' +
        'conflicts with "m3" with subresource "scale" using v1:\n- .data.b',
    });
    const forced = applied(live, configMap({ a: "9" }), { ...other, force: true });
    expect(owners(forced)).toEqual([
      ["m1", "Apply", { "f:data": { "f:b": {} } }],
      ["m2", "Apply", { "f:data": { "f:a": {} } }],
    ]);
  });

  test("the same value shared is no conflict, and both own it", () => {
    const live = applied(undefined, configMap({ a: "1" }), inConfigMap());
    const result = applyPatch(live, configMap({ a: "1" }), inConfigMap({ manager: "m2" }));
    expect(result).toMatchObject({ kind: "applied" });
    expect(result.kind === "applied" && owners(result.object)).toEqual([
      ["m2", "Apply", { "f:data": { "f:a": {} } }],
      ["m1", "Apply", { "f:data": { "f:a": {} } }],
    ]);
  });

  test("what was there before anybody applied belongs to before-first-apply", () => {
    const result = applyPatch(configMap({ a: "1" }), configMap({ a: "2" }), inConfigMap());
    expect(result).toMatchObject({
      message: 'Apply failed with 1 conflict: conflict with "before-first-apply" using v1: .data.a',
    });
  });

  test("null takes a value away and keeps the ownership", () => {
    const live = applied(undefined, configMap({ a: "1", b: "2" }), inConfigMap());
    const next = applied(live, configMap({ a: null, b: "2" }), inConfigMap()) as ConfigMap;
    expect(next.data).toEqual({ b: "2" });
    expect(owners(next)).toEqual([["m1", "Apply", { "f:data": { "f:a": {}, "f:b": {} } }]]);
  });

  const note = "kubectl.kubernetes.io/last-applied-configuration";
  test("kubectl takes over from its own client-side applies, and keeps their note", () => {
    const before = configMap({ a: "1", b: "2" });
    const created = updateManagedFields(
      undefined,
      configMap(before.data, { annotations: { [note]: JSON.stringify(before) } }),
      inConfigMap({ manager: "kubectl-client-side-apply" }),
    );
    const kubectl = inConfigMap({ manager: "kubectl" });
    const next = applied(created, configMap({ a: "1", b: "9" }), kubectl) as ConfigMap;
    expect(next.data).toEqual({ a: "1", b: "9" });
    expect(next.metadata.annotations?.[note]).toBe(
      '{"apiVersion":"v1","data":{"a":"1","b":"9"},"kind":"ConfigMap","metadata":{"name":"c","namespace":"n"}}\n',
    );
    const changed = updateManagedFields(
      created,
      { ...created, data: { a: "1", b: "3" } } as ApiObject,
      inConfigMap({ manager: "other" }),
    );
    const edited = { ...changed, data: { a: "1", b: "3" } } as ApiObject;
    expect(applyPatch(edited, configMap({ a: "8", b: "9" }), kubectl)).toMatchObject({
      message: 'Apply failed with 1 conflict: conflict with "other" using v1: .data.b',
    });
  });

  test.for<[string, ApiObject, Partial<ApplyContext>, string, string]>([
    [
      "another kind",
      { ...configMap(), kind: "Secret" },
      {},
      "badRequest",
      "invalid object type: /v1, Kind=Secret",
    ],
    [
      "another version",
      { ...configMap(), apiVersion: "apps/v1" },
      {},
      "badRequest",
      "invalid object type: apps/v1, Kind=ConfigMap",
    ],
    [
      "managedFields",
      configMap({}, { managedFields: [] }),
      {},
      "badRequest",
      "metadata.managedFields must be nil",
    ],
    [
      "an unknown field",
      { ...configMap(), foo: 1 } as ApiObject,
      {},
      "invalid",
      "failed to create typed patch object (n/c; /v1, Kind=ConfigMap): .foo: field not declared in schema",
    ],
    [
      "a wrong type",
      { ...configMap(), data: ["a"] } as unknown as ApiObject,
      {},
      "invalid",
      "failed to create typed patch object (n/c; /v1, Kind=ConfigMap): .data: expected map, got &{[a]}",
    ],
    [
      "a wrong scalar",
      { ...configMap(), immutable: "x" } as unknown as ApiObject,
      {},
      "invalid",
      "failed to create typed patch object (n/c; /v1, Kind=ConfigMap): .immutable: expected boolean, got &{x}",
    ],
    [
      "an item twice",
      configMap({}, { finalizers: ["a", "a"] }),
      {},
      "invalid",
      'failed to create typed patch object (n/c; /v1, Kind=ConfigMap): .metadata.finalizers: duplicate entries for key [="a"]',
    ],
  ])("refuses %s", ([, body, changes, kind, message]) => {
    expect(applyPatch(undefined, body, inConfigMap(changes))).toEqual({ kind, message });
  });

  test("refuses to reckon with managers that it cannot read", () => {
    const live = configMap({}, { managedFields: [{ manager: "x", operation: "Steal" }] });
    expect(applyPatch(live, configMap(), inConfigMap())).toEqual({
      kind: "invalid",
      message: "failed to decode managed fields: operation must be `Apply` or `Update`",
    });
  });

  test("the key __proto__ is like any other", () => {
    const data = JSON.parse('{"__proto__":"1","a":"1"}') as Record<string, string>;
    const live = applied(undefined, configMap(data), inConfigMap()) as ConfigMap;
    expect(JSON.stringify(live.data)).toBe('{"__proto__":"1","a":"1"}');
    const next = applied(live, configMap({ a: "1" }), inConfigMap()) as ConfigMap;
    expect(JSON.stringify(next.data)).toBe('{"a":"1"}');
  });

  test("containers merge by name in the order of the applier, keys of ports by default", () => {
    const context = contextOf("v1", "Pod");
    const pod = (...containers: object[]): ApiObject =>
      deepFreeze({ apiVersion: "v1", kind: "Pod", metadata: { name: "p" }, spec: { containers } });
    const live = applied(
      undefined,
      pod({ name: "a", image: "a:1", ports: [{ containerPort: 80 }] }, { name: "b", image: "b:1" }),
      context,
    );
    const sidecar = pod(
      { name: "s", image: "s:1" },
      { name: "a", ports: [{ containerPort: 80, protocol: "UDP" }] },
    );
    expect(applied(live, sidecar, { ...context, manager: "m2" })).toMatchObject({
      spec: {
        containers: [
          { name: "s", image: "s:1" },
          { name: "a", image: "a:1", ports: [{ containerPort: 80 }, { containerPort: 80, protocol: "UDP" }] },
          { name: "b", image: "b:1" },
        ],
      },
    });
  });

  test("without a schema, objects merge and lists are one", () => {
    const schema: FieldSchema = { kind: "deduced" };
    const widget = (spec: object): ApiObject =>
      deepFreeze({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "w" }, spec });
    const live = applied(undefined, widget({ a: { b: 1 }, list: [1] }), inConfigMap({ schema }));
    const next = applied(live, widget({ a: { c: 2 } }), inConfigMap({ schema, manager: "m2" }));
    expect(next).toMatchObject({ spec: { a: { b: 1, c: 2 }, list: [1] } });
    expect(applyPatch(next, widget({ list: [1, 2] }), inConfigMap({ schema, manager: "m2" }))).toMatchObject({
      message: 'Apply failed with 1 conflict: conflict with "m1": .spec.list',
    });
  });
});

describe("updateManagedFields", () => {
  test("a write of the status is an entry of its own, and owns nothing of the spec", () => {
    const reset = { resetFields: fieldSetOf([["status"]]) };
    const deployment = (replicas: number, ready?: number): ApiObject =>
      deepFreeze({
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "d" },
        spec: { replicas },
        ...(ready !== undefined && { status: { readyReplicas: ready } }),
      });
    const created = updateManagedFields(
      undefined,
      deployment(1, 5),
      contextOf("apps/v1", "Deployment", reset),
    );
    expect(owners(created)).toEqual([["m1", "Update", { "f:spec": { "f:replicas": {} } }]]);
    const status = contextOf("apps/v1", "Deployment", {
      manager: "kcm",
      subresource: "status",
      resetFields: fieldSetOf([["spec"]]),
    });
    const live = { ...created, status: {} } as ApiObject;
    const next = updateManagedFields(live, { ...live, ...deployment(2, 1) }, status);
    expect(next.metadata.managedFields).toContainEqual({
      manager: "kcm",
      operation: "Update",
      apiVersion: "apps/v1",
      time,
      fieldsType: "FieldsV1",
      fieldsV1: { "f:status": { "f:readyReplicas": {} } },
      subresource: "status",
    });
  });

  test("what is the same before and after changes nothing, whatever stands beside it", () => {
    const live = applied(undefined, configMap({ a: "1", b: "2" }), inConfigMap());
    const next = { ...configMap({ a: "1", b: "2" }), immutable: true } as ApiObject;
    expect(owners(updateManagedFields(live, next, inConfigMap({ manager: "m2" })))).toEqual([
      ["m1", "Apply", { "f:data": { "f:a": {}, "f:b": {} } }],
      ["m2", "Update", { "f:immutable": {} }],
    ]);
  });

  test("changed fields change hands, removed ones are nobody's", () => {
    const live = applied(undefined, configMap({ a: "1", b: "2", c: "3" }), inConfigMap());
    const next = updateManagedFields(live, configMap({ a: "9", c: "3" }), inConfigMap({ manager: "m2" }));
    expect(owners(next)).toEqual([
      ["m1", "Apply", { "f:data": { "f:c": {} } }],
      ["m2", "Update", { "f:data": { "f:a": {} } }],
    ]);
  });

  test("a write that changes nothing leaves the managers and their times alone", () => {
    const live = applied(undefined, configMap({ a: "1" }), inConfigMap());
    const again = updateManagedFields(live, configMap({ a: "1" }), inConfigMap({ manager: "m2", nowMs: 0 }));
    expect(again).toEqual(live);
  });

  test.each([[[]], [[{}]]])(
    "%j as managedFields forgets all managers, and they stay forgotten",
    (managedFields) => {
      const live = applied(undefined, configMap({ a: "1" }), inConfigMap());
      const reset = updateManagedFields(live, configMap({ a: "1" }, { managedFields }), inConfigMap());
      expect(reset.metadata.managedFields).toBeUndefined();
      const next = updateManagedFields(reset, configMap({ a: "2" }), inConfigMap());
      expect(next.metadata.managedFields).toBeUndefined();
    },
  );

  test("a client may edit managedFields, except through a subresource", () => {
    const live = applied(undefined, configMap({ a: "1" }), inConfigMap());
    const managedFields = [
      {
        manager: "other",
        operation: "Apply",
        apiVersion: "v1",
        fieldsType: "FieldsV1",
        fieldsV1: { "f:data": {} },
      },
    ];
    const edited = configMap({ a: "1" }, { managedFields });
    expect(owners(updateManagedFields(live, edited, inConfigMap()))).toEqual([
      ["other", "Apply", { "f:data": {} }],
    ]);
    expect(updateManagedFields(live, edited, inConfigMap({ subresource: "status" }))).toEqual(live);
  });

  test("managedFields that make no sense count as not given", () => {
    const live = applied(undefined, configMap({ a: "1" }), inConfigMap());
    const managedFields = [{ manager: "x", operation: "Steal" }];
    expect(updateManagedFields(live, configMap({ a: "1" }, { managedFields }), inConfigMap())).toEqual(live);
  });

  test("of more than ten updaters the oldest are folded into one", () => {
    let live: ConfigMap = updateManagedFields(undefined, configMap({}), inConfigMap());
    for (let n = 0; n < 12; n++) {
      const next = { ...live, data: { ...live.data, [`k${n}`]: "1" } };
      const context = inConfigMap({ manager: `m${n}`, nowMs: nowMs + n * 1000 });
      live = updateManagedFields(live, next, context);
    }
    expect(live.metadata.managedFields?.map(({ manager }) => manager)).toEqual([
      "ancient-changes",
      ...Array.from({ length: 9 }, (_, n) => `m${n + 3}`),
    ]);
    expect(live.metadata.managedFields?.[0]?.fieldsV1).toEqual({
      "f:data": { ".": {}, "f:k0": {}, "f:k1": {}, "f:k2": {} },
    });
  });

  test("the same client through another version is another updater", () => {
    const live = updateManagedFields(undefined, configMap({ a: "1" }), inConfigMap());
    const next = updateManagedFields(live, configMap({ a: "1", b: "2" }), inConfigMap({ apiVersion: "v2" }));
    expect(next.metadata.managedFields?.map(({ manager, apiVersion }) => [manager, apiVersion])).toEqual([
      ["m1", "v1"],
      ["m1", "v2"],
    ]);
  });
});

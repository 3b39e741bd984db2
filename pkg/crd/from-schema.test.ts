import { expectTypeOf, test } from "vitest";
import type { Int64 } from "../api/int64.ts";
import type { NamespacedMeta, ObjectMeta } from "../api/object.ts";
import type { TypedResource } from "../api/resource.ts";
import { type CustomObject, type ObjectOf } from "./crd.ts";
import { defineCrd } from "./define-crd.ts";
import type { FromSchema } from "./from-schema.ts";
import { typedSchema } from "./schema-source.ts";

function typeOf<const S>(schema: S): {
  readonly read: FromSchema<S>;
  readonly written: FromSchema<S, "written">;
} {
  // Only its type is looked at.
  return { schema } as unknown as { read: FromSchema<S>; written: FromSchema<S, "written"> };
}

test("plain values", () => {
  expectTypeOf(typeOf({ type: "string" }).read).toEqualTypeOf<string>();
  expectTypeOf(typeOf({ type: "number" }).read).toEqualTypeOf<number>();
  expectTypeOf(typeOf({ type: "boolean" }).read).toEqualTypeOf<boolean>();
  expectTypeOf(typeOf({ type: "integer", format: "int32" }).read).toEqualTypeOf<number>();
  expectTypeOf(typeOf({ type: "integer", format: "int64" }).read).toEqualTypeOf<Int64>();
  expectTypeOf(typeOf({ type: "string", nullable: true }).read).toEqualTypeOf<string | null>();
  expectTypeOf(typeOf({ type: ["string", "null"] }).read).toEqualTypeOf<string | null>();
  expectTypeOf(typeOf({ "x-kubernetes-int-or-string": true }).read).toEqualTypeOf<number | string>();
});

test("values that are listed", () => {
  expectTypeOf(typeOf({ type: "string", enum: ["a", "b"] }).read).toEqualTypeOf<"a" | "b">();
  expectTypeOf(typeOf({ enum: [1, 2], nullable: true }).read).toEqualTypeOf<1 | 2 | null>();
  expectTypeOf(typeOf({ const: "x" }).read).toEqualTypeOf<"x">();
});

test("values of one form or another", () => {
  const one = typeOf({ anyOf: [{ const: "a" }, { const: "b" }, { type: "null" }] });
  expectTypeOf(one.read).toEqualTypeOf<"a" | "b" | null>();
  // Rules beside a type say nothing of the form.
  const ruled = typeOf({ type: "string", anyOf: [{ minLength: 1 }, { format: "x" }] });
  expectTypeOf(ruled.read).toEqualTypeOf<string>();
});

test("what nothing is known of", () => {
  expectTypeOf(typeOf({}).read).toEqualTypeOf<unknown>();
  expectTypeOf(typeOf({ "x-kubernetes-preserve-unknown-fields": true }).read).toEqualTypeOf<unknown>();
  const schema: { readonly type: string } = { type: "string" };
  expectTypeOf(typeOf(schema).read).toEqualTypeOf<unknown>();
});

test("lists and maps", () => {
  expectTypeOf(typeOf({ type: "array", items: { type: "string" } }).read).toEqualTypeOf<readonly string[]>();
  expectTypeOf(typeOf({ type: "array" }).read).toEqualTypeOf<readonly unknown[]>();
  expectTypeOf(typeOf({ type: "object", additionalProperties: { type: "integer" } }).read).toEqualTypeOf<
    Readonly<Record<string, number>>
  >();
  expectTypeOf(typeOf({ type: "object", additionalProperties: true }).read).toEqualTypeOf<
    Readonly<Record<string, unknown>>
  >();
});

const server = {
  type: "object",
  required: ["host", "port"],
  properties: {
    host: { type: "string" },
    port: { type: "integer", default: 80 },
    path: { type: "string" },
    tls: { type: "object", properties: { mode: { type: "string", enum: ["On", "Off"], default: "On" } } },
  },
} as const;

test("objects: required fields and those with a default are there; writers can leave out the latter", () => {
  interface Read {
    readonly host: string;
    readonly port: number;
    readonly path?: string;
    readonly tls?: { readonly mode: "On" | "Off" };
  }
  interface Written {
    readonly host: string;
    readonly port?: number;
    readonly path?: string;
    readonly tls?: { readonly mode?: "On" | "Off" };
  }
  expectTypeOf(typeOf(server).read).toEqualTypeOf<Read>();
  expectTypeOf(typeOf(server).written).toEqualTypeOf<Written>();
});

test("objects that keep what they do not know", () => {
  const { read } = typeOf({
    type: "object",
    properties: { a: { type: "string" } },
    required: ["a"],
    "x-kubernetes-preserve-unknown-fields": true,
  });
  expectTypeOf(read).toHaveProperty("a").toEqualTypeOf<string>();
  expectTypeOf<(typeof read)["b"]>().toEqualTypeOf<unknown>();
});

test("objects of other kinds have metadata", () => {
  const { read } = typeOf({
    type: "object",
    "x-kubernetes-embedded-resource": true,
    "x-kubernetes-preserve-unknown-fields": true,
  });
  expectTypeOf(read).toHaveProperty("metadata").toExtend<ObjectMeta>();
});

test("a definition is a resource with the types of its schemas", () => {
  const Server = defineCrd({
    group: "example.com",
    version: "v1",
    kind: "Server",
    scope: "Namespaced",
    spec: server,
    status: { type: "object", properties: { ready: { type: "boolean" } } },
  });
  type Server = ObjectOf<typeof Server>;
  expectTypeOf<Server>().toEqualTypeOf<
    CustomObject<FromSchema<typeof server>, { readonly ready?: boolean }, NamespacedMeta>
  >();
  expectTypeOf(Server).toExtend<TypedResource<Server>>();
  expectTypeOf(Server.object)
    .parameter(0)
    .toHaveProperty("spec")
    .toEqualTypeOf<FromSchema<typeof server, "written">>();
  const Plain = defineCrd({
    group: "example.com",
    version: "v1",
    kind: "Plain",
    scope: "Cluster",
    spec: { type: "object" },
  });
  expectTypeOf<ObjectOf<typeof Plain>["metadata"]>().toEqualTypeOf<ObjectMeta>();
  expectTypeOf<ObjectOf<typeof Plain>["status"]>().toEqualTypeOf<undefined>();
});

test("schemas of libraries bring their types", () => {
  interface Libraries {
    readonly size?: number;
  }
  const standard = {
    "~standard": {
      version: 1,
      vendor: "test",
      types: undefined as { readonly input: Libraries; readonly output: Required<Libraries> } | undefined,
      jsonSchema: {
        input: () => ({ type: "object", properties: { size: { type: "integer", default: 1 } } }),
      },
    },
  } as const;
  const names = { group: "example.com", version: "v1", scope: "Cluster" } as const;
  const Standard = defineCrd({ ...names, kind: "Standard", spec: standard });
  expectTypeOf<ObjectOf<typeof Standard>["spec"]>().toEqualTypeOf<Required<Libraries>>();
  const Typed = defineCrd({ ...names, kind: "Typed", spec: typedSchema<Libraries>({ type: "object" }) });
  expectTypeOf<ObjectOf<typeof Typed>["spec"]>().toEqualTypeOf<Libraries>();
});

test("conversions are between the types of the two versions", () => {
  const names = { group: "example.com", kind: "Thing", scope: "Namespaced" } as const;
  const Old = defineCrd({
    ...names,
    version: "v1",
    spec: { type: "object", properties: { a: { type: "string" } } },
  });
  const New = defineCrd({
    ...names,
    version: "v2",
    spec: { type: "object", properties: { b: { type: "string" } } },
  });
  New.convert(
    Old,
    (object) => {
      expectTypeOf(object.spec).toEqualTypeOf<{ readonly a?: string }>();
      return { spec: {} };
    },
    // @ts-expect-error -- the old version has no such field
    (object) => {
      expectTypeOf(object.spec).toEqualTypeOf<{ readonly b?: string }>();
      return { spec: { b: "x" } };
    },
  );
});

import { isJson, type Json } from "../api/json.ts";
import type { FromSchema, Side } from "./from-schema.ts";
import type { JsonSchema } from "./json-schema.ts";

/** A schema of a library that speaks Standard JSON Schema (zod, valibot, arktype …): it knows its types. */
export interface StandardSchema {
  readonly "~standard": {
    readonly vendor: string;
    readonly types?: { readonly input: unknown; readonly output: unknown } | undefined;
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: "draft-2020-12" }) => Readonly<Record<string, unknown>>;
    };
  };
}

/** A JSON Schema that was made elsewhere, with the types of its values beside it. */
export interface TypedSchema<Read = unknown, Written = Read> {
  readonly schema: object;
  /** No value at run time. */
  readonly __types?: { readonly read: Read; readonly written: Written };
}

/** Schemas of @sinclair/typebox are JSON Schemas that carry their type under this name, at compile time only. */
interface StaticSchema {
  readonly static: unknown;
}

/** Where a schema can come from. */
export type SchemaSource = JsonSchema | StandardSchema | TypedSchema | StaticSchema;

/** For schemas whose type cannot be told from them: those of other tools, files and generators. */
export function typedSchema<Read, Written = Read>(schema: object): TypedSchema<Read, Written> {
  return { schema };
}

/** The type of the values of a source. */
export type ValueOf<S, As extends Side = "read"> = S extends { readonly "~standard": infer P }
  ? StandardValue<P, As>
  : S extends TypedSchema<infer Read, infer Written>
    ? As extends "read"
      ? Read
      : Written
    : S extends StaticSchema
      ? S["static"]
      : FromSchema<S, As>;

type StandardValue<P, As extends Side> = P extends { readonly types?: (infer T) | undefined }
  ? T extends { readonly input: infer Written; readonly output: infer Read }
    ? As extends "read"
      ? Read
      : Written
    : unknown
  : unknown;

/** The JSON Schema of a source, or why there is none. */
export function jsonSchemaOf(source: SchemaSource): Json | string {
  if ("~standard" in source) {
    const { vendor, jsonSchema } = source["~standard"];
    if (jsonSchema !== undefined) return { ...jsonSchema.input({ target: "draft-2020-12" }) };
    return `this schema of ${vendor} has no JSON Schema: make one with that library, and hand it over with typedSchema()`;
  }
  const schema: unknown = "schema" in source ? source.schema : source;
  return isJson(schema) ? schema : "a schema must be an object";
}

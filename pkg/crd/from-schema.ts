import type { Int64 } from "../api/int64.ts";
import type { ApiObject } from "../api/object.ts";
import type { SchemaType } from "./json-schema.ts";

/**
 * How a value is met: `read`, as the API server gives it, with all defaults filled in, or `written`, as an author writes it.
 */
export type Side = "read" | "written";

/**
 * The type of the values that a schema allows. The schema must be known as it stands: written in the call, or `as const`.
 * What is no schema of a known form is unknown.
 */
export type FromSchema<S, As extends Side = "read"> = S extends { readonly nullable: true }
  ? Value<S, As> | null
  : Value<S, As>;

type Value<S, As extends Side> = S extends { readonly const: infer V }
  ? V
  : S extends { readonly enum: readonly (infer V)[] }
    ? V
    : S extends { readonly "x-kubernetes-int-or-string": true }
      ? number | string
      : S extends { readonly "x-kubernetes-embedded-resource": true }
        ? Flat<ApiObject & ObjectValue<S, As>>
        : S extends { readonly type: infer T }
          ? OfType<S, T, As>
          : S extends { readonly anyOf: readonly (infer M)[] }
            ? FromSchema<M, As>
            : unknown;

type OfType<S, T, As extends Side> = T extends readonly SchemaType[]
  ? OfType<S, T[number], As>
  : T extends "object"
    ? ObjectValue<S, As>
    : T extends "array"
      ? readonly ItemOf<S, As>[]
      : T extends "integer"
        ? IntegerOf<S>
        : T extends keyof Plain
          ? Plain[T]
          : unknown;

interface Plain {
  readonly string: string;
  readonly number: number;
  readonly boolean: boolean;
  readonly null: null;
}

type ItemOf<S, As extends Side> = S extends { readonly items: infer I } ? FromSchema<I, As> : unknown;

/** Of 64 bits only where the format says so: all others are expected to be as small as they mostly are. */
type IntegerOf<S> = S extends { readonly format: "int64" } ? Int64 : number;

type ObjectValue<S, As extends Side> = S extends { readonly properties: infer P }
  ? Open<S, Flat<Properties<P, NeededKeys<S, P, As>, As>>>
  : S extends { readonly additionalProperties: infer A }
    ? Readonly<Record<string, A extends boolean ? unknown : FromSchema<A, As>>>
    : S extends { readonly "x-kubernetes-preserve-unknown-fields": true }
      ? Readonly<Record<string, unknown>>
      : Readonly<Record<string, never>>;

/** With the fields that the schema keeps although it does not know them. */
type Open<S, T> = S extends { readonly "x-kubernetes-preserve-unknown-fields": true }
  ? T & Readonly<Record<string, unknown>>
  : T;

type Properties<P, Needed, As extends Side> = {
  readonly [K in keyof P as K extends Needed ? K : never]: FromSchema<P[K], As>;
} & {
  readonly [K in keyof P as K extends Needed ? never : K]?: FromSchema<P[K], As>;
};

/** What has a default is there for whoever reads, and can be left out by whoever writes. */
type NeededKeys<S, P, As extends Side> = As extends "read"
  ? RequiredKeys<S> | DefaultedKeys<P>
  : Exclude<RequiredKeys<S>, DefaultedKeys<P>>;

type RequiredKeys<S> = S extends { readonly required: readonly (infer K)[] } ? K : never;

type DefaultedKeys<P> = {
  [K in keyof P]: P[K] extends { readonly default: unknown } ? K : never;
}[keyof P];

type Flat<T> = { [K in keyof T]: T[K] };

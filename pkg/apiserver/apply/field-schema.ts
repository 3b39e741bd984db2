/**
 * How server-side apply sees the type of a value: what merges by parts, what is owned whole. Adapters build it from
 * the built-in kinds' schema and from a CRD's OpenAPI; `deduced` serves objects without either.
 */
export type FieldSchema = ScalarSchema | MapSchema | ListSchema | DeducedSchema;

export interface ScalarSchema {
  readonly kind: "scalar";
  /** What an applied value has to be; anything goes without it, objects and lists owned whole included. */
  readonly type?: "string" | "numeric" | "boolean" | "time" | "untyped";
}

/** An object with named fields, a map with elements of one type, or both. */
export interface MapSchema {
  readonly kind: "map";
  /** Owned and replaced as one value (x-kubernetes-map-type: atomic). */
  readonly atomic: boolean;
  /** The schema of a field that the type names. A method, as types may contain themselves. */
  field(name: string): FieldSchema | undefined;
  /** The schema of every other key; undefined when other keys are not known to the type. */
  element(): FieldSchema | undefined;
  /**
   * What an object holds of fields that are left out: in Go, a struct within a struct is never absent, and fields
   * without omitempty are written even when they are empty. Decides who owns what in the built-in kinds.
   */
  implied?(): Readonly<Record<string, unknown>>;
}

export interface ListSchema {
  readonly kind: "list";
  /** x-kubernetes-list-type. */
  readonly listType: "atomic" | "set" | "map";
  /** x-kubernetes-list-map-keys, for listType "map". */
  readonly keys: readonly string[];
  /** Values of keys that may be left out, e.g. { protocol: "TCP" }. */
  readonly keyDefaults: Readonly<Record<string, unknown>>;
  items(): FieldSchema;
}

/** No type known: objects merge by field, lists are atomic. */
export interface DeducedSchema {
  readonly kind: "deduced";
}

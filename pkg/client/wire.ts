/**
 * A model of @kubernetes/client-node as its object is on the wire, which is what the types here describe: times are text,
 * fields have the names that they have there, and objects have metadata. A `Wire<V1Pod>` is a Pod.
 */
export type Wire<T> = 0 extends 1 & T
  ? unknown
  : T extends Date
    ? string
    : T extends readonly (infer Item)[]
      ? readonly Wire<Item>[]
      : T extends object
        ? string extends keyof T
          ? { readonly [Key in keyof T]: Wire<T[Key]> }
          : { readonly [Field in keyof T as WireName<Field>]: Wire<T[Field]> } & MetadataOf<T>
        : T;

/** Of what is an object in its own right, metadata is always there. */
type MetadataOf<T> = "apiVersion" | "kind" | "metadata" extends keyof T
  ? T extends { readonly metadata?: infer Meta }
    ? { readonly metadata: Wire<NonNullable<Meta>> }
    : unknown
  : unknown;

type WireName<Field> = Field extends `_${infer Word}`
  ? Word
  : Field extends `x_kubernetes_${infer Rest}`
    ? `x-kubernetes-${Dashed<Rest>}`
    : Field;

type Dashed<Text extends string> = Text extends `${infer Head}_${infer Tail}`
  ? `${Head}-${Dashed<Tail>}`
  : Text;

/** The object that a model of @kubernetes/client-node describes, as it is on the wire. The model stays as it is. */
export function wireOf<T extends object>(model: T): Wire<T> {
  return wireValue(model, false) as Wire<T>;
}

/** What names people have given in a ConfigMap or in a schema are not those of fields. */
const MAPS: ReadonlySet<string> = new Set([
  "binaryData",
  "data",
  "definitions",
  "patternProperties",
  "properties",
  "stringData",
]);

function wireValue(value: unknown, isMap: boolean): unknown {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map((item) => wireValue(item, false));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(
    fields.map(([name, field]) => [
      isMap ? name : wireName(name),
      wireValue(field, !isMap && MAPS.has(name)),
    ]),
  );
}

/** Fields whose names are words of JavaScript. */
const WORDS: ReadonlySet<string> = new Set(["_continue", "_default", "_enum", "_from", "_int"]);

function wireName(name: string): string {
  if (name.startsWith("x_kubernetes_")) return name.replaceAll("_", "-");
  return WORDS.has(name) ? name.slice(1) : name;
}

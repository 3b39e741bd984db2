// The types that the checker knows, and how messages write them.

export type Kind =
  | "bool"
  | "bytes"
  | "double"
  | "duration"
  | "dyn"
  | "error"
  | "int"
  | "list"
  | "map"
  | "null"
  | "opaque"
  | "string"
  | "struct"
  | "timestamp"
  | "type"
  | "typeParam"
  | "uint";

export interface Type {
  readonly kind: Kind;
  /** What the language calls it at run time, e.g. google.protobuf.Duration. */
  readonly name: string;
  /** Of a list its elements', of a map its keys' and values'. */
  readonly params: readonly Type[];
}

const simple = (kind: Kind, name: string = kind): Type => ({ kind, name, params: [] });

export const boolType = simple("bool");
export const bytesType = simple("bytes");
export const doubleType = simple("double");
export const durationType = simple("duration", "google.protobuf.Duration");
export const dynType = simple("dyn");
/** As `dyn`, but for loops, which do not take it. */
export const anyType = simple("dyn", "any");
export const errorType = simple("error");
export const intType = simple("int");
export const nullType = simple("null", "null_type");
export const stringType = simple("string");
export const timestampType = simple("timestamp", "google.protobuf.Timestamp");
export const uintType = simple("uint");
export const typeType = simple("type");

export const listType = (element: Type): Type => ({ kind: "list", name: "list", params: [element] });
export const mapType = (key: Type, value: Type): Type => ({ kind: "map", name: "map", params: [key, value] });
export const structType = (name: string): Type => simple("struct", name);
/** What the variables of a policy are fields of: each is an expression of its own. */
export const variablesType = structType("kubernetes.variables");
export const typeParam = (name: string): Type => simple("typeParam", name);
export const typeOfType = (param: Type): Type => ({ kind: "type", name: "type", params: [param] });
export const opaqueType = (name: string, ...params: readonly Type[]): Type => ({
  kind: "opaque",
  name,
  params,
});

const optionalName = "optional_type";
export const optionalType = (param: Type): Type => opaqueType(optionalName, param);

/** What an optional holds; undefined for what is none. */
export function unwrapOptional({ kind, name, params }: Type): Type | undefined {
  return kind === "opaque" && name === optionalName ? params[0] : undefined;
}

export const isDyn = ({ kind }: Type): boolean => kind === "dyn";
export const isDynOrError = ({ kind }: Type): boolean => kind === "dyn" || kind === "error";

/** The parameter at a place that the kind of a type promises. */
export function paramOf({ name, params }: Type, index: number): Type {
  const param = params[index];
  if (param === undefined) throw new Error(`${name} has no parameter ${index}`);
  return param;
}

export function sameType(a: Type, b: Type): boolean {
  return (
    a === b ||
    (a.kind === b.kind &&
      a.name === b.name &&
      a.params.length === b.params.length &&
      a.params.every((param, index) => sameType(param, paramOf(b, index))))
  );
}

const shown: Partial<Record<Kind, string>> = {
  duration: "duration",
  error: "!error!",
  null: "null",
  timestamp: "timestamp",
};

/** As messages of the checker write it. */
export function formatType({ kind, name, params }: Type): string {
  const fixed = shown[kind];
  if (fixed !== undefined) return fixed;
  return params.length === 0 ? name : `${name}(${params.map(formatType).join(", ")})`;
}

/** The arguments of a call, as messages write them: "int.(string, bool)" is a method of an int. */
export function formatArguments(types: readonly Type[], member: boolean): string {
  const [target, ...rest] = types.map(formatType);
  return member && target !== undefined
    ? `${target}.(${rest.join(", ")})`
    : `(${types.map(formatType).join(", ")})`;
}

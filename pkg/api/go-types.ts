/**
 * The Go types that the API server decodes objects into and writes them from: what a field takes, and what it is on the
 * wire when it is not set.
 *
 * go-types.gen.ts holds a line of text per struct, parsed when it is first asked for:
 *
 *   struct = field { ";" field }
 *   field  = { inlined struct "/" } name ["?" for omitempty] ["!" for omitzero] " " type
 *   type   = "*" type | "[]" type | "map[" type "]" type | named type | Go's own type
 */
import { namedTypes, structTexts } from "./go-types.gen.ts";

/** What a value is read as. */
export type GoKind =
  | "any"
  | "bool"
  | "bytes"
  | "duration"
  | "float64"
  | "int32"
  | "int64"
  | "intOrString"
  | "list"
  | "map"
  | "microTime"
  | "quantity"
  /** JSON that is kept as it is: RawExtension, FieldsV1. */
  | "raw"
  | "string"
  | "struct"
  | "time";

export interface GoType {
  readonly kind: GoKind;
  /** As Go prints it: v1.PullPolicy, []string. */
  readonly go: string;
  readonly pointer: boolean;
  /** Of the items of a list and the values of a map; of others, itself. */
  readonly items: GoType | undefined;
  /** Of a struct: "core.v1.Container". */
  readonly struct: string | undefined;
}

export interface GoField {
  readonly name: string;
  /** With the structs that it is inlined from, as messages name it: VolumeSource.emptyDir. */
  readonly path: string;
  readonly type: GoType;
  /** A value that says nothing ("", 0, false, an empty list) is left out. */
  readonly omitsEmpty: boolean;
  /** On the wire when it is not set: null, a zero, a struct; undefined for fields that are left out then. */
  readonly unset: "null" | "struct" | "" | 0 | false | "0" | "0s" | undefined;
}

export interface GoStruct {
  /** "core.v1.Container" */
  readonly name: string;
  /** "Container" */
  readonly shortName: string;
  readonly fields: ReadonlyMap<string, GoField>;
  /** Those that are written even when they are not set. */
  readonly written: readonly GoField[];
}

/** Types that read JSON in their own way. */
const special: Readonly<Record<string, GoKind>> = {
  "apiextensions.v1.JSON": "any",
  "apiextensions.v1.JSONSchemaPropsOrArray": "any",
  "apiextensions.v1.JSONSchemaPropsOrBool": "any",
  "apiextensions.v1.JSONSchemaPropsOrStringArray": "any",
  "intstr.IntOrString": "intOrString",
  "meta.v1.Duration": "duration",
  "meta.v1.FieldsV1": "raw",
  "meta.v1.MicroTime": "microTime",
  "meta.v1.Time": "time",
  "resource.Quantity": "quantity",
  "runtime.RawExtension": "raw",
};

const basic: Readonly<Record<string, GoKind>> = {
  any: "any",
  bool: "bool",
  float64: "float64",
  int: "int64",
  int32: "int32",
  int64: "int64",
  string: "string",
};

const structs = new Map<string, GoStruct | undefined>();
const types = new Map<string, GoType>();

/** The struct of this name ("core.v1.Container"); undefined for those of versions that are not stable. */
export function goStruct(name: string): GoStruct | undefined {
  if (structs.has(name)) return structs.get(name);
  const text = Object.hasOwn(structTexts, name) ? structTexts[name] : undefined;
  const made = text === undefined ? undefined : parseStruct(name, text);
  structs.set(name, made);
  return made;
}

/** The struct of a type that is one. */
export function structOf(type: GoType): GoStruct {
  const found = type.struct === undefined ? undefined : goStruct(type.struct);
  if (found === undefined) throw new Error(`there is no Go struct ${type.go}`);
  return found;
}

export function goStructNames(): readonly string[] {
  return Object.keys(structTexts);
}

/** What Go writes of a struct of which nothing is set, without the defaults that some types declare. */
export function zeroOf({ written }: GoStruct): Record<string, unknown> {
  const zero: Record<string, unknown> = {};
  for (const { name, type, unset } of written)
    zero[name] = unset === "struct" ? zeroOf(structOf(type)) : unset === "null" ? null : unset;
  return zero;
}

function parseStruct(name: string, text: string): GoStruct {
  const fields = (text === "" ? [] : text.split(";")).map(parseField);
  return {
    name,
    shortName: name.slice(name.lastIndexOf(".") + 1),
    fields: new Map(fields.map((field) => [field.name, field])),
    written: fields.filter(({ unset }) => unset !== undefined),
  };
}

function parseField(text: string): GoField {
  const [declared = "", typeText = ""] = text.split(" ", 2);
  const path = declared.replace(/[?!]+$/, "").replaceAll("/", ".");
  const type = goType(typeText);
  const omitsEmpty = declared.includes("?");
  const omitsZero = declared.includes("!");
  return {
    name: path.slice(path.lastIndexOf(".") + 1),
    path,
    type,
    omitsEmpty: omitsEmpty || omitsZero,
    unset: unsetOf(type, omitsEmpty, omitsZero),
  };
}

/** upstream: encoding/json, where a struct is never empty, but can be zero. */
function unsetOf(type: GoType, omitsEmpty: boolean, omitsZero: boolean): GoField["unset"] {
  if (omitsZero) return undefined;
  const absent = omitsEmpty ? undefined : "null";
  if (type.pointer) return absent;
  switch (type.kind) {
    case "any":
    case "bytes":
    case "list":
    case "map":
      return absent;
    case "struct":
      return "struct";
    case "time":
    case "microTime":
    case "raw":
      return "null";
    case "quantity":
      return "0";
    case "intOrString":
      return 0;
    case "string":
      return omitsEmpty ? undefined : "";
    case "bool":
      return omitsEmpty ? undefined : false;
    case "duration":
      return "0s";
    case "int32":
    case "int64":
    case "float64":
    default:
      return omitsEmpty ? undefined : 0;
  }
}

function goType(text: string): GoType {
  let type = types.get(text);
  if (type === undefined) {
    type = parseType(text);
    types.set(text, type);
  }
  return type;
}

function parseType(text: string): GoType {
  if (text.startsWith("*")) return { ...goType(text.slice(1)), pointer: true };
  const made = (kind: GoKind, items?: GoType): GoType => ({
    kind,
    go: printed(text),
    pointer: false,
    items,
    struct: kind === "struct" ? text : undefined,
  });
  const known = special[text] ?? basic[text];
  if (known !== undefined) return made(known);
  if (Object.hasOwn(structTexts, text)) return made("struct");
  const underlying = Object.hasOwn(namedTypes, text) ? (namedTypes[text] ?? "") : text;
  if (underlying === "[]uint8") return made("bytes");
  if (underlying.startsWith("[]")) return made("list", goType(underlying.slice(2)));
  if (underlying.startsWith("map["))
    return made("map", goType(underlying.slice(underlying.indexOf("]") + 1)));
  const kind = basic[underlying];
  if (kind === undefined) throw new Error(`no rule for the Go type ${text}`);
  return made(kind);
}

/** core.v1.PullPolicy → v1.PullPolicy: Go names the last part of the package only. */
function printed(text: string): string {
  return text.replaceAll(/[A-Za-z0-9]+\.(?=v[0-9]+\.)/g, "").replaceAll(/\bany\b/g, "interface {}");
}

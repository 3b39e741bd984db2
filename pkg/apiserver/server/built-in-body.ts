import { type Definition, definition, type FieldType, type ScalarKind } from "../../api/schema.ts";
import { type Int64, isInt32, isInt64 } from "../../api/int64.ts";
import { isWrittenQuantity } from "../../api/quantity-parse.ts";
import { isJson, type Json } from "../../api/json.ts";

/** Go's name of each scalar, as decoding errors mention it. */
const goTypes: Readonly<Record<ScalarKind, string>> = {
  any: "interface {}",
  boolean: "bool",
  bytes: "[]uint8",
  int32: "int32",
  int64: "int64",
  intOrString: "intstr.IntOrString",
  microTime: "v1.MicroTime",
  number: "float64",
  object: "map[string]interface {}",
  quantity: "resource.Quantity",
  string: "string",
  time: "v1.Time",
};

/**
 * Takes out of a decoded body what its definition does not name, and the nulls, which mean absence. `unknown` lists the
 * paths of the former; `problem` is the first value that does not fit its type.
 */
export function checkBuiltInBody(
  draft: Json,
  definition: Definition,
  path = "",
): { readonly unknown: readonly string[]; readonly problem: string | undefined } {
  const walk = new Walk();
  walk.struct(draft, definition, path, path);
  return walk;
}

/** A field as Go's decoder calls it. */
interface GoField {
  readonly structName: string;
  readonly path: string;
}

class Walk {
  readonly unknown: string[] = [];
  problem: string | undefined;

  struct(value: Json, of: Definition, path: string, goPath: string): void {
    for (const name of Object.keys(value)) {
      const member = value[name];
      const field = of.fields.get(name);
      const memberPath = path === "" ? name : `${path}.${name}`;
      if (field === undefined) {
        this.unknown.push(memberPath);
        delete value[name];
      } else if (member === null || member === undefined) delete value[name];
      else {
        if (field.type.kind === "number" && typeof member === "bigint") value[name] = Number(member);
        const structName = of.name.slice(of.name.lastIndexOf(".") + 1);
        const memberGoPath = goPath === "" ? name : `${goPath}.${name}`;
        this.#value(value[name], field.type, memberPath, { structName, path: memberGoPath });
      }
    }
  }

  #value(value: unknown, type: FieldType, path: string, go: GoField): void {
    if (type.kind === "ref") {
      if (isJson(value)) this.struct(value, definition(type.definition), path, go.path);
      else this.#report(value, type, go);
    } else if (type.kind === "list") {
      if (!Array.isArray(value)) return this.#report(value, type, go);
      for (const [index, item] of value.entries()) this.#value(item, type.items, `${path}[${index}]`, go);
    } else if (type.kind === "map") {
      if (!isJson(value)) return this.#report(value, type, go);
      for (const key of Object.keys(value)) {
        if (value[key] === null) value[key] = zeroOf(type.values);
        else this.#value(value[key], type.values, `${path}.${key}`, go);
      }
    } else if (!fitsScalar(value, type.kind === "enum" ? "string" : type.kind)) this.#report(value, type, go);
  }

  #report(value: unknown, type: FieldType, go: GoField): void {
    const expected = type.kind === "intOrString" && isNumber(value) ? "int32" : goType(type);
    this.problem ??= `json: cannot unmarshal ${jsonKind(value, type)} into Go struct field ${go.structName}.${go.path} of type ${expected}`;
  }
}

/** A null in a map is Go's zero value of the element. */
function zeroOf(type: FieldType): unknown {
  return type.kind === "string" || type.kind === "bytes" ? "" : null;
}

function fitsScalar(value: unknown, kind: ScalarKind): boolean {
  switch (kind) {
    case "any":
      return true;
    case "object":
      return isJson(value);
    case "boolean":
      return typeof value === "boolean";
    case "int32":
      return isInt32(value);
    case "int64":
      return isInt64(value);
    case "number":
      return typeof value === "number";
    case "intOrString":
      return typeof value === "string" || isInt32(value);
    case "quantity":
      return isWrittenQuantity(value);
    case "string":
    case "bytes":
    case "time":
    case "microTime":
    default:
      return typeof value === "string";
  }
}

function jsonKind(value: unknown, type: FieldType): string {
  if (Array.isArray(value)) return "array";
  if (isJson(value)) return "object";
  if (typeof value === "boolean") return "bool";
  if (!isNumber(value)) return "string";
  const isLimited = type.kind === "int32" || type.kind === "int64" || type.kind === "intOrString";
  return isLimited ? `number ${Number.isInteger(value) ? BigInt(value) : value}` : "number";
}

function isNumber(value: unknown): value is Int64 {
  return typeof value === "number" || typeof value === "bigint";
}

function goType(type: FieldType): string {
  if (type.kind === "list") return `[]${goType(type.items)}`;
  if (type.kind === "map") return `map[string]${goType(type.values)}`;
  if (type.kind === "enum") return "string";
  if (type.kind !== "ref") return goTypes[type.kind];
  const [, version = "", name = ""] = /([^.]+)\.([^.]+)$/.exec(type.definition) ?? [];
  return `${version}.${name}`;
}

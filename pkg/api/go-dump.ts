/**
 * Writes a pod template as Go's spew writes the decoded struct with %#v (types on, methods and addresses off, keys
 * sorted), because pod-template-hash is a hash of that text. The struct is the one a controller decodes from protobuf:
 * empty lists and maps are nil.
 *
 * Times and managed fields that somebody left in a template count as unset: Go would print them with the time zone data
 * of its machine.
 */
import { dumpQuantity } from "./go-dump-quantity.ts";
import type { Int64 } from "./int64.ts";
import { mapTypes, structTexts } from "./pod-template-layout.gen.ts";
import type { WrittenQuantity } from "./quantity-parse.ts";
import type { PodTemplateSpec } from "./types/core-v1.gen.ts";

interface GoField {
  readonly goName: string;
  /** "" for an embedded struct whose fields are the object's own. */
  readonly jsonName: string;
  readonly type: string;
}

const unset = new Set(["managedFields"]);
const structs = new Map<string, readonly GoField[]>();

export function dumpPodTemplate(template: PodTemplateSpec): string {
  return dump("v1.PodTemplateSpec", template, true);
}

/** `named` tells whether the type goes before the value: it does for fields, not for elements. */
function dump(type: string, value: unknown, named: boolean): string {
  if (type.startsWith("*")) {
    const prefix = named ? `(${type})` : "<*>";
    return isUnset(value) ? `${prefix}<nil>` : prefix + dump(type.slice(1), value, false);
  }
  return (named ? `(${type})` : "") + dumpValue(type, value);
}

function dumpValue(type: string, value: unknown): string {
  const shape = mapTypes[type] ?? type;
  if (shape.startsWith("[]")) return dumpList(shape.slice(2), value);
  if (shape.startsWith("map[")) return dumpMap(shape, value);
  switch (shape) {
    case "bool":
      return String(value === true);
    case "int32":
    case "int64":
      return String((value as Int64 | null | undefined) ?? 0);
    case "intstr.IntOrString":
      return dumpIntOrString(value as number | string | null | undefined);
    case "resource.Quantity":
      return dumpQuantity(value as WrittenQuantity | null | undefined);
    case "v1.Time":
      return "{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}";
    default:
      return shape in structTexts ? dumpStruct(shape, value) : ((value as string | null | undefined) ?? "");
  }
}

function dumpStruct(type: string, value: unknown): string {
  const object = (value ?? {}) as Readonly<Record<string, unknown>>;
  const fields = fieldsOf(type).map(({ goName, jsonName, type }) => {
    const field = jsonName === "" ? object : unset.has(jsonName) ? undefined : object[jsonName];
    return `${goName}:${dump(type, field, true)}`;
  });
  return `{${fields.join(" ")}}`;
}

function dumpList(elementType: string, value: unknown): string {
  const list = (value ?? []) as readonly unknown[];
  return list.length === 0 ? "<nil>" : `[${list.map((each) => dump(elementType, each, false)).join(" ")}]`;
}

function dumpMap(shape: string, value: unknown): string {
  const elementType = shape.slice(shape.indexOf("]") + 1);
  const map = (value ?? {}) as Readonly<Record<string, unknown>>;
  const keys = Object.keys(map).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  if (keys.length === 0) return "<nil>";
  return `map[${keys.map((key) => `${key}:${dump(elementType, map[key], false)}`).join(" ")}]`;
}

function dumpIntOrString(value: number | string | null | undefined): string {
  const [type, int, text] = typeof value === "string" ? [1, 0, value] : [0, value ?? 0, ""];
  return `{Type:(intstr.Type)${type} IntVal:(int32)${int} StrVal:(string)${text}}`;
}

function isUnset(value: unknown): boolean {
  return value === undefined || value === null;
}

function fieldsOf(type: string): readonly GoField[] {
  const known = structs.get(type);
  if (known !== undefined) return known;
  const fields = (structTexts[type] ?? "").split(";").map((text) => {
    const [names = "", fieldType = ""] = text.split(" ");
    const [goName = "", jsonName = goName.charAt(0).toLowerCase() + goName.slice(1)] = names.split("=");
    return { goName, jsonName, type: fieldType };
  });
  structs.set(type, fields);
  return fields;
}

// Objects as Go writes them in application/vnd.kubernetes.protobuf, byte for byte.

import type { Int64 } from "../int64.ts";
import { isJson, type Json } from "../json.ts";
import { parseMicros, parseTime } from "../time.ts";
import { messageOf } from "./decode.ts";
import { type EncodedField, encodePlanOf } from "./encode-plan.ts";
import { ProtobufError } from "./reader.ts";
import { Writer } from "./writer.ts";

const MAGIC = Buffer.from("k8s\0");

interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

/** The bytes of an object in an envelope that says of what kind it is. Throws a ProtobufError where there is no such form. */
export function encodeProtobufObject(object: object): Buffer {
  const writer = new Writer();
  writeObject(writer, object);
  return writer.finish();
}

/** An event of a watch. */
export function encodeProtobufEvent(type: string, object: object): Buffer {
  const writer = new Writer();
  writeObject(writer, object);
  writer.nested(1, 0);
  writer.nested(2, 0);
  writer.textField(1, type);
  return writer.finish();
}

/** An item of a list, whose kind need not stand in it. */
export function encodeProtobufItem(item: object, type: TypeMeta): Buffer {
  const writer = new Writer();
  writeMessage(writer, encodePlanOf(requireMessage(type)), item as Json);
  writer.nested(2, 0);
  return writer.finish();
}

/** What comes before the items of a list, which have so many bytes together, and what comes after them. */
export function encodeProtobufList(
  { metadata, ...type }: TypeMeta & { readonly metadata: object },
  length: number,
): { readonly before: Buffer; readonly after: Buffer } {
  const after = new Writer();
  writeEncoding(after);
  const before = new Writer();
  writeMessage(before, encodePlanOf("meta.v1.ListMeta"), metadata as Json);
  before.nested(1, 0);
  before.lengthField(2, before.length + length);
  writeType(before, type);
  before.raw(MAGIC);
  return { before: before.finish(), after: after.finish() };
}

function writeObject(writer: Writer, object: { readonly apiVersion?: string; readonly kind?: string }): void {
  const { apiVersion = "", kind = "" } = object;
  const message = requireMessage({ apiVersion, kind });
  writeEncoding(writer);
  const { length } = writer;
  writeMessage(writer, encodePlanOf(message), object);
  writer.nested(2, length);
  writeType(writer, { apiVersion, kind });
  writer.raw(MAGIC);
}

function requireMessage({ apiVersion, kind }: TypeMeta): string {
  const message = messageOf(apiVersion, kind);
  if (message === undefined) throw new ProtobufError(`${apiVersion} ${kind} has no form in protobuf`);
  return message;
}

/** How the object is encoded, of which nothing is said. */
function writeEncoding(writer: Writer): void {
  writer.textField(4, "");
  writer.textField(3, "");
}

function writeType(writer: Writer, { apiVersion, kind }: TypeMeta): void {
  const { length } = writer;
  writer.textField(2, kind);
  writer.textField(1, apiVersion);
  writer.nested(1, length);
}

function writeMessage(writer: Writer, plan: readonly EncodedField[], object: Json): void {
  for (const field of plan) {
    const { number, shape, inline } = field;
    const value = object[field.name];
    if (inline !== undefined) {
      const { length } = writer;
      writeMessage(writer, inline, object);
      writer.nested(number, length);
    } else if (shape === "list") writeList(writer, field, value);
    else if (shape === "map") writeMap(writer, field, value);
    else if (field.always || (value !== undefined && value !== null))
      writeValue(writer, number, field.type, value);
  }
}

function writeList(writer: Writer, { number, type }: EncodedField, value: unknown): void {
  if (!Array.isArray(value)) return;
  for (let at = value.length - 1; at >= 0; at--) writeValue(writer, number, type, value[at]);
}

function writeMap(writer: Writer, { number, type }: EncodedField, value: unknown): void {
  if (!isJson(value)) return;
  const keys = Object.keys(value).toSorted((a, b) => Buffer.compare(Buffer.from(b), Buffer.from(a)));
  for (const key of keys) {
    const { length } = writer;
    writeValue(writer, 2, type, value[key]);
    writer.textField(1, key);
    writer.nested(number, length);
  }
}

/** What is not set is written as what says nothing. */
function writeValue(writer: Writer, number: number, type: string, value: unknown): void {
  switch (type) {
    case "string":
      return writer.textField(number, textOf(value));
    case "bytes":
      return writer.bytesField(number, Buffer.from(textOf(value), "base64"));
    case "bool":
      return writer.integerField(number, value === true ? 1 : 0);
    case "int32":
    case "int64":
      return writer.integerField(number, integerOf(value));
    case "double":
      return writer.doubleField(number, Number(value ?? 0));
    default: {
      const { length } = writer;
      writeContent(writer, type, value);
      return writer.nested(number, length);
    }
  }
}

function writeContent(writer: Writer, type: string, value: unknown): void {
  switch (type) {
    case "time":
    case "microTime":
      // A time that is not set is a message without fields.
      return typeof value === "string" ? writeTime(writer, microsOf(type, value)) : undefined;
    case "quantity":
      return writer.textField(1, typeof value === "string" ? value : String(integerOf(value)));
    case "intOrString":
      return writeIntOrString(writer, value);
    case "rawJson":
      return value === undefined || value === null ? undefined : writer.textField(1, JSON.stringify(value));
    default:
      writeMessage(writer, encodePlanOf(type), asMessage(type, value));
  }
}

function microsOf(type: "microTime" | "time", text: string): number {
  return type === "time" ? (parseTime(text) ?? 0) * 1_000 : (parseMicros(text) ?? 0);
}

function writeTime(writer: Writer, micros: number): void {
  const seconds = Math.floor(micros / 1e6);
  writer.integerField(2, (micros - seconds * 1e6) * 1_000);
  writer.integerField(1, seconds);
}

function writeIntOrString(writer: Writer, value: unknown): void {
  const isText = typeof value === "string";
  writer.textField(3, isText ? value : "");
  writer.integerField(2, isText ? 0 : integerOf(value));
  writer.integerField(1, isText ? 1 : 0);
}

/** The JSON of some messages is that of one of their fields. */
function asMessage(type: string, value: unknown): Json {
  switch (type) {
    case "apiextensions.v1.JSONSchemaPropsOrArray":
      return Array.isArray(value) ? { jSONSchemas: value } : { schema: value };
    case "apiextensions.v1.JSONSchemaPropsOrBool":
      return typeof value === "boolean" ? { allows: value } : { allows: true, schema: value };
    case "apiextensions.v1.JSONSchemaPropsOrStringArray":
      return Array.isArray(value) ? { property: value } : { schema: value };
    default:
      if (type.endsWith(".ExtraValue")) return { items: value };
      return isJson(value) ? value : {};
  }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const integerOf = (value: unknown): Int64 =>
  typeof value === "number" || typeof value === "bigint" ? value : 0;

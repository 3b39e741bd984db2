import { definitionOf } from "../schema.ts";
import { formatMicros, formatTime } from "../time.ts";
import { parseJson } from "../wire-json.ts";
import { type FieldPlan, hasMessage, type MessagePlan, planOf, type WantedFields } from "./message-plan.ts";
import { BYTES, ProtobufError, Reader } from "./reader.ts";

type Json = Record<string, unknown>;

export const PROTOBUF_TYPE = "application/vnd.kubernetes.protobuf";

interface ObjectType {
  readonly apiVersion: string;
  readonly kind: string;
  /** Undefined when there is none for this kind. */
  readonly message: string | undefined;
}

const MAGIC = [0x6b, 0x38, 0x73, 0x00];
const noType: ObjectType = { apiVersion: "", kind: "", message: undefined };
/** Schemas may contain schemas; this is far from what the stack holds. */
const MOST_DEPTH = 500;
const RECURRING = { unique: false };

/**
 * The JSON form of an object in application/vnd.kubernetes.protobuf: four magic bytes, then an envelope with the
 * object's kind and its bytes. Where only some fields are wanted, the others are passed over, and equal parts of objects
 * are the same object. Throws a ProtobufError.
 */
export function decodeProtobufObject(bytes: Uint8Array, wanted?: WantedFields): Json {
  return decodeEnvelope(new Reader(bytes), wanted);
}

/** The type and the object of an event of a watch. */
export function decodeProtobufEvent(
  bytes: Uint8Array,
  wanted?: WantedFields,
): { readonly type: string; readonly object: unknown; readonly exact: boolean } {
  const reader = new Reader(bytes);
  let type = "";
  let object: unknown;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    if (number === 1) {
      reader.cache = wanted?.cache;
      type = reader.text(RECURRING);
    } else if (number === 2) {
      // What a bookmark marks stands in its annotations.
      object = decodeRawObject(reader, type === "BOOKMARK" ? undefined : wanted);
    } else reader.skip();
  }
  return { type, object, exact: wanted !== undefined };
}

/** An object as the bytes of the first field of a message, to the end of which it reads. */
function decodeRawObject(reader: Reader, wanted: WantedFields | undefined): Json {
  const { end } = reader;
  const outer = reader.enter();
  reader.end = outer;
  while (reader.next() > 1) reader.skip();
  reader.end = reader.at < outer ? reader.enter() : outer;
  const object = decodeEnvelope(reader, wanted);
  reader.at = outer;
  reader.end = end;
  return object;
}

/** All that there is up to the end of the reader. */
function decodeEnvelope(reader: Reader, wanted: WantedFields | undefined): Json {
  const { at } = reader;
  // Byte by byte, which for each event of a watch costs less than a call of the runtime.
  if (reader.end - at < MAGIC.length || MAGIC.some((byte, index) => reader.bytes[at + index] !== byte))
    throw new ProtobufError(
      "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
    );
  reader.at += MAGIC.length;
  reader.cache = wanted?.cache;
  let type = noType;
  let start = 0;
  let end = 0;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    if (number === 1) type = decodeType(reader);
    else if (number === 2) {
      end = reader.enter();
      start = reader.at;
      reader.at = end;
    } else reader.skip();
  }
  const { apiVersion, kind, message } = type;
  if (message === undefined)
    throw new ProtobufError(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`,
    );
  reader.at = start;
  reader.end = end;
  const isWhole = wanted === undefined || kind === "Status";
  if (isWhole) reader.cache = undefined;
  return decodeMessage(reader, planOf(message, isWhole ? undefined : wanted.mask), { apiVersion, kind });
}

/** Whether objects of this kind, if it is a built-in one, can be read from protobuf. */
export function hasProtobuf(apiVersion: string, kind: string): boolean {
  return messageOf(apiVersion, kind) !== undefined;
}

function decodeType(reader: Reader): ObjectType {
  const end = reader.enter();
  const start = reader.at;
  reader.at = end;
  return reader.cache === undefined
    ? typeIn(reader, start, end)
    : reader.cache.value(noType, reader, start, typeIn);
}

function typeIn({ bytes }: Reader, start: number, end: number): ObjectType {
  const reader = new Reader(bytes.subarray(start, end));
  let apiVersion = "";
  let kind = "";
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    if (number === 1) apiVersion = reader.text();
    else if (number === 2) kind = reader.text();
    else reader.skip();
  }
  return { apiVersion, kind, message: messageOf(apiVersion, kind) };
}

/**
 * Metadata on their own are asked for, so they are not a kind with a definition. Options of deletes are of every
 * version: clients in Go name the one of the object.
 */
export function messageOf(apiVersion: string, kind: string): string | undefined {
  if (kind === "DeleteOptions") return "meta.v1.DeleteOptions";
  if (/^meta\.k8s\.io\/v1(?:beta1)?$/.test(apiVersion) && kind === "PartialObjectMetadata")
    return "meta.v1.PartialObjectMetadata";
  const message = definitionOf(apiVersion, kind)?.name;
  return message !== undefined && hasMessage(message) ? message : undefined;
}

/** Reads to the end of the reader. */
function decodeMessage(reader: Reader, plan: MessagePlan, object: Json): Json {
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    const field = plan.fields[number];
    // Not wanted, or from a program newer than this one: dropped, as from JSON.
    if (field === undefined) reader.skip();
    else if (field.name === "") decodeNested(reader, field, object);
    else if (field.shape !== "one") decodeRun(reader, field, object);
    else {
      const value = decodeValue(reader, field);
      if (!vanishes(value, field)) object[field.name] = value;
    }
  }
  for (const name of plan.nulls) object[name] ??= null;
  return object;
}

/** What protobuf writes although it is not set, and JSON does not. */
function vanishes(value: unknown, field: FieldPlan): boolean {
  if (value === null) return !field.keepsNull;
  return !field.keepsZero && (value === "" || value === 0 || value === false) && field.type !== "intOrString";
}

function decodeNested(reader: Reader, field: FieldPlan, object: Json): Json {
  const { end } = reader;
  reader.end = reader.enter();
  if (++reader.depth > MOST_DEPTH)
    throw new ProtobufError(`messages within messages, more than ${MOST_DEPTH} deep`);
  decodeMessage(reader, planOf(field.type, field.mask), object);
  reader.depth--;
  reader.end = end;
  return object;
}

/** All items of a list or entries of a map that follow each other: mostly, that is all of them. */
function decodeRun(reader: Reader, field: FieldPlan, object: Json): void {
  const start = reader.at;
  const known = object[field.name];
  if (reader.cache === undefined || known !== undefined) {
    object[field.name] = addParts(reader, field, known);
    return;
  }
  passRun(reader, field.number);
  const end = reader.at;
  object[field.name] = reader.cache.value(field, reader, start, runIn);
  reader.at = end;
}

function runIn(reader: Reader, start: number, _end: number, field: FieldPlan): unknown {
  reader.at = start;
  reader.wireType = BYTES;
  return addParts(reader, field, undefined);
}

/** Moves to behind the last field of this number that follows. */
function passRun(reader: Reader, number: number): void {
  let end: number;
  do {
    reader.skip();
    end = reader.at;
  } while (reader.next() === number);
  reader.at = end;
}

/** As long as fields of this number follow. What is there already is not shared with anybody. */
function addParts(reader: Reader, field: FieldPlan, known: unknown): unknown {
  const parts = known ?? (field.shape === "map" ? {} : []);
  let end: number;
  do {
    if (field.shape === "map") addEntry(reader, field, parts as Json);
    else (parts as unknown[]).push(decodeValue(reader, field));
    end = reader.at;
  } while (reader.next() === field.number);
  reader.at = end;
  return parts;
}

function addEntry(reader: Reader, field: FieldPlan, map: Json): void {
  const { end } = reader;
  reader.end = reader.enter();
  let key = "";
  let entry: unknown = field.type === "string" ? "" : undefined;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    if (number === 1) key = reader.text(field);
    else if (number === 2 && isWanted(field, key)) entry = decodeValue(reader, field);
    else reader.skip();
  }
  reader.end = end;
  if (isWanted(field, key)) map[key] = entry;
}

/** Keys come before their values. */
function isWanted({ mask }: FieldPlan, key: string): boolean {
  return mask === undefined || mask.has(key);
}

function decodeValue(reader: Reader, field: FieldPlan): unknown {
  switch (field.type) {
    case "string":
      return reader.text(field);
    case "bytes":
      return reader.slice().toString("base64");
    case "bool":
      return reader.number() !== 0;
    case "int32":
      return reader.number();
    case "int64":
      return reader.int64();
    case "double":
      return reader.double();
    case "time":
    case "microTime":
      return decodeTime(reader, field);
    case "quantity":
      return decodeQuantity(reader.slice());
    case "intOrString":
      return decodeIntOrString(reader.slice());
    case "rawJson":
      return decodeRawJson(reader.slice());
    default:
      return plainValue(field.type, decodeNested(reader, field, {}));
  }
}

/** The JSON of some messages is that of one of their fields. */
function plainValue(message: string, object: Json): unknown {
  switch (message) {
    case "apiextensions.v1.JSONSchemaPropsOrArray":
      return object["jSONSchemas"] ?? object["schema"] ?? null;
    case "apiextensions.v1.JSONSchemaPropsOrBool":
      return object["schema"] ?? object["allows"] ?? false;
    case "apiextensions.v1.JSONSchemaPropsOrStringArray":
      return object["property"] ?? object["schema"] ?? null;
    default:
      // A list in a map is a message of its own.
      return message.endsWith(".ExtraValue") ? (object["items"] ?? []) : object;
  }
}

function decodeTime(reader: Reader, field: FieldPlan): string | null {
  const end = reader.enter();
  const start = reader.at;
  reader.at = end;
  return reader.cache === undefined
    ? timeIn(reader, start, end, field)
    : reader.cache.value(field, reader, start, timeIn);
}

/** Seconds and nanoseconds since 1970; the zero time, which is not set, has neither. */
function timeIn({ bytes }: Reader, start: number, end: number, { type }: FieldPlan): string | null {
  const reader = new Reader(bytes.subarray(start, end));
  let seconds: number | undefined;
  let nanos = 0;
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    if (number === 1) seconds = reader.number();
    else if (number === 2) nanos = reader.number();
    else reader.skip();
  }
  if (seconds === undefined) return null;
  return type === "time"
    ? formatTime(seconds * 1000)
    : formatMicros(seconds * 1e6 + Math.trunc(nanos / 1000));
}

function decodeQuantity(bytes: Uint8Array): string {
  const reader = new Reader(bytes);
  return reader.next() === 1 ? reader.text() : "0";
}

function decodeIntOrString(bytes: Uint8Array): number | string {
  const reader = new Reader(bytes);
  let isText = false;
  let integer = 0;
  let text = "";
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    if (number === 1) isText = reader.number() === 1;
    else if (number === 2) integer = reader.number();
    else if (number === 3) text = reader.text();
    else reader.skip();
  }
  return isText ? text : integer;
}

function decodeRawJson(bytes: Uint8Array): unknown {
  const json = firstField(bytes);
  if (json.length === 0) return null;
  try {
    return parseJson(json.toString("utf8"));
  } catch (error) {
    throw new ProtobufError(`raw extension: ${(error as Error).message}`, { cause: error });
  }
}

/** The bytes of field 1: what there is in messages that only wrap bytes. */
function firstField(bytes: Uint8Array): Buffer {
  const reader = new Reader(bytes);
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    if (number === 1) return reader.slice();
    reader.skip();
  }
  return Buffer.alloc(0);
}

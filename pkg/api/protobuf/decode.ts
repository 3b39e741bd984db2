import { definitionOf } from "../schema.ts";
import { formatMicros, formatTime } from "../time.ts";
import { type FieldPlan, hasMessage, type MessagePlan, planOf, type WantedFields } from "./message-plan.ts";
import { BYTES, ProtobufError, Reader } from "./reader.ts";

type Json = Record<string, unknown>;

export const PROTOBUF_TYPE = "application/vnd.kubernetes.protobuf";

const magic = Buffer.from("k8s\0");

/**
 * The JSON form of an object in application/vnd.kubernetes.protobuf: four magic bytes, then an envelope with the
 * object's kind and its bytes. Where only some fields are wanted, the others are passed over, and equal parts of objects
 * are the same object. Throws a ProtobufError.
 */
export function decodeProtobufObject(bytes: Uint8Array, wanted?: WantedFields): Json {
  if (!magic.equals(bytes.subarray(0, magic.length)))
    throw new ProtobufError(
      "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
    );
  const envelope = new Reader(bytes);
  envelope.at = magic.length;
  let apiVersion = "";
  let kind = "";
  let content: Uint8Array = new Uint8Array();
  for (let number = envelope.next(); number !== 0; number = envelope.next()) {
    if (number === 1) [apiVersion, kind] = decodeTypeMeta(envelope.slice());
    else if (number === 2) content = envelope.slice();
    else envelope.skip();
  }
  const message = messageOf(apiVersion, kind);
  if (message === undefined)
    throw new ProtobufError(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`,
    );
  const object: Json = { apiVersion, kind };
  const reader = new Reader(content);
  if (wanted === undefined || kind === "Status") decodeMessage(reader, planOf(message, undefined), object);
  else {
    reader.cache = wanted.cache;
    decodeMessage(reader, planOf(message, wanted.mask), object);
  }
  return object;
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
    if (number === 1) type = reader.text();
    else if (number === 2) {
      // What a bookmark marks stands in its annotations.
      object = decodeProtobufObject(firstField(reader.slice()), type === "BOOKMARK" ? undefined : wanted);
    } else reader.skip();
  }
  return { type, object, exact: wanted !== undefined };
}

/** Whether objects of this kind, if it is a built-in one, can be read from protobuf. */
export function hasProtobuf(apiVersion: string, kind: string): boolean {
  return messageOf(apiVersion, kind) !== undefined;
}

function decodeTypeMeta(bytes: Uint8Array): [apiVersion: string, kind: string] {
  const reader = new Reader(bytes);
  let apiVersion = "";
  let kind = "";
  for (let number = reader.next(); number !== 0; number = reader.next()) {
    if (number === 1) apiVersion = reader.text();
    else if (number === 2) kind = reader.text();
    else reader.skip();
  }
  return [apiVersion, kind];
}

/** Metadata on their own are asked for, so they are not a kind with a definition. */
function messageOf(apiVersion: string, kind: string): string | undefined {
  if (apiVersion === "meta.k8s.io/v1" && kind === "PartialObjectMetadata")
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
    else if (field.shape !== "one") decodeRun(reader, number, field, object);
    else {
      const value = decodeValue(reader, field);
      if (!vanishes(value, field)) object[field.name] = value;
    }
  }
  for (const name of plan.nullLists) object[name] ??= null;
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
  decodeMessage(reader, planOf(field.type, field.mask), object);
  reader.end = end;
  return object;
}

/** All items of a list or entries of a map that follow each other: mostly, that is all of them. */
function decodeRun(reader: Reader, number: number, field: FieldPlan, object: Json): void {
  const start = reader.at;
  const known = object[field.name];
  if (reader.cache === undefined || known !== undefined) {
    object[field.name] = addParts(reader, number, field, known);
    return;
  }
  passRun(reader, number);
  const end = reader.at;
  object[field.name] = reader.cache.value(field, reader.bytes, start, end, () => {
    reader.at = start;
    reader.wireType = BYTES;
    return addParts(reader, number, field, undefined);
  });
  reader.at = end;
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
function addParts(reader: Reader, number: number, field: FieldPlan, known: unknown): unknown {
  const parts = known ?? (field.shape === "map" ? {} : []);
  let end: number;
  do {
    if (field.shape === "map") addEntry(reader, field, parts as Json);
    else (parts as unknown[]).push(decodeValue(reader, field));
    end = reader.at;
  } while (reader.next() === number);
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
    case "int64":
      return reader.number();
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
      // A list in a map is a message of its own, whose one field is not named in JSON.
      return field.type.endsWith(".ExtraValue")
        ? (decodeNested(reader, field, {})["items"] ?? [])
        : decodeNested(reader, field, {});
  }
}

function decodeTime(reader: Reader, field: FieldPlan): string | null {
  const bytes = reader.slice();
  const decode = (): string | null => timeText(bytes, field.type);
  return reader.cache === undefined ? decode() : reader.cache.value(field, bytes, 0, bytes.length, decode);
}

/** Seconds and nanoseconds since 1970; the zero time, which is not set, has neither. */
function timeText(bytes: Uint8Array, type: string): string | null {
  const reader = new Reader(bytes);
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
    return JSON.parse(json.toString("utf8"));
  } catch (error) {
    throw new ProtobufError(`raw extension: ${(error as Error).message}`);
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

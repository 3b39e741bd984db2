import { definitionOf } from "../../api/schema.ts";
import { formatMicros, formatTime } from "../../api/time.ts";
import { messageTexts } from "./fields.gen.ts";
import { asBytes, asInteger, asText, ProtobufError, type RawField, readFields } from "./reader.ts";

type Json = Record<string, unknown>;

interface MessageField {
  /** "" for a message whose fields stand in the parent. */
  readonly name: string;
  readonly repeated: boolean;
  readonly map: boolean;
  readonly type: string;
}

const magic = Buffer.from("k8s\0");
const messages = new Map<string, ReadonlyMap<number, MessageField>>();

/**
 * The JSON form of an object that a client sent as application/vnd.kubernetes.protobuf: four magic bytes, then an
 * envelope with the object's kind and its bytes. Throws a ProtobufError.
 */
export function decodeProtobufObject(bytes: Uint8Array): Json {
  if (!magic.equals(bytes.subarray(0, magic.length)))
    throw new ProtobufError(
      "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
    );
  const envelope = new Map<number, RawField["value"]>();
  for (const { number, value } of readFields(bytes.subarray(magic.length))) envelope.set(number, value);
  let apiVersion = "";
  let kind = "";
  for (const { number, value } of readFields(asBytes(envelope.get(1) ?? new Uint8Array()))) {
    if (number === 1) apiVersion = asText(value);
    else if (number === 2) kind = asText(value);
  }
  const message = definitionOf(apiVersion, kind)?.name;
  if (message === undefined || !Object.hasOwn(messageTexts, message))
    throw new ProtobufError(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion)}`,
    );
  return { apiVersion, kind, ...decodeMessage(asBytes(envelope.get(2) ?? new Uint8Array()), message) };
}

function decodeMessage(bytes: Uint8Array, message: string): Json {
  const fields = fieldsOf(message);
  const object: Json = {};
  for (const { number, value } of readFields(bytes)) {
    const field = fields.get(number);
    // A client newer than this server: fields that it does not know are dropped, as from JSON.
    if (field === undefined) continue;
    if (field.name === "") Object.assign(object, decodeMessage(asBytes(value), field.type));
    else if (field.map) addEntry(object, field, asBytes(value));
    else if (field.repeated) addItem(object, field, decodeValue(value, field.type));
    else object[field.name] = decodeValue(value, field.type);
  }
  return object;
}

function addItem(object: Json, field: MessageField, item: unknown): void {
  const list = object[field.name];
  if (Array.isArray(list)) list.push(item);
  else object[field.name] = [item];
}

function addEntry(object: Json, field: MessageField, bytes: Uint8Array): void {
  const map = (object[field.name] ??= {}) as Json;
  let key = "";
  let entry: unknown = field.type === "string" ? "" : undefined;
  for (const { number, value } of readFields(bytes)) {
    if (number === 1) key = asText(value);
    else if (number === 2) entry = decodeValue(value, field.type);
  }
  map[key] = entry;
}

function decodeValue(value: RawField["value"], type: string): unknown {
  switch (type) {
    case "string":
      return asText(value);
    case "bytes":
      return Buffer.from(asBytes(value)).toString("base64");
    case "bool":
      return asInteger(value) !== 0n;
    case "int32":
    case "int64":
      return Number(asInteger(value));
    case "double":
      return value;
    case "time":
    case "microTime":
      return decodeTime(asBytes(value), type);
    case "quantity":
      return decodeQuantity(asBytes(value));
    case "intOrString":
      return decodeIntOrString(asBytes(value));
    case "rawJson":
      return decodeRawJson(asBytes(value));
    default:
      // A list in a map is a message of its own, whose one field is not named in JSON.
      return type.endsWith(".ExtraValue")
        ? (decodeMessage(asBytes(value), type)["items"] ?? [])
        : decodeMessage(asBytes(value), type);
  }
}

/** Seconds and nanoseconds since 1970; the zero time, which is not set, has neither. */
function decodeTime(bytes: Uint8Array, type: "time" | "microTime"): string | null {
  let seconds: number | undefined;
  let nanos = 0;
  for (const { number, value } of readFields(bytes)) {
    if (number === 1) seconds = Number(asInteger(value));
    else if (number === 2) nanos = Number(asInteger(value));
  }
  if (seconds === undefined) return null;
  return type === "time"
    ? formatTime(seconds * 1000)
    : formatMicros(seconds * 1e6 + Math.trunc(nanos / 1000));
}

function decodeQuantity(bytes: Uint8Array): string {
  for (const { number, value } of readFields(bytes)) if (number === 1) return asText(value);
  return "0";
}

function decodeIntOrString(bytes: Uint8Array): number | string {
  let isText = false;
  let integer = 0;
  let text = "";
  for (const { number, value } of readFields(bytes)) {
    if (number === 1) isText = asInteger(value) === 1n;
    else if (number === 2) integer = Number(asInteger(value));
    else if (number === 3) text = asText(value);
  }
  return isText ? text : integer;
}

function decodeRawJson(bytes: Uint8Array): unknown {
  for (const { number, value } of readFields(bytes)) {
    if (number !== 1) continue;
    try {
      return JSON.parse(asText(value));
    } catch (error) {
      throw new ProtobufError(`raw extension: ${(error as Error).message}`);
    }
  }
  return null;
}

function fieldsOf(message: string): ReadonlyMap<number, MessageField> {
  const known = messages.get(message);
  if (known !== undefined) return known;
  const text = Object.hasOwn(messageTexts, message) ? (messageTexts[message] ?? "") : undefined;
  if (text === undefined) throw new ProtobufError(`there is no message ${message}`);
  const fields = new Map(
    text.split(";").map((line): [number, MessageField] => {
      const [number = "", name = "", type = ""] = line.split(" ");
      const repeated = type.startsWith("[]");
      const map = type.startsWith("{}");
      const bare = repeated || map ? type.slice(2) : type;
      return [Number(number), { name: name.startsWith("~") ? "" : name, repeated, map, type: bare }];
    }),
  );
  messages.set(message, fields);
  return fields;
}

import { hasProtobuf } from "../../api/protobuf/decode.ts";
import {
  encodeProtobufEvent,
  encodeProtobufItem,
  encodeProtobufList,
  encodeProtobufObject,
} from "../../api/protobuf/encode.ts";
import type { ListBody, ResponseBody, WatchFrame } from "../server/request.ts";

interface TypeMeta {
  readonly apiVersion: string;
  readonly kind: string;
}

const LIST = "List";

/** Whether there is a form of this in protobuf. */
export function isInProtobuf(body: ResponseBody): boolean {
  if (body.kind === "watch") return body.inProtobuf;
  if (body.kind === "list") return hasProtobuf(body.list.apiVersion, itemOf(body.list).kind);
  if (body.kind !== "object") return false;
  const { value }: { readonly value: object } = body;
  return isOfProtobuf(value) || isEmptyList(value);
}

const isOfProtobuf = ({ apiVersion = "", kind = "" }: object & Partial<TypeMeta>): boolean =>
  hasProtobuf(apiVersion, kind);

const itemOf = ({ apiVersion, kind }: TypeMeta): TypeMeta => ({
  apiVersion,
  kind: kind.slice(0, -LIST.length),
});

/** Metadata of no objects are no list. */
const isEmptyList = (value: object): value is ListBody =>
  "items" in value &&
  value.items === null &&
  "kind" in value &&
  value.kind === `PartialObjectMetadata${LIST}`;

export function protobufOf(value: object): Buffer {
  if (!isEmptyList(value)) return encodeProtobufObject(value);
  const { before, after } = encodeProtobufList(value, 0);
  return Buffer.concat([before, after]);
}

/** A list in pieces. Nothing is sent before all have been made: it begins with how long it is. */
export function* protobufPieces(list: ListBody): Generator<Uint8Array | undefined, void> {
  const type = itemOf(list);
  const items: Buffer[] = [];
  let length = 0;
  for (const item of list.items) {
    const bytes = encodeProtobufItem(item, type);
    items.push(bytes);
    length += bytes.length;
    yield undefined;
  }
  const { before, after } = encodeProtobufList(list, length);
  yield before;
  yield* items;
  yield after;
}

/** Behind its length. */
export function protobufFrame({ type, object }: WatchFrame): Buffer {
  const event = encodeProtobufEvent(type, object);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}

import { countDown, MOST_AT_ONCE } from "../../api/large.ts";
import type { ApiObject } from "../../api/object.ts";
import type { ListBody, WatchFrame } from "../server/request.ts";

const recentFrames = 1024;
const chunkLength = 128 * 1024;

/**
 * Bytes of watch events. A write reaches all watchers of a resource as the same frozen object, at about the same time:
 * it is serialised for the first of them, and the others send the same bytes.
 */
export class FrameEncoder {
  readonly #encodeFrame: (frame: WatchFrame) => Buffer;
  readonly #recent = new Map<object, { readonly type: WatchFrame["type"]; readonly bytes: Buffer }>();

  constructor(encode = encodeFrame) {
    this.#encodeFrame = encode;
  }

  encode(frame: WatchFrame): Buffer {
    if (!frame.shared) return this.#encodeFrame(frame);
    const known = this.#recent.get(frame.object);
    if (known?.type === frame.type) return known.bytes;
    const bytes = this.#encodeFrame(frame);
    if (this.#recent.size >= recentFrames) {
      const [oldest] = this.#recent.keys();
      if (oldest !== undefined) this.#recent.delete(oldest);
    }
    this.#recent.set(frame.object, { type: frame.type, bytes });
    return bytes;
  }
}

function encodeFrame({ type, object }: WatchFrame): Buffer {
  return Buffer.from(`{"type":"${type}","object":${JSON.stringify(object)}}\n`);
}

/** A list in pieces: its text as a whole could be longer than a string may be. */
export function* encodeList(list: ListBody): Generator<string> {
  const head = { kind: list.kind, apiVersion: list.apiVersion, metadata: list.metadata };
  let text = `${JSON.stringify(head).slice(0, -1)},"items":[`;
  let separator = "";
  for (const item of list.items) {
    text += separator + JSON.stringify(list.bareItems ? withoutKind(item) : item);
    separator = ",";
    if (text.length < chunkLength) continue;
    yield text;
    text = "";
  }
  yield `${text}]}\n`;
}

/** The same text as JSON.stringify gives, in pieces that are made one by one. */
export function* jsonPieces(value: unknown, most = MOST_AT_ONCE): Generator<string, void> {
  if (countDown(value, most) >= 0) yield JSON.stringify(value);
  else if (Array.isArray(value)) yield* piecesOf("[]", value, (index) => index, most);
  else {
    const members = Object.entries(value as Readonly<Record<string, unknown>>).filter(
      ([, member]) => member !== undefined,
    );
    yield* piecesOf(
      "{}",
      members.map(([, member]) => member),
      (index) => members[index]?.[0] ?? "",
      most,
    );
  }
}

/** What is short together is one piece; what is long has pieces of its own. `keyAt` names the members of an object. */
function* piecesOf(
  brackets: string,
  members: readonly unknown[],
  keyAt: (index: number) => string | number,
  most: number,
): Generator<string, void> {
  let text = brackets.slice(0, 1);
  let left = most;
  for (const [index, member] of members.entries()) {
    const key = keyAt(index);
    text += index === 0 ? "" : ",";
    if (typeof key === "string") text += `${JSON.stringify(key)}:`;
    const rest = countDown(member, left);
    if (rest >= 0) {
      left = rest;
      text += JSON.stringify(member ?? null);
      continue;
    }
    yield text;
    text = "";
    left = most;
    yield* jsonPieces(member ?? null, most);
  }
  yield text + brackets.slice(1);
}

export function withoutKind(item: ApiObject): object {
  const { kind: _, apiVersion: __, ...rest } = item;
  return rest;
}

/** A list for people at a command line. */
export function encodeListPretty(list: ListBody): string {
  const { kind, apiVersion, metadata } = list;
  const items = list.bareItems ? list.items.map(withoutKind) : list.items;
  return JSON.stringify({ kind, apiVersion, metadata, items }, undefined, 2);
}

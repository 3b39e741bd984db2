import { TransportError } from "../transport.ts";
import { parseDocument } from "./json-lines.ts";

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** What stands before the array of items at the top level. A backslash before the quote: the end of another key. */
const ITEMS_KEY = /(?<!\\)"items"\s*:\s*$/;

/**
 * Reads a Kubernetes List piece by piece: finds the bounds of each element of the top-level `items` and parses it by
 * itself, so that neither the text nor the tree of the whole list exists.
 * Bounds are found on bytes: in UTF-8, the bytes of JSON's punctuation occur nowhere else.
 */
export class ListReader {
  readonly #onItem: (item: unknown) => void;
  /** Everything but the items: the List without its contents. */
  readonly #outer: Buffer[] = [];
  /** The beginning of an item whose end has not come yet. */
  #item: Buffer[] = [];
  #inItems = false;
  #itemsSeen = false;
  #depth = 0;
  #inString = false;
  #escaped = false;

  constructor(onItem: (item: unknown) => void) {
    this.#onItem = onItem;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at];
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (byte === BACKSLASH) this.#escaped = true;
        else if (byte === QUOTE) this.#inString = false;
      } else if (byte === QUOTE) {
        this.#inString = true;
      } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
        this.#depth++;
        if (byte === OPEN_ARRAY && this.#depth === 2 && this.#opensItems(chunk, from, at)) {
          this.#outer.push(chunk.subarray(from, at + 1));
          this.#inItems = true;
          this.#itemsSeen = false;
          from = at + 1;
        }
      } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        this.#depth--;
        if (this.#inItems && this.#depth === 1) {
          this.#finishItem(chunk, from, at, true);
          this.#inItems = false;
          from = at;
        }
      } else if (byte === COMMA && this.#inItems && this.#depth === 2) {
        this.#finishItem(chunk, from, at, false);
        from = at + 1;
      }
    }
    if (from < chunk.length) (this.#inItems ? this.#item : this.#outer).push(chunk.subarray(from));
  }

  /** The List without its items. */
  end(): unknown {
    if (this.#depth !== 0 || this.#inString)
      throw new TransportError("lost", "a list broke off before its end", true);
    const outer = parseDocument(Buffer.concat(this.#outer));
    if (typeof outer !== "object" || outer === null || Array.isArray(outer)) {
      throw new TransportError("malformed", "the answer is not a list", true);
    }
    const { items: _items, ...rest } = outer as { readonly items?: unknown };
    return rest;
  }

  #opensItems(chunk: Buffer, from: number, at: number): boolean {
    const before = Buffer.concat([...this.#outer, chunk.subarray(from, at)]);
    return ITEMS_KEY.test(before.toString("latin1"));
  }

  #finishItem(chunk: Buffer, from: number, to: number, last: boolean): void {
    let item = chunk.subarray(from, to);
    if (this.#item.length > 0) {
      item = Buffer.concat([...this.#item, item]);
      this.#item = [];
    }
    // "[]" has no item, while "[1,]" lacks one.
    if (last && !this.#itemsSeen && item.toString("utf8").trim() === "") return;
    this.#itemsSeen = true;
    this.#onItem(parseDocument(item));
  }
}

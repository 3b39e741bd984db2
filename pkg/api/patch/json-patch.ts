import type { JsonList, JsonObject } from "./json.ts";
import { copyJson } from "../json-copy.ts";
import { isList, isObject, jsonEqual, ownValue, setKey } from "./json.ts";
import { FailedTestError, PatchError } from "./patch-error.ts";

export type JsonPatchOperation =
  | { readonly op: "add" | "replace" | "test"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string }
  | { readonly op: "move" | "copy"; readonly path: string; readonly from: string };

/** RFC 6902. All operations apply or none does; throws a PatchError. */
export function applyJsonPatch(original: unknown, patch: unknown): unknown {
  if (!isList(patch)) {
    throw new PatchError("BadRequest", "error decoding patch: a JSON patch is a list of operations");
  }
  const changes = new Changes();
  // Operations are checked one by one as they are reached, as the API server does.
  return patch.reduce((document, operation) => applyOperation(changes, document, operation), original);
}

/** Of all that is copied by one patch together, as JSON: a few operations could double a document without end. */
const MOST_COPIED = 3 * 1024 * 1024;

/** What a patch has made so far: that is its own, and is changed in place, where the original is copied. */
class Changes {
  readonly #own = new WeakSet<object>();
  #copied = 0;

  withKey(object: JsonObject, key: string, value: unknown): unknown {
    const own = this.#ownObject(object);
    setKey(own, key, value);
    return own;
  }

  withoutKey(object: JsonObject, key: string): unknown {
    const own = this.#ownObject(object);
    delete own[key];
    return own;
  }

  splice(list: JsonList, index: number, count: number, ...items: readonly unknown[]): unknown {
    const own = this.#ownList(list);
    own.splice(index, count, ...items);
    return own;
  }

  with(list: JsonList, index: number, value: unknown): unknown {
    const own = this.#ownList(list);
    own[index] = value;
    return own;
  }

  /** What stands in two places afterwards must not be changed in both. */
  copyOf(value: unknown): unknown {
    this.#copied += JSON.stringify(value).length;
    if (this.#copied > MOST_COPIED) {
      const sizes = `is ${this.#copied}, exceeding the limit ${MOST_COPIED}`;
      throw new PatchError(
        "Unprocessable",
        `Unable to complete the copy, the accumulated size increase of copy ${sizes}`,
      );
    }
    return copyJson(value);
  }

  #ownObject(object: JsonObject): Record<string, unknown> {
    if (this.#own.has(object)) return object;
    const copy = { ...object };
    this.#own.add(copy);
    return copy;
  }

  #ownList(list: JsonList): unknown[] {
    if (this.#own.has(list)) return list as unknown[];
    const copy = [...list];
    this.#own.add(copy);
    return copy;
  }
}

function applyOperation(changes: Changes, document: unknown, operation: unknown): unknown {
  if (!isObject(operation)) {
    throw new PatchError("BadRequest", "error decoding patch: an operation is an object");
  }
  const { op } = operation;
  const value = ownValue(operation, "value") ?? null;
  switch (op) {
    case "add":
      return add({ changes, document }, pointerOf(operation, "path", op), value);
    case "remove":
      return remove({ changes, document }, pointerOf(operation, "path", op));
    case "replace":
      return replace({ changes, document }, pointerOf(operation, "path", op), value);
    case "move": {
      const from = pointerOf(operation, "from", op);
      const moved = read(document, from);
      const rest = remove({ changes, document }, from);
      return add({ changes, document: rest }, pointerOf(operation, "path", op), moved);
    }
    case "copy":
      return add(
        { changes, document },
        pointerOf(operation, "path", op),
        changes.copyOf(read(document, pointerOf(operation, "from", op))),
      );
    case "test": {
      const path = pointerOf(operation, "path", op);
      if (jsonEqual(readForTest(document, path), value)) return document;
      throw new FailedTestError(path.text);
    }
    default:
      throw new PatchError("Unprocessable", `Unexpected kind: ${typeof op === "string" ? op : "unknown"}`);
  }
}

/** Between two operations. */
interface State {
  readonly changes: Changes;
  readonly document: unknown;
}

interface Pointer {
  /** What the operation that points there is called. */
  readonly op: string;
  readonly text: string;
  readonly keys: readonly string[];
}

function pointerOf(operation: JsonObject, member: "path" | "from", op: string): Pointer {
  const text = ownValue(operation, member);
  if (typeof text !== "string") {
    throw new PatchError("Unprocessable", `${op} operation failed to decode ${member}: missing value`);
  }
  const [, ...keys] = text.split("/");
  return { op, text, keys: keys.map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~")) };
}

/** upstream: json-patch.v4 finds nothing at a text without a slash; the empty one is the whole for two operations. */
const isNowhere = ({ op, text, keys }: Pointer): boolean =>
  keys.length === 0 && !(text === "" && (op === "replace" || op === "test"));

function add(state: State, path: Pointer, value: unknown): unknown {
  return changeAt(state, path, (parent, key) => {
    if (isObject(parent)) return state.changes.withKey(parent, key, value);
    const index = key === "-" ? parent.length : indexIn(key, parent.length + 1, path);
    return state.changes.splice(parent, index, 0, value);
  });
}

function remove(state: State, path: Pointer): unknown {
  return changeAt(state, path, (parent, key) => {
    if (!isObject(parent)) return state.changes.splice(parent, indexIn(key, parent.length, path), 1);
    if (!Object.hasOwn(parent, key)) {
      throw new PatchError(
        "Unprocessable",
        `error in ${path.op} for path: '${path.text}': Unable to remove nonexistent key: ${key}: missing value`,
      );
    }
    return state.changes.withoutKey(parent, key);
  });
}

/** upstream: json-patch.v4 replaces a key of an object that is not there, against the RFC. */
function replace(state: State, path: Pointer, value: unknown): unknown {
  return changeAt(
    state,
    path,
    (parent, key) => {
      if (isObject(parent)) return state.changes.withKey(parent, key, value);
      return state.changes.with(parent, indexIn(key, parent.length, path), value);
    },
    value,
  );
}

function read(document: unknown, from: Pointer): unknown {
  const value = isNowhere(from) ? undefined : lookUp(document, from.keys);
  if (value === undefined) {
    // upstream: json-patch.v4 copies a key that is not there as null, against the RFC.
    if (from.op === "copy" && from.keys.length > 0 && isObject(lookUp(document, from.keys.slice(0, -1))))
      return null;
    throw new PatchError(
      "Unprocessable",
      `${from.op} operation does not apply: doc is missing from path: ${from.text}: missing value`,
    );
  }
  return value;
}

/** A key that is not there tests as null; a place within something that is not there cannot be tested. */
function readForTest(document: unknown, path: Pointer): unknown {
  const parent = isNowhere(path) ? undefined : lookUp(document, path.keys.slice(0, -1));
  if (!isObject(parent) && !isList(parent)) {
    throw new PatchError(
      "Unprocessable",
      `test operation does not apply: is missing path: ${path.text}: missing value`,
    );
  }
  const key = path.keys.at(-1);
  if (key === undefined) return parent;
  if (isList(parent)) return parent[indexIn(key, parent.length, path)];
  return ownValue(parent, key) ?? null;
}

function lookUp(document: unknown, keys: readonly string[]): unknown {
  let value = document;
  for (const key of keys) {
    if (isList(value)) value = /^(?:0|[1-9][0-9]*)$/.test(key) ? value[Number(key)] : undefined;
    else value = isObject(value) ? ownValue(value, key) : undefined;
  }
  return value;
}

type Parent = JsonList | JsonObject;

/** Copies the way down to the parent of the place that `path` names, and puts there what `change` makes of it. */
function changeAt(
  { changes, document }: State,
  path: Pointer,
  change: (parent: Parent, key: string) => unknown,
  whole?: unknown,
): unknown {
  const key = path.keys.at(-1);
  if (key === undefined) {
    if (!isNowhere(path) && (isObject(whole) || isList(whole))) return whole;
    throw missingPath(path);
  }
  const descend = (value: unknown, depth: number): unknown => {
    if (!isObject(value) && !isList(value)) throw missingPath(path);
    if (depth === path.keys.length - 1) return change(value, key);
    const step = path.keys[depth] ?? "";
    const below = descend(lookUp(value, [step]), depth + 1);
    return isObject(value) ? changes.withKey(value, step, below) : changes.with(value, Number(step), below);
  };
  return descend(document, 0);
}

function missingPath({ op, text }: Pointer): PatchError {
  const what = op === "move" || op === "copy" ? "destination path" : "path";
  const where = op === "add" || op === "remove" ? `"${text}"` : text;
  return new PatchError(
    "Unprocessable",
    `${op} operation does not apply: doc is missing ${what}: ${where}: missing value`,
  );
}

function indexIn(key: string, size: number, { op, text }: Pointer): number {
  // upstream: json-patch.v4 counts negative indices from the end, against the RFC.
  const index = /^-?(?:0|[1-9][0-9]*)$/.test(key) ? Number(key) : Number.NaN;
  const place = index < 0 ? index + size : index;
  if (place >= 0 && place < size) return place;
  const reason = Number.isNaN(index)
    ? `value was not a proper array index: '${key}'`
    : `Unable to access invalid index: ${index}: invalid index referenced`;
  throw new PatchError("Unprocessable", `error in ${op} for path: '${text}': ${reason}`);
}

import { deepFreeze } from "../../api/freeze.ts";
import type { ApiObject } from "../../api/object.ts";
import type { WantedFields } from "../../api/protobuf/message-plan.ts";
import type { Resource } from "../../api/resource.ts";
import { apiVersionOf, groupResource } from "../../api/resource.ts";
import type { Interner } from "./interner.ts";

/**
 * What a consumer reads of the objects: all of it, or these fields. A path is dotted and passes through arrays
 * (`spec.containers.name`); the key of a map that has dots itself stands in brackets
 * (`metadata.annotations[example.com/key]`). apiVersion, kind and all metadata but the annotations are always there.
 */
export type Fields = "whole" | readonly string[];

/** The fields below one object; undefined stands for all of them. */
type FieldTree = Map<string, FieldTree | undefined>;
type Json = unknown;
type JsonObject = Readonly<Record<string, Json>>;

const ALWAYS: readonly string[] = [
  "name",
  "namespace",
  "generateName",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "labels",
  "ownerReferences",
  "finalizers",
].map((field) => `metadata.${field}`);

/** What is always there, and what nobody may want. */
const NOT_TRAPPED: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata", "managedFields"]);

/** Values that no other object has: remembering them would only push out others. */
const UNIQUE: ReadonlySet<string> = new Set(["name", "uid", "resourceVersion"]);

/**
 * The union of what the consumers of one informer read, and the transform that follows from it: managedFields go
 * away always, other fields that nobody reads too, and repeated strings share their memory. Objects from a list and
 * from a watch come out alike, with apiVersion and kind.
 */
export class Projection {
  readonly #resource: Resource;
  readonly #apiVersion: string;
  readonly #interner: Interner;
  readonly #trap: boolean;
  #whole = false;
  #tree: FieldTree = new Map();
  #sealed = false;

  /** With `trap`, for tests, reading a field that was left out throws instead of giving undefined. */
  constructor(resource: Resource, interner: Interner, trap = false) {
    this.#resource = resource;
    this.#trap = trap;
    this.#apiVersion = apiVersionOf(resource);
    this.#interner = interner;
    for (const path of ALWAYS) insert(this.#tree, segmentsOf(path));
  }

  /** Whether objects of this projection have all these fields. */
  covers(fields: Fields): boolean {
    if (this.#whole) return true;
    return fields !== "whole" && fields.every((path) => contains(this.#tree, segmentsOf(path)));
  }

  /** Once sealed, only fields that are there already can be asked for: objects without the others are in the cache. */
  add(fields: Fields): void {
    if (this.covers(fields)) return;
    if (this.#sealed) {
      const wanted = fields === "whole" ? "whole objects" : `the fields ${fields.join(", ")}`;
      throw new Error(
        `the informer of ${groupResource(this.#resource)} runs already and was not asked for ${wanted}: ` +
          "every consumer must declare what it reads before the start",
      );
    }
    if (fields === "whole") this.#whole = true;
    else for (const path of fields) insert(this.#tree, segmentsOf(path));
  }

  /** The fields that are read of the objects; undefined when objects are read whole. */
  get wanted(): WantedFields | undefined {
    if (this.#whole || this.#tree.get("metadata") === undefined) return undefined;
    return { mask: this.#tree, cache: this.#interner.bytes };
  }

  seal(): void {
    this.#sealed = true;
  }

  /** A copy: nothing of `object` is changed or, apart from its strings, kept. */
  apply<T extends ApiObject>(object: T): T {
    const { apiVersion: _version, kind: _kind, metadata, ...rest } = object;
    const out = {
      apiVersion: this.#apiVersion,
      kind: this.#resource.kind,
      metadata: this.#metadata(metadata as JsonObject),
      ...(this.#whole ? this.#copyParts(rest) : this.#pick(rest, this.#tree)),
    };
    if (this.#trap && !this.#whole) this.#setTraps(out, object as unknown as JsonObject, this.#tree);
    return out as unknown as T;
  }

  /** Narrows an object of the cache to what a consumer with these fields alone would have. The result is frozen. */
  narrow<T extends ApiObject>(object: T): T {
    return this.#whole ? object : deepFreeze(this.apply(object));
  }

  /** For an object that was decoded with what is `wanted`, for this cache alone. */
  adopt<T extends ApiObject>(object: T): T {
    const kind = { apiVersion: this.#apiVersion, kind: this.#resource.kind };
    return this.#trap ? this.apply(object) : Object.assign(object, kind);
  }

  /** Not enumerable, so that copies, comparisons and JSON take no notice; those of the object itself are set anew. */
  #setTraps(out: object, object: JsonObject, tree: FieldTree): void {
    for (const field of Object.getOwnPropertyNames(object)) {
      if (tree.has(field) || NOT_TRAPPED.has(field)) continue;
      const message = `${field} of ${groupResource(this.#resource)} is read, but no consumer of the informer declared it`;
      Object.defineProperty(out, field, {
        get: () => {
          throw new Error(message);
        },
      });
    }
  }

  #metadata(metadata: JsonObject): JsonObject {
    const { managedFields: _dropped, ...kept } = metadata;
    const tree = this.#tree.get("metadata");
    const out: Record<string, Json> = this.#whole || tree === undefined ? kept : {};
    for (const [field, value] of Object.entries(kept)) {
      if (typeof value === "string" && UNIQUE.has(field)) out[field] = value;
      else if (this.#whole || tree === undefined) out[field] = this.#copy(value);
      else if (tree.has(field)) out[field] = this.#project(value, tree.get(field));
    }
    if (this.#trap && !this.#whole && tree !== undefined) this.#setTraps(out, metadata, tree);
    return out;
  }

  #project(value: Json, tree: FieldTree | undefined): Json {
    if (tree === undefined || typeof value !== "object" || value === null) return this.#copy(value);
    if (Array.isArray(value)) return value.map((item) => this.#project(item, tree));
    return this.#pick(value as JsonObject, tree);
  }

  #pick(object: JsonObject, tree: FieldTree): JsonObject {
    const out: Record<string, Json> = {};
    for (const [field, below] of tree) {
      const value = object[field];
      if (value !== undefined) out[field] = this.#project(value, below);
    }
    if (this.#trap) this.#setTraps(out, object, tree);
    return out;
  }

  #copy(value: Json): Json {
    if (typeof value === "string") return this.#interner.string(value);
    if (typeof value !== "object" || value === null) return value;
    return this.#interner.value(value, () => this.#copyParts(value));
  }

  #copyParts(value: object): object {
    if (Array.isArray(value)) return value.map((item) => this.#copy(item));
    // The spread keeps V8's layout of the parsed object, which one built field by field would not have.
    const out: Record<string, Json> = { ...value };
    for (const field of Object.keys(out)) out[field] = this.#copy(out[field]);
    return out;
  }
}

function segmentsOf(path: string): readonly string[] {
  const segments = [...path.matchAll(/\[([^\]]+)\]|([^.[\]]+)/g)].map((match) => match[1] ?? match[2] ?? "");
  if (segments.length === 0) throw new Error("the path of a field is empty");
  return segments;
}

function insert(tree: FieldTree, [first = "", ...rest]: readonly string[]): void {
  if (rest.length === 0) {
    tree.set(first, undefined);
    return;
  }
  if (tree.has(first) && tree.get(first) === undefined) return;
  const below = tree.get(first) ?? new Map<string, FieldTree | undefined>();
  tree.set(first, below);
  insert(below, rest);
}

function contains(tree: FieldTree, [first = "", ...rest]: readonly string[]): boolean {
  if (!tree.has(first)) return false;
  const below = tree.get(first);
  return below === undefined || (rest.length > 0 && contains(below, rest));
}

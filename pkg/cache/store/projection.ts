import { deepFreeze } from "../../api/freeze.ts";
import type { PartialObject } from "../../api/object.ts";
import type { WantedFields } from "../../api/protobuf/message-plan.ts";
import type { Projected } from "../../api/projected.ts";
import type { Resource } from "../../api/resource.ts";
import { apiVersionOf, groupResource } from "../../api/resource.ts";
import { AppliedFields } from "./applied-fields.ts";
import type { Interner } from "./interner.ts";

/**
 * What a consumer reads of the objects: all of it, or these fields. A path is dotted and passes through arrays
 * (`spec.containers.name`); the key of a map that has dots itself stands in brackets
 * (`metadata.annotations[example.com/key]`). apiVersion, kind and all metadata but the annotations are always there.
 */
export type Fields = "whole" | readonly string[];

/** What a consumer with these fields knows of the objects. */
export type Seen<T extends PartialObject, F extends Fields> = (
  F extends readonly string[] ? Projected<T, F> : T
) extends infer Object extends PartialObject
  ? Object
  : never;

/** Told of the path of a field that is read and was left out. */
export type Trap = (field: string) => never;

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
  readonly #trap: Trap | undefined;
  readonly #applied = new AppliedFields();
  #whole = false;
  #tree: FieldTree = new Map();
  #sealed = false;

  /** With a trap, for tests, reading a field that was left out springs it instead of giving undefined. */
  constructor(resource: Resource, interner: Interner, trap?: Trap) {
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

  /** What this manager has applied is kept of whole objects; not of a cache that has objects without it already. */
  keepApplied(manager: string): void {
    if (!this.#sealed) this.#applied.keep(manager);
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
  apply<T extends PartialObject>(object: T): T {
    const { apiVersion: _version, kind: _kind, metadata, ...rest } = object;
    const out = {
      apiVersion: this.#apiVersion,
      kind: this.#resource.kind,
      metadata: this.#metadata(metadata as JsonObject),
      ...(this.#whole ? this.#copyParts(rest) : this.#pick(rest, this.#tree)),
    };
    if (this.#whole) this.#applied.note(out, (metadata as JsonObject)["managedFields"]);
    else this.#setTraps(out, object as unknown as JsonObject, this.#tree);
    return out as unknown as T;
  }

  /** Narrows an object of the cache to what a consumer with these fields alone would have. The result is frozen. */
  narrow<T extends PartialObject>(object: T): T {
    return this.#whole ? object : deepFreeze(this.apply(object));
  }

  /** For an object that was decoded with what is `wanted`, for this cache alone. */
  adopt<T extends PartialObject>(object: T): T {
    const kind = { apiVersion: this.#apiVersion, kind: this.#resource.kind };
    return this.#trap === undefined ? Object.assign(object, kind) : this.apply(object);
  }

  /** Only traps ask for paths. */
  #below(path: string, field: string): string {
    return this.#trap === undefined ? "" : below(path, field);
  }

  /** Not enumerable, so that copies, comparisons and JSON take no notice; those of the object itself are set anew. */
  #setTraps(out: object, object: JsonObject, tree: FieldTree, path = ""): void {
    const trap = this.#trap;
    if (trap === undefined) return;
    for (const field of Object.getOwnPropertyNames(object)) {
      if (tree.has(field) || NOT_TRAPPED.has(field)) continue;
      Object.defineProperty(out, field, { get: () => trap(below(path, field)) });
    }
  }

  #metadata(metadata: JsonObject): JsonObject {
    const { managedFields: _dropped, ...kept } = metadata;
    const tree = this.#tree.get("metadata");
    const out: Record<string, Json> = this.#whole || tree === undefined ? kept : {};
    for (const [field, value] of Object.entries(kept)) {
      if (typeof value === "string" && UNIQUE.has(field)) out[field] = value;
      else if (this.#whole || tree === undefined) out[field] = this.#copy(value);
      else if (tree.has(field))
        out[field] = this.#project(value, tree.get(field), this.#below("metadata", field));
    }
    if (!this.#whole && tree !== undefined) this.#setTraps(out, metadata, tree, "metadata");
    return out;
  }

  #project(value: Json, tree: FieldTree | undefined, path: string): Json {
    if (tree === undefined || typeof value !== "object" || value === null) return this.#copy(value);
    if (Array.isArray(value)) return value.map((item) => this.#project(item, tree, path));
    return this.#pick(value as JsonObject, tree, path);
  }

  #pick(object: JsonObject, tree: FieldTree, path = ""): JsonObject {
    const out: Record<string, Json> = {};
    for (const [field, fields] of tree) {
      const value = object[field];
      if (value === undefined) continue;
      out[field] = this.#project(value, fields, this.#below(path, field));
    }
    this.#setTraps(out, object, tree, path);
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

/** The inverse of segmentsOf, for one segment. */
function below(path: string, field: string): string {
  if (field.includes(".")) return `${path}[${field}]`;
  return path === "" ? field : `${path}.${field}`;
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
  const fields = tree.get(first) ?? new Map<string, FieldTree | undefined>();
  tree.set(first, fields);
  insert(fields, rest);
}

function contains(tree: FieldTree, [first = "", ...rest]: readonly string[]): boolean {
  if (!tree.has(first)) return false;
  const fields = tree.get(first);
  return fields === undefined || (rest.length > 0 && contains(fields, rest));
}

import type { ApiObject } from "../../pkg/api/object.ts";
import { setKey } from "../../pkg/api/patch/json.ts";
import { apiVersionOf, type Resource } from "../../pkg/api/resource.ts";
import {
  type Definition,
  definition,
  definitionOf,
  type Field,
  type FieldType,
} from "../../pkg/api/schema.ts";
import { MINIMAL_OBJECTS } from "../integration/minimal-objects.ts";

type Json = Record<string, unknown>;

/** An object of a built-in kind of which one field is very long. */
export interface FieldShape {
  /** `pods spec.containers[].env` */
  readonly name: string;
  readonly resource: Resource;
  object(bytes: number): Json & { readonly metadata: Json };
}

interface Visit {
  readonly type: Definition;
  readonly path: readonly string[];
}

const MOST_STEPS = 9;
const MOST_ENTRIES = 60_000;

/**
 * Every field of every built-in kind that can be long: lists, maps, and free JSON. What several kinds share, as they do
 * the template of pods, is taken once.
 */
export function fieldShapes(): readonly FieldShape[] {
  const seen = new Set<string>();
  const shapes: FieldShape[] = [];
  for (const [resource, minimal] of MINIMAL_OBJECTS) {
    const root = definitionOf(apiVersionOf(resource), resource.kind);
    if (root === undefined) throw new Error(`there is no definition of ${resource.kind}`);
    const waiting: Visit[] = [{ type: root, path: [] }];
    for (let visit = waiting.shift(); visit !== undefined; visit = waiting.shift()) {
      for (const field of visit.type.fields.values()) {
        const key = `${visit.type.name} ${field.name}`;
        if (seen.has(key) || visit.path.length > MOST_STEPS) continue;
        seen.add(key);
        const path = [...visit.path, field.name];
        if (isLong(field.type)) {
          const name = `${resource.plural} ${path.join(".")}`;
          const object: FieldShape["object"] = (bytes) => longObject(minimal, { root, path }, bytes);
          shapes.push({ name, resource, object });
        }
        const inner = definitionIn(field.type);
        if (inner !== undefined) waiting.push({ type: definition(inner), path });
      }
    }
  }
  return shapes;
}

function isLong({ kind }: FieldType): boolean {
  return kind === "list" || kind === "map" || kind === "object" || kind === "any";
}

function definitionIn(type: FieldType): string | undefined {
  if (type.kind === "ref") return type.definition;
  if (type.kind === "list") return definitionIn(type.items);
  return type.kind === "map" ? definitionIn(type.values) : undefined;
}

function longObject(
  minimal: ApiObject,
  { root, path }: { readonly root: Definition; readonly path: readonly string[] },
  bytes: number,
): Json & { readonly metadata: Json } {
  const object = structuredClone(minimal) as unknown as Json & { readonly metadata: Json };
  let [at, type]: [Json, Definition] = [object, root];
  for (const [index, name] of path.entries()) {
    const field = fieldOf(type, name);
    if (index === path.length - 1) {
      at[name] = longValue(field, bytes);
      break;
    }
    const inner = definitionIn(field.type);
    if (inner === undefined) throw new Error(`${name} holds nothing`);
    type = definition(inner);
    at = memberOf(at, field);
  }
  return object;
}

function fieldOf(type: Definition, name: string): Field {
  const field = type.fields.get(name);
  if (field === undefined) throw new Error(`${type.name} has no field ${name}`);
  return field;
}

/** The object at a field, or the first one in there; made if there is none. */
function memberOf(object: Json, { name, type }: Field): Json {
  object[name] ??= valueOf(type, 0);
  const value = object[name] as Json | Json[] | Record<string, Json>;
  if (Array.isArray(value)) return (value[0] ??= {});
  if (type.kind !== "map") return value;
  return Object.values(value)[0] as Json;
}

function longValue({ type, patchMergeKey, listMapKeys }: Field, bytes: number): unknown {
  if (type.kind === "list") {
    const { items } = type;
    const keys = [...listMapKeys, ...(patchMergeKey === undefined ? [] : [patchMergeKey])];
    const entry = (at: number): unknown => {
      const value = valueOf(items, at);
      if (items.kind !== "ref") return value;
      const owner = definition(items.definition);
      const named = keys.map((key) => [key, valueOf(fieldOf(owner, key).type, at)]);
      return { ...(value as Json), ...Object.fromEntries(named) };
    };
    return Array.from({ length: countFor(entry(0), bytes) }, (_, at) => entry(at));
  }
  const entry = (at: number): unknown => (type.kind === "map" ? valueOf(type.values, at) : "x");
  const value: Json = {};
  const count = countFor({ [nameOf(1)]: entry(0) }, bytes);
  for (let at = 0; at < count; at++) setKey(value, nameOf(at), entry(at));
  return value;
}

function countFor(entry: unknown, bytes: number): number {
  return Math.min(MOST_ENTRIES, Math.ceil(bytes / (JSON.stringify(entry).length + 1)));
}

function nameOf(at: number): string {
  return `n${String(at).padStart(6, "0")}`;
}

/** What an object must have, and nothing else: short entries make long lists. */
function valueOf(type: FieldType, at: number): unknown {
  switch (type.kind) {
    case "ref": {
      const fields = [...definition(type.definition).fields.values()].filter(({ required }) => required);
      return Object.fromEntries(fields.map((field) => [field.name, valueOf(field.type, at)]));
    }
    case "list":
      return [valueOf(type.items, at)];
    case "map":
      return { [nameOf(at)]: valueOf(type.values, at) };
    case "enum":
      return type.values[0];
    case "boolean":
      return true;
    case "bytes":
      return "eA==";
    case "int32":
    case "int64":
    case "number":
    case "intOrString":
      return (at % 60_000) + 1;
    case "time":
    case "microTime":
      return "2026-01-01T00:00:00Z";
    case "quantity":
      return "1";
    case "any":
    case "object":
      return {};
    case "string":
    default:
      return nameOf(at);
  }
}

import { isJson } from "../api/json.ts";
import type { ApiObject } from "../api/object.ts";
import { UnknownKindError } from "./kinds.ts";
import { definition, definitionOf, type FieldType } from "../api/schema.ts";

/**
 * The model of @kubernetes/client-node for an object of a built-in kind, whose API classes take it: `modelOf(V1Pod, pod)`.
 * Times become Dates, and fields get the names that they have there. The object has to have its apiVersion and kind.
 */
export function modelOf<Model extends object>(model: new () => Model, object: ApiObject): Model {
  const { apiVersion = "", kind = "" } = object;
  const found = definitionOf(apiVersion, kind);
  if (found === undefined) throw new UnknownKindError(apiVersion, kind);
  return Object.assign(new model(), modelValue(object, { kind: "ref", definition: found.name }));
}

function modelValue(value: unknown, type: FieldType): unknown {
  if (type.kind === "time") return typeof value === "string" ? new Date(value) : value;
  if (type.kind === "microTime") return typeof value === "string" ? new MicroTime(value) : value;
  if (type.kind === "list")
    return Array.isArray(value) ? value.map((item) => modelValue(item, type.items)) : value;
  if (!isJson(value)) return value;
  if (type.kind === "map") {
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, modelValue(each, type.values)]),
    );
  }
  if (type.kind !== "ref") return value;
  const { fields } = definition(type.definition);
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      const field = fields.get(name);
      return field === undefined ? [name, each] : [modelName(name), modelValue(each, field.type)];
    }),
  );
}

/** A Date has milliseconds only, and API servers want what they have written. */
class MicroTime extends Date {
  readonly #text: string;

  constructor(text: string) {
    super(text);
    this.#text = text;
  }

  override toISOString(): string {
    return this.#text;
  }
}

/** Words of JavaScript, and what cannot be a name in it. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["$ref", "ref"],
  ["$schema", "schema"],
  ["continue", "_continue"],
  ["default", "_default"],
  ["enum", "_enum"],
  ["from", "_from"],
  ["int", "_int"],
]);

function modelName(name: string): string {
  return name.startsWith("x-kubernetes-") ? name.replaceAll("-", "_") : (NAMES.get(name) ?? name);
}

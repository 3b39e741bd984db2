import { child, isJson, type Json } from "../api/json.ts";
import { copyJson } from "../api/json-copy.ts";
import type { JSONSchemaProps } from "../api/types/apiextensions-v1.gen.ts";
import { applyDefaults } from "../apiserver/crd/default-values.ts";
import type { CrdProblem } from "./crd-error.ts";
import { FORMS, FORMS_OF_CONDITIONS } from "./schema-forms.ts";

/** What definitions have no place for, and what says nothing of the values. */
const SAYS_NOTHING: ReadonlySet<string> = new Set([
  "$schema",
  "$id",
  "$anchor",
  "$comment",
  "$defs",
  "definitions",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "contentEncoding",
  "contentMediaType",
  "~standard",
]);

const TAKEN_AS_THEY_ARE: ReadonlySet<string> = new Set([
  "type",
  "title",
  "description",
  "format",
  "default",
  "example",
  "externalDocs",
  "nullable",
  "enum",
  "required",
  "minProperties",
  "maxProperties",
  "minItems",
  "maxItems",
  "uniqueItems",
  "pattern",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "x-kubernetes-validations",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-embedded-resource",
  "x-kubernetes-int-or-string",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
]);

const LISTS_OF_SCHEMAS = ["allOf", "anyOf", "oneOf"] as const;
const ANYTHING: Json = { "x-kubernetes-preserve-unknown-fields": true };
const MOST_LEVELS = 100;

/**
 * The schema in the form that definitions have: JSON Schema's other ways of saying the same are replaced, and references
 * are followed. What has no such form becomes a problem at its place.
 */
export function structuralSchema(source: Json, place: string, problems: CrdProblem[]): JSONSchemaProps {
  return new Reader(source, problems).schema(source, { place, refs: [], isCondition: false, depth: 0 });
}

interface Where {
  readonly place: string;
  readonly depth: number;
  /** The references that have led here. */
  readonly refs: readonly string[];
  /** Whether it only judges what another schema describes: then it has no types of its own. */
  readonly isCondition: boolean;
}

class Reader {
  readonly #root: Json;
  readonly #problems: CrdProblem[];

  constructor(root: Json, problems: CrdProblem[]) {
    this.#root = root;
    this.#problems = problems;
  }

  schema(given: unknown, where: Where): JSONSchemaProps {
    if (given === true) return ANYTHING;
    if (!isJson(given)) return this.#refuse(where, "a schema must be an object");
    if (where.depth > MOST_LEVELS) return this.#refuse(where, "the schema is too deep");
    const plain = this.#simplified(given, where);
    const { $ref, ...beside } = plain;
    if ($ref !== undefined) return this.#follow($ref, beside, where);
    const made: Json = {};
    for (const [keyword, value] of Object.entries(plain)) {
      if (value === undefined || SAYS_NOTHING.has(keyword)) continue;
      if (TAKEN_AS_THEY_ARE.has(keyword)) made[keyword] = value;
      else if (keyword === "properties") made[keyword] = this.#properties(value, where);
      else if (keyword === "items") made[keyword] = this.schema(value, below(where, "[]"));
      else if (keyword === "additionalProperties") made[keyword] = this.#values(value, where);
      else if (keyword === "not") made[keyword] = this.#condition(value, where, keyword);
      else if (LISTS_OF_SCHEMAS.some((each) => each === keyword) && Array.isArray(value))
        made[keyword] = value.map((each, index) => this.#condition(each, where, `${keyword}[${index}]`));
      else this.#refuse(where, `${keyword} has no counterpart in the schema of a definition`);
    }
    return Object.keys(made).length === 0 && !where.isCondition ? ANYTHING : made;
  }

  #refuse({ place }: Where, message: string): JSONSchemaProps {
    this.#problems.push({ place, message });
    return ANYTHING;
  }

  #simplified(given: Json, { place, isCondition }: Where): Json {
    let schema = given;
    for (const form of isCondition ? FORMS_OF_CONDITIONS : FORMS) {
      const next = form(schema);
      if (typeof next !== "string") schema = next;
      else this.#problems.push({ place, message: next });
    }
    return schema;
  }

  #properties(value: unknown, where: Where): Json {
    if (!isJson(value)) return { ...this.#refuse(where, "properties must be an object") };
    return Object.fromEntries(
      Object.entries(value).map(([name, schema]) => [name, this.schema(schema, below(where, `.${name}`))]),
    );
  }

  #values(value: unknown, where: Where): unknown {
    return typeof value === "boolean" ? value : this.schema(value, below(where, "{}"));
  }

  #condition(value: unknown, where: Where, step: string): unknown {
    return this.schema(value, { ...below(where, `.${step}`), isCondition: true });
  }

  #follow($ref: unknown, beside: Json, where: Where): JSONSchemaProps {
    if (typeof $ref !== "string" || !$ref.startsWith("#/"))
      return this.#refuse(where, `$ref can only lead to a place in the same schema: ${JSON.stringify($ref)}`);
    if (where.refs.includes($ref))
      return this.#refuse(
        where,
        `${$ref} contains itself, which definitions cannot say: use x-kubernetes-preserve-unknown-fields`,
      );
    const steps = $ref.slice(2).split("/");
    let target: unknown = this.#root;
    for (const step of steps) {
      const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
      target = isJson(target) && Object.hasOwn(target, key) ? target[key] : undefined;
    }
    if (!isJson(target)) return this.#refuse(where, `${$ref} leads nowhere`);
    return this.schema({ ...target, ...beside }, { ...where, refs: [...where.refs, $ref] });
  }
}

function below(where: Where, step: string): Where {
  return { ...where, place: where.place + step, depth: where.depth + 1 };
}

/** The names of the fields that must be given and that nothing fills in. */
export function neededFields({ required, properties = {} }: JSONSchemaProps): readonly string[] {
  return (required ?? []).filter((name) => properties[name]?.default === undefined);
}

/**
 * The schema with every default as it is once the defaults within it are filled in: it must hold by itself, to its rules as
 * well. What the server makes of objects is the same.
 */
export function withWholeDefaults(schema: JSONSchemaProps): JSONSchemaProps {
  const made = copyJson(schema) as Json;
  complete(made);
  return made;
}

function complete(schema: Json): void {
  const given = schema["default"];
  if (typeof given === "object" && given !== null) applyDefaults(schema, { properties: { default: schema } });
  const { items, additionalProperties } = schema;
  for (const inner of [...Object.values(child(schema, "properties") ?? {}), items, additionalProperties])
    if (isJson(inner)) complete(inner);
}

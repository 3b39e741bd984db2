import { type Int64, isInt64 } from "../../api/int64.ts";
import { isJson, type Json } from "../../api/json.ts";
import { isList, jsonEqual } from "../../api/patch/json.ts";
import { inOneGo, STEP, type Steps } from "../../api/steps.ts";
import type { FieldError } from "../kinds/kind.ts";
import { Checks, itemIdentity } from "./checks.ts";
import { checkFormat } from "./formats.ts";
import { elementSchema, type OpenApiSchema, propertySchema } from "../../cel/schemas/open-api-schema.ts";
import { Place } from "./place.ts";
import { readPattern, PatternError } from "../../api/pattern.ts";
import { checkAllOf, checkAnyOf, checkOneOf } from "./schema-logic.ts";
import { meant, type Reading, spelled } from "./schema-reading.ts";
import { validateNumber } from "./validate-number.ts";
import { ValueErrors } from "./value-errors.ts";

/** To try a schema costs about as much as so many checks. */
const attemptCost = 8;

interface Options {
  /** The path of the value; "" for a whole object. */
  readonly prefix?: string;
  /** The value that this one replaces: what is wrong with it may stay. */
  readonly before?: unknown;
  /** Defaults are held to types and formats as the schema spells them, whatever these mean for objects. */
  readonly asSpelled?: boolean;
}

/** What is wrong with a value by its schema, in the words of the API server. */
export function* validateValue(
  value: unknown,
  schema: OpenApiSchema | undefined,
  { prefix = "", before, asSpelled = false }: Options = {},
): Steps<readonly FieldError[]> {
  if (schema === undefined) return [];
  const errors = new ValueErrors(prefix);
  const checks = new Checks();
  const validation = new Validation(checks, asSpelled ? spelled : meant);
  yield* validation.validate(value, schema, Place.root(before), errors);
  if (checks.exhausted) errors.root("takes too many checks to be validated");
  return errors.placed();
}

class Validation {
  readonly #checks: Checks;
  readonly #reading: Reading;

  constructor(checks: Checks, reading: Reading) {
    this.#checks = checks;
    this.#reading = reading;
  }

  *validate(value: unknown, schema: OpenApiSchema, place: Place, errors: ValueErrors): Steps<void> {
    if (!hasParts(value)) {
      this.#validatePlain(value, schema, place, errors);
      return;
    }
    if (!this.#checks.spend(1) || errors.full) return;
    const found = errors.list.length;
    yield* this.#checkParts(value, schema, place, errors);
    forgive(found, value, place, errors);
  }

  /** Of which there may be so many that a walk for each would take its time. */
  #validatePlain(value: unknown, schema: OpenApiSchema, place: Place, errors: ValueErrors): void {
    if (!this.#checks.spend(1) || errors.full) return;
    const found = errors.list.length;
    this.#checkPlain(value, schema, place, errors);
    forgive(found, value, place, errors);
  }

  #check(value: unknown, schema: OpenApiSchema, place: Place, errors: ValueErrors): void {
    if (hasParts(value)) inOneGo(this.#checkParts(value, schema, place, errors));
    else this.#checkPlain(value, schema, place, errors);
  }

  #checkPlain(value: unknown, schema: OpenApiSchema, place: Place, errors: ValueErrors): void {
    this.#checkType(value, schema, place, errors);
    if (value === null) {
      this.#checkEnum(value, schema, place, errors);
      return;
    }
    this.#checkCombinations(value, schema, place, errors);
    if (isNumber(value)) {
      validateNumber(value, schema, place, errors);
      errors.matches++;
    } else if (typeof value === "string") {
      this.#checkText(value, schema, place, errors);
    }
    this.#checkEnum(value, schema, place, errors);
    errors.matches += 4;
  }

  *#checkParts(
    value: Json | readonly unknown[],
    schema: OpenApiSchema,
    place: Place,
    errors: ValueErrors,
  ): Steps<void> {
    this.#checkType(value, schema, place, errors);
    this.#checkCombinations(value, schema, place, errors);
    if (isList(value)) {
      yield* this.#checkList(value, schema, place, errors);
      errors.matches++;
    }
    this.#checkEnum(value, schema, place, errors);
    if (isJson(value)) yield* this.#checkObject(value, schema, place, errors);
    errors.matches += 4;
  }

  #checkType(value: unknown, schema: OpenApiSchema, place: Place, errors: ValueErrors): void {
    const types = this.#reading.types(schema);
    const format = this.#reading.format(schema);
    if (types.length === 0 && format === undefined) return;
    if (value === null) {
      if (types.length > 0 && schema.nullable !== true) errors.wrongType(place.path, "null", types.join(","));
      return;
    }
    const actual = typeName(value);
    const isNumeric = types.includes("number") || types.includes("integer");
    const fits = types.includes(actual) || (actual === "integer" && types.includes("number"));
    const hasText = actual === "string" || actual === "array";
    // What has a format is judged by the format alone, if it is a text.
    if (format !== undefined && !isNumeric && hasText) errors.matches++;
    else if (fits) errors.matches++;
    else if (format !== undefined && !hasText)
      errors.wrongType(place.path, goFormat(actual), schema.format ?? "");
    else errors.wrongType(place.path, actual, types.join(","));
  }

  #checkEnum(value: unknown, schema: OpenApiSchema, place: Place, errors: ValueErrors): void {
    if (schema.enum === undefined || schema.enum.length === 0) return;
    this.#checks.spend(typeof value === "object" ? schema.enum.length : 1);
    if (value !== null && this.#checks.isOneOf(value, schema.enum)) return;
    errors.notSupported(
      place.path,
      value,
      schema.enum.map((one) => (typeof one === "string" ? one : JSON.stringify(one))),
    );
  }

  #checkText(value: string, schema: OpenApiSchema, place: Place, errors: ValueErrors): void {
    const format = this.#reading.format(schema);
    this.#checkLimits(value, schema, place, errors);
    if (format !== undefined && !checkFormat(format, value))
      errors.wrongType(place.path, value, schema.format ?? "");
  }

  /** The first limit that is passed is the one to be told of. */
  #checkLimits(value: string, schema: OpenApiSchema, place: Place, errors: ValueErrors): void {
    const { maxLength, minLength, pattern } = schema;
    if (maxLength !== undefined || minLength !== undefined) {
      this.#checks.spend(value.length >> 6);
      const length = characters(value);
      if (maxLength !== undefined && length > maxLength) return errors.tooLong(place.path, maxLength);
      if (minLength !== undefined && length < minLength)
        return errors.body(place.path, value, `should be at least ${minLength} chars long`);
    }
    if (pattern === undefined || pattern === "") return;
    const read = readPattern(pattern);
    if (read instanceof PatternError)
      errors.body(place.path, value, `should match '${pattern}, but pattern is invalid: ${read.message}'`);
    else if (!this.#checks.spendOnMatch(value, read))
      errors.body(place.path, "", `is too long to be matched with '${pattern}'`);
    else if (!read.matches(value)) errors.body(place.path, value, `should match '${pattern}'`);
  }

  *#checkList(
    value: readonly unknown[],
    schema: OpenApiSchema,
    place: Place,
    errors: ValueErrors,
  ): Steps<void> {
    const { items, minItems, maxItems } = schema;
    if (items !== undefined) {
      const before = yield* oldItems(schema, place.before);
      for (const [index, item] of value.entries()) {
        if (index % STEP === STEP - 1) yield;
        const below = place.item(index, before?.(item));
        if (hasParts(item)) yield* this.validate(item, items, below, errors);
        else this.#validatePlain(item, items, below, errors);
      }
    }
    if (minItems !== undefined && value.length < minItems)
      errors.body(place.path, value.length, `should have at least ${minItems} items`);
    if (maxItems !== undefined && value.length > maxItems) errors.tooMany(place.path, value.length, maxItems);
    if (schema.uniqueItems === true && this.#checks.hasDuplicates(value))
      errors.body(place.path, "", "shouldn't contain duplicates");
  }

  *#checkObject(value: Json, schema: OpenApiSchema, place: Place, errors: ValueErrors): Steps<void> {
    const keys = Object.keys(value);
    const { minProperties, maxProperties, additionalProperties } = schema;
    if (minProperties !== undefined && keys.length < minProperties)
      errors.body(place.path, keys.length, `should have at least ${minProperties} properties`);
    if (maxProperties !== undefined && keys.length > maxProperties)
      errors.tooMany(place.path, keys.length, maxProperties);
    const old = isJson(place.before) ? place.before : undefined;
    for (const [index, key] of keys.entries()) {
      if (index % STEP === STEP - 1) yield;
      const property = propertySchema(schema, key) ?? elementSchema(schema);
      if (property !== undefined) {
        const same = place.isRoot && isTypeMeta(key) ? undefined : old?.[key];
        const [member, below] = [value[key], place.field(key, same)];
        if (hasParts(member)) yield* this.validate(member, property, below, errors);
        else this.#validatePlain(member, property, below, errors);
      } else if (additionalProperties === false)
        errors.invalid(place.path, key, `${place.path}.${key} in body is a forbidden property`);
    }
    for (const name of schema.required ?? [])
      if (!Object.hasOwn(value, name) || value[name] === undefined) errors.required(place.field(name).path);
  }

  #checkCombinations(value: unknown, schema: OpenApiSchema, place: Place, errors: ValueErrors): void {
    const attempt = (one: OpenApiSchema): ValueErrors => {
      const found = errors.apart();
      // Only fields within the value may stay wrong: the logic itself holds for what is new.
      if (this.#checks.spend(attemptCost)) this.#check(value, one, place, found);
      return found;
    };
    const say = (problem: string): void => errors.root(`${JSON.stringify(place.path)} ${problem}`);
    if (schema.anyOf !== undefined && schema.anyOf.length > 0) checkAnyOf(schema.anyOf, attempt, say, errors);
    if (schema.oneOf !== undefined && schema.oneOf.length > 0) checkOneOf(schema.oneOf, attempt, say, errors);
    if (schema.allOf !== undefined && schema.allOf.length > 0) checkAllOf(schema.allOf, attempt, say, errors);
    if (schema.not !== undefined && attempt(schema.not).list.length === 0)
      say("must not validate the schema (not)");
    errors.matches++;
  }
}

/** What stays as it was may stay wrong. */
function forgive(found: number, value: unknown, place: Place, errors: ValueErrors): void {
  if (errors.list.length > found && place.before !== undefined && jsonEqual(value, place.before))
    errors.forgetAfter(found);
}

function hasParts(value: unknown): value is Json | readonly unknown[] {
  return typeof value === "object" && value !== null;
}

/** The format that Go's own types of values have. */
function goFormat(type: string): string {
  if (type === "integer") return "int64";
  return type === "number" ? "float64" : "";
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (isNumber(value)) return isInt64(value) ? "integer" : "number";
  return typeof value;
}

function isNumber(value: unknown): value is Int64 {
  return typeof value === "number" || typeof value === "bigint";
}

/** Of code points, without a copy of the text. */
function characters(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    const high = text.charCodeAt(at);
    if (high < 0xd800 || high > 0xdbff) continue;
    const low = text.charCodeAt(at + 1);
    if (low >= 0xdc00 && low <= 0xdfff) {
      count--;
      at++;
    }
  }
  return count;
}

/** How an item of a list is found in the list before: only those of maps have names. */
function* oldItems(schema: OpenApiSchema, before: unknown): Steps<((item: unknown) => unknown) | undefined> {
  if (!isList(before) || schema["x-kubernetes-list-type"] !== "map") return undefined;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const byName = new Map<unknown, unknown>();
  for (const [index, item] of before.entries()) {
    if (index % STEP === STEP - 1) yield;
    byName.set(itemIdentity(item, keys), item);
  }
  return (item) => byName.get(itemIdentity(item, keys));
}

function isTypeMeta(key: string): boolean {
  return key === "kind" || key === "apiVersion";
}

import type { Int64 } from "../../api/int64.ts";
import { isJson } from "../../api/json.ts";
import type { GoType } from "../../api/go-types.ts";
import type { DecodingProblems, Place } from "../../api/wire-form.ts";
import type { WrittenNumbers } from "./json-scanner.ts";
import { pathText } from "./path-text.ts";

/** Go's decoder counts no more fields that are unknown. */
const mostUnknown = 100;

/**
 * What Go's JSON decoder says of an object. A value that a type refuses for itself (times, amounts) ends the decoding;
 * of others, the first is remembered, and reported in the end. upstream: sigs.k8s.io/json, decode.go
 */
export class JsonProblems implements DecodingProblems {
  /** Paths of the fields that the type does not have. */
  readonly unknown: string[] = [];
  readonly #numbers: WrittenNumbers | undefined;
  #remembered: string | undefined;
  #final: string | undefined;

  constructor(numbers?: WrittenNumbers) {
    this.#numbers = numbers;
  }

  get problem(): string | undefined {
    return this.#final ?? this.#remembered;
  }

  unknownField({ root, path }: Place, name: string): void {
    if (this.unknown.length < mostUnknown) this.unknown.push(pathText([...root, ...path, name]));
  }

  misfit(place: Place, value: unknown, type: GoType, detail?: string): void {
    if (this.#final !== undefined) return;
    const problem = detail ?? unfitting(place, jsonKind(value, type, this.written(place)), type);
    if (readsItself.has(type.kind)) this.#final = problem;
    else this.#remembered ??= problem;
  }

  written({ root, path }: Place): string | undefined {
    return this.#numbers?.get(pathText([...root, ...path]));
  }
}

const readsItself: ReadonlySet<GoType["kind"]> = new Set([
  "duration",
  "intOrString",
  "microTime",
  "quantity",
  "time",
]);

function unfitting({ root, fields, owner }: Place, given: string, type: GoType): string {
  const field = [...root, ...fields.map((one) => one.path)].join(".");
  return `json: cannot unmarshal ${given} into Go struct field ${owner.shortName}.${field} of type ${targetOf(type)}`;
}

/** Types that read themselves ask for their basic type. */
function targetOf(type: GoType): string {
  if (type.kind === "intOrString") return "int32";
  return readsItself.has(type.kind) ? "string" : type.go;
}

const namesNumber: ReadonlySet<GoType["kind"]> = new Set(["float64", "int32", "int64", "intOrString"]);

function jsonKind(value: unknown, type: GoType, written: string | undefined): string {
  if (Array.isArray(value)) return "array";
  if (isJson(value)) return "object";
  if (typeof value === "boolean") return "bool";
  if (!isNumber(value)) return "string";
  if (!namesNumber.has(type.kind)) return "number";
  if (written !== undefined) return `number ${written}`;
  // From here on, numbers are written with an exponent.
  const hasDigits = typeof value === "bigint" || (Number.isInteger(value) && Math.abs(value) < 1e21);
  return `number ${hasDigits ? BigInt(value) : value}`;
}

function isNumber(value: unknown): value is Int64 {
  return typeof value === "number" || typeof value === "bigint";
}

import type { Int64 } from "../../api/int64.ts";
import { isJson } from "../../api/json.ts";
import type { GoType } from "../../api/go-types.ts";
import type { DecodingProblems, Place } from "../../api/wire-form.ts";

/** Go's decoder counts no more fields that are unknown. */
const mostUnknown = 100;

/**
 * What Go's JSON decoder says of an object. A value that a type refuses for itself (times, amounts) ends the decoding;
 * of others, the first is remembered, and reported in the end. upstream: sigs.k8s.io/json, decode.go
 */
export class JsonProblems implements DecodingProblems {
  /** Paths of the fields that the type does not have. */
  readonly unknown: string[] = [];
  #remembered: string | undefined;
  #final: string | undefined;

  get problem(): string | undefined {
    return this.#final ?? this.#remembered;
  }

  unknownField({ root, path }: Place, name: string): void {
    if (this.unknown.length < mostUnknown) this.unknown.push(pathText([...root, ...path, name]));
  }

  misfit(place: Place, value: unknown, type: GoType, detail?: string): void {
    if (this.#final !== undefined) return;
    const problem = detail ?? unfitting(place, value, type);
    if (readsItself.has(type.kind)) this.#final = problem;
    else this.#remembered ??= problem;
  }
}

const readsItself: ReadonlySet<GoType["kind"]> = new Set([
  "duration",
  "intOrString",
  "microTime",
  "quantity",
  "time",
]);

/** `spec.containers[0].resources.limits.cpu` */
function pathText(path: readonly (string | number)[]): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else text += text === "" ? part : `.${part}`;
  }
  return text;
}

function unfitting({ root, fields, owner }: Place, value: unknown, type: GoType): string {
  const field = [...root, ...fields.map((one) => one.path)].join(".");
  return `json: cannot unmarshal ${jsonKind(value, type)} into Go struct field ${owner.shortName}.${field} of type ${targetOf(type)}`;
}

/** Types that read themselves ask for their basic type. */
function targetOf(type: GoType): string {
  if (type.kind === "intOrString") return "int32";
  return readsItself.has(type.kind) ? "string" : type.go;
}

const namesNumber: ReadonlySet<GoType["kind"]> = new Set(["float64", "int32", "int64", "intOrString"]);

function jsonKind(value: unknown, type: GoType): string {
  if (Array.isArray(value)) return "array";
  if (isJson(value)) return "object";
  if (typeof value === "boolean") return "bool";
  if (!isNumber(value)) return "string";
  if (!namesNumber.has(type.kind)) return "number";
  // From here on, numbers are written with an exponent.
  const hasDigits = typeof value === "bigint" || (Number.isInteger(value) && Math.abs(value) < 1e21);
  return `number ${hasDigits ? BigInt(value) : value}`;
}

function isNumber(value: unknown): value is Int64 {
  return typeof value === "number" || typeof value === "bigint";
}

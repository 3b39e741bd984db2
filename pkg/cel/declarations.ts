import { inOneGo, type Steps } from "../api/steps.ts";
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  paramOf,
  stringType,
  structType,
  timestampType,
  type Type,
  typeOfType,
  typeParam,
  uintType,
} from "./types.ts";
import type { Value } from "./values.ts";

export interface Overload {
  /** What cost estimates go by. */
  readonly id: string;
  readonly member: boolean;
  /** With the target first, if it is a member. */
  readonly args: readonly Type[];
  readonly result: Type;
  /** Names of type parameters in it. */
  readonly typeParams: readonly string[];
  /** Absent where the evaluator itself knows what to do. */
  readonly call: Implementation | undefined;
  /** The same with pauses, of what may take long with few arguments. */
  readonly inSteps?: ImplementationInSteps;
}

export type Implementation = (...args: readonly Value[]) => Value;
export type ImplementationInSteps = (...args: readonly Value[]) => Steps<Value>;

export interface FunctionOverload extends Overload {
  readonly name: string;
}

const simpleTypes: Readonly<Record<string, Type>> = {
  bool: boolType,
  bytes: bytesType,
  double: doubleType,
  duration: durationType,
  dyn: dynType,
  int: intType,
  null: nullType,
  string: stringType,
  timestamp: timestampType,
  uint: uintType,
};

const signaturePattern =
  /^(?:\((?<target>.+?)\)\.(?=@?[a-zA-Z]+\())?(?<name>[^()]+)\((?<args>.*)\): (?<result>.+)$/;

/**
 * Declares an overload: "size(string): int", or of a method "(string).size(): int". A capital letter is a type parameter,
 * a name with a dot an object type.
 */
export function overload(id: string, signature: string, call?: Implementation): FunctionOverload {
  const groups = signaturePattern.exec(signature)?.groups;
  if (groups === undefined) throw new Error(`${signature} is no signature`);
  const { target } = groups;
  const args = [...(target === undefined ? [] : [parseType(target)]), ...splitTypes(groups["args"] ?? "")];
  const result = parseType(groups["result"] ?? "");
  const typeParams = [...new Set([...args, result].flatMap(namesOfParams))];
  return { name: groups["name"] ?? "", id, member: target !== undefined, args, result, typeParams, call };
}

/** Declares one that pauses. */
export function overloadInSteps(
  id: string,
  signature: string,
  inSteps: ImplementationInSteps,
): FunctionOverload {
  return { ...overload(id, signature, (...args) => inOneGo(inSteps(...args))), inSteps };
}

function namesOfParams({ kind, name, params }: Type): readonly string[] {
  return kind === "typeParam" ? [name] : params.flatMap(namesOfParams);
}

export function parseType(text: string): Type {
  const simple = simpleTypes[text];
  if (simple !== undefined) return simple;
  if (/^[A-Z]$/.test(text)) return typeParam(text);
  const generic = /^(?<name>list|map|optional|type)\((?<params>.*)\)$/.exec(text)?.groups;
  if (generic === undefined) return opaqueTypes.get(text) ?? structType(text);
  const params = splitTypes(generic["params"] ?? "");
  const whole: Type = { kind: "list", name: text, params };
  const first = paramOf(whole, 0);
  if (generic["name"] === "list") return listType(first);
  if (generic["name"] === "map") return mapType(first, paramOf(whole, 1));
  return generic["name"] === "optional" ? optionalType(first) : typeOfType(first);
}

/** Types of libraries that are opaque, and not structs without fields as the others are. */
export const opaqueTypes: ReadonlyMap<string, Type> = new Map(
  ["net.IP", "net.CIDR"].map((name) => [name, { kind: "opaque", name, params: [] }]),
);

/** Splits at the commas that no parenthesis holds. */
function splitTypes(text: string): readonly Type[] {
  if (text === "") return [];
  const parts: string[] = [""];
  let depth = 0;
  for (const letter of text) {
    if (letter === "(") depth++;
    if (letter === ")") depth--;
    if (letter === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += letter;
  }
  return parts.map((part) => parseType(part.trim()));
}

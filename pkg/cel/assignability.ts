// Which types may stand where others are wanted, and what type parameters stand for meanwhile.

import { dynType, isDyn, isDynOrError, paramOf, sameType, type Type } from "./types.ts";

/** What type parameters stand for, by their names. */
export type Substitutions = ReadonlyMap<string, Type>;

/** What is assumed when the types fit; undefined where they do not. */
export function assign(
  known: Substitutions,
  to: readonly Type[],
  from: readonly Type[],
): Substitutions | undefined {
  const matcher = new Matcher(new Map(known));
  return matcher.allFit(to, from) ? matcher.substitutions : undefined;
}

/** A type with what is known of its parameters; those of which nothing is known can be made dynamic. */
export function substitute(known: Substitutions, type: Type, unknownIsDyn = false): Type {
  if (type.kind === "typeParam") {
    const found = known.get(type.name);
    if (found !== undefined) return substitute(known, found, unknownIsDyn);
    return unknownIsDyn ? dynType : type;
  }
  if (type.params.length === 0) return type;
  return { ...type, params: type.params.map((param) => substitute(known, param, unknownIsDyn)) };
}

class Matcher {
  readonly substitutions: Map<string, Type>;

  constructor(substitutions: Map<string, Type>) {
    this.substitutions = substitutions;
  }

  allFit(to: readonly Type[], from: readonly Type[]): boolean {
    return to.length === from.length && to.every((type, index) => this.#fits(type, from[index] ?? dynType));
  }

  #fits(a: Type, b: Type): boolean {
    if (b.kind === "typeParam") {
      const { valid, known } = this.#standsFor(a, b);
      if (valid) return true;
      if (known) return false;
    }
    if (a.kind === "typeParam") return this.#standsFor(b, a).valid;
    if (isDynOrError(a) || isDynOrError(b)) return true;
    if (a.kind === "null") return isNullable(b);
    if (b.kind === "null") return isNullable(a);
    if (a.kind === "type") return b.kind === "type";
    if (a.kind === "list" || a.kind === "map" || a.kind === "opaque")
      return a.kind === b.kind && a.name === b.name && this.allFit(a.params, b.params);
    return a.kind === b.kind && a.name === b.name;
  }

  /** Whether a type can be what a parameter stands for; it then does. */
  #standsFor(type: Type, param: Type): { readonly valid: boolean; readonly known: boolean } {
    if (sameType(type, param)) return { valid: true, known: true };
    const known = this.substitutions.get(param.name);
    if (known === undefined) {
      if (this.#isWithin(param, type)) return { valid: false, known: false };
      this.substitutions.set(param.name, type);
      return { valid: true, known: false };
    }
    if (sameType(type, known)) return { valid: true, known: true };
    if (!this.#fits(type, known)) return { valid: false, known: true };
    const wider = mostGeneral(type, known);
    if (!this.#isWithin(param, wider)) this.substitutions.set(param.name, wider);
    return { valid: true, known: true };
  }

  /** A type must not be a part of itself. */
  #isWithin(param: Type, type: Type): boolean {
    if (sameType(param, type)) return true;
    if (type.kind === "typeParam") {
      const known = this.substitutions.get(type.name);
      return known !== undefined && this.#isWithin(param, known);
    }
    return type.params.some((each) => this.#isWithin(param, each));
  }
}

const nullable = new Set(["duration", "null", "opaque", "struct", "timestamp"]);
const isNullable = ({ kind }: Type): boolean => nullable.has(kind);

export const mostGeneral = (a: Type, b: Type): Type => (isEqualOrLessSpecific(a, b) ? a : b);

function isEqualOrLessSpecific(a: Type, b: Type): boolean {
  if (isDyn(a) || a.kind === "typeParam") return true;
  if (isDyn(b) || b.kind === "typeParam" || a.kind !== b.kind) return false;
  if (a.kind === "type") return true;
  if (a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((param, index) => isEqualOrLessSpecific(param, paramOf(b, index)));
}

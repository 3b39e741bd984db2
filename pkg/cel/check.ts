import {
  type Call,
  type Comprehension,
  type Expr,
  type Ident,
  type ListLiteral,
  type MapLiteral,
  operators,
  qualifiedName,
  type Select,
  type StructLiteral,
} from "./ast.ts";
import { assign, mostGeneral, substitute, type Substitutions } from "./assignability.ts";
import type { FunctionOverload } from "./declarations.ts";
import type { Declaration, Environment } from "./environment.ts";
import type { Issue } from "./source.ts";
import { typeOf } from "./type-of.ts";
import {
  boolType,
  anyType,
  dynType,
  errorType,
  formatArguments,
  formatType,
  intType,
  isDyn,
  isDynOrError,
  listType,
  mapType,
  optionalType,
  paramOf,
  sameType,
  type Type,
  typeParam,
  unwrapOptional,
} from "./types.ts";

/** What the checker found out of an expression. */
export interface Checked {
  readonly expr: Expr;
  readonly type: Type;
  readonly issues: readonly Issue[];
  readonly typeOf: (expr: Expr) => Type;
  /** Which overloads a call may mean. */
  readonly overloadsOf: (expr: Expr) => readonly FunctionOverload[];
  /** What a name, which may have dots, refers to; undefined where an expression is none. */
  readonly referenceOf: (expr: Expr) => Declaration | undefined;
  /** Whether a call is written like a method and is a function with dots in its name. */
  readonly isNamespaced: (expr: Expr) => boolean;
}

export function check(expr: Expr, environment: Environment): Checked {
  return new Checker(environment).run(expr);
}

interface Scope {
  readonly name: string;
  readonly type: Type;
}

class Checker {
  readonly #environment: Environment;
  readonly #issues: Issue[] = [];
  readonly #types = new Map<Expr, Type>();
  readonly #overloads = new Map<Expr, readonly FunctionOverload[]>();
  readonly #references = new Map<Expr, Declaration>();
  readonly #namespaced = new Set<Expr>();
  readonly #scopes: Scope[] = [];
  #substitutions: Substitutions = new Map();
  #freeParams = 0;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  run(expr: Expr): Checked {
    this.#check(expr);
    for (const [each, type] of this.#types)
      this.#types.set(each, substitute(this.#substitutions, type, true));
    return {
      expr,
      type: this.#typeOf(expr),
      issues: this.#issues,
      typeOf: (each) => this.#typeOf(each),
      overloadsOf: (each) => this.#overloads.get(each) ?? [],
      referenceOf: (each) => this.#references.get(each),
      isNamespaced: (each) => this.#namespaced.has(each),
    };
  }

  #typeOf(expr: Expr): Type {
    return this.#types.get(expr) ?? errorType;
  }

  #report(expr: { readonly offset: number }, message: string): void {
    this.#issues.push({ offset: expr.offset, message });
  }

  /** Gives the type, which it also remembers. */
  #check(expr: Expr): Type {
    const type = this.#typeFor(expr);
    this.#types.set(expr, type);
    return type;
  }

  #typeFor(expr: Expr): Type {
    switch (expr.kind) {
      case "literal":
        return typeOf(expr.value);
      case "ident":
        return this.#ident(expr);
      case "select":
        return this.#select(expr);
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "struct":
        return this.#struct(expr);
      case "comprehension":
      default:
        return this.#comprehension(expr);
    }
  }

  #lookUp(name: string): Declaration | undefined {
    return this.#scopes.findLast((scope) => scope.name === name) ?? this.#environment.identifier(name);
  }

  #ident(expr: Ident): Type {
    const found = this.#lookUp(expr.name);
    if (found !== undefined) {
      this.#references.set(expr, found);
      return found.type;
    }
    this.#undeclared(expr, expr.name);
    return errorType;
  }

  #undeclared(expr: Expr, name: string): void {
    this.#report(expr, `undeclared reference to '${name}' (in container '')`);
  }

  #select(expr: Select): Type {
    const name = qualifiedName(expr);
    const whole = name === undefined ? undefined : this.#lookUp(name);
    if (whole !== undefined) {
      this.#references.set(expr, whole);
      return whole.type;
    }
    const type = this.#field(expr, expr.operand, expr.field);
    return expr.testOnly ? boolType : substitute(this.#substitutions, type);
  }

  #field(expr: Expr, operand: Expr, field: string, optional = false): Type {
    const operandType = substitute(this.#substitutions, this.#check(operand));
    const unwrapped = unwrapOptional(operandType);
    const type = this.#fieldOf(expr, unwrapped ?? operandType, field);
    return optional || unwrapped !== undefined ? optionalType(type) : type;
  }

  #fieldOf(expr: Expr, target: Type, field: string): Type {
    if (target.kind === "map") return paramOf(target, 1);
    if (target.kind === "struct") {
      const { types } = this.#environment;
      const type = types.fieldType(target.name, field);
      // Of libraries' types nobody knows any field.
      const why = types.hasStruct(target.name)
        ? `undefined field '${field}'`
        : `unexpected failed resolution of '${target.name}'`;
      if (type === undefined) this.#report(expr, why);
      return type ?? errorType;
    }
    if (target.kind === "typeParam") this.#fits(dynType, target);
    else if (!isDynOrError(target))
      this.#report(expr, `type '${formatType(target)}' does not support field selection`);
    return dynType;
  }

  #call(expr: Call): Type {
    const { name, target, args } = expr;
    if (name === operators.optionalSelect) return this.#optionalSelect(expr);
    for (const arg of args) this.#check(arg);
    if (target !== undefined) {
      const prefix = qualifiedName(target);
      const namespaced =
        prefix === undefined ? undefined : this.#environment.functionNamed(`${prefix}.${name}`);
      if (namespaced === undefined) this.#check(target);
      else {
        this.#namespaced.add(expr);
        return this.#resolve(expr, namespaced, args);
      }
    }
    const declared = this.#environment.functionNamed(name);
    if (declared === undefined) {
      this.#undeclared(expr, name);
      return errorType;
    }
    return this.#resolve(expr, declared, target === undefined ? args : [target, ...args]);
  }

  #optionalSelect(expr: Call): Type {
    const [operand, field] = expr.args;
    if (operand === undefined || field?.kind !== "literal" || typeof field.value !== "string")
      throw new Error("the parser gives an operand and a name");
    this.#check(field);
    this.#overloads.set(expr, this.#environment.functionNamed(operators.optionalSelect) ?? []);
    return substitute(this.#substitutions, this.#field(expr, operand, field.value, true));
  }

  #resolve(expr: Call, declared: readonly FunctionOverload[], operands: readonly Expr[]): Type {
    const member = expr.target !== undefined && !this.#namespaced.has(expr);
    const types = operands.map((operand) => this.#typeOf(operand));
    const name = declared[0]?.name ?? expr.name;
    if (name === operators.and || name === operators.or) return this.#logical(expr, declared);
    const found: FunctionOverload[] = [];
    let result: Type | undefined;
    for (const candidate of declared) {
      if (candidate.member !== member) continue;
      const { args, result: promised } = this.#withFreshParams(candidate);
      const substitutions = assign(this.#substitutions, types, args);
      if (substitutions === undefined) continue;
      this.#substitutions = substitutions;
      found.push(candidate);
      const type = substitute(this.#substitutions, promised);
      result = result === undefined || sameType(result, type) ? type : dynType;
    }
    if (result !== undefined) {
      this.#overloads.set(expr, found);
      return result;
    }
    const shown = types.map((type) => substitute(this.#substitutions, type, true));
    this.#report(
      expr,
      `found no matching overload for '${name}' applied to '${formatArguments(shown, member)}'`,
    );
    return errorType;
  }

  #logical(expr: Call, declared: readonly FunctionOverload[]): Type {
    this.#overloads.set(expr, declared);
    const wrong = expr.args.filter((arg) => !this.#fits(this.#typeOf(arg), boolType));
    for (const arg of wrong) this.#mismatch(arg, boolType, this.#typeOf(arg));
    return wrong.length === 0 ? boolType : errorType;
  }

  #withFreshParams({ args, result, typeParams }: FunctionOverload): { args: readonly Type[]; result: Type } {
    if (typeParams.length === 0) return { args, result };
    const fresh = new Map(typeParams.map((name) => [name, this.#freeParam()]));
    return { args: args.map((arg) => substitute(fresh, arg)), result: substitute(fresh, result) };
  }

  #freeParam(): Type {
    return typeParam(`_var${this.#freeParams++}`);
  }

  #fits(to: Type, from: Type): boolean {
    const substitutions = assign(this.#substitutions, [to], [from]);
    if (substitutions === undefined) return false;
    this.#substitutions = substitutions;
    return true;
  }

  #mismatch(expr: Expr, expected: Type, found: Type): void {
    this.#report(expr, `expected type '${formatType(expected)}' but found '${formatType(found)}'`);
  }

  /** The type of what an optional element, entry or field has when it is there. */
  #unwrapped(expr: Expr, type: Type, optional: boolean): Type {
    if (!optional) return type;
    const inner = unwrapOptional(type);
    if (inner === undefined && !isDyn(type)) this.#mismatch(expr, optionalType(type), type);
    return inner ?? type;
  }

  /** Elements of several types have a dynamic one; whether they may is looked at afterwards. */
  #join(previous: Type | undefined, type: Type): Type {
    if (previous === undefined) return type;
    return this.#fits(previous, type) ? mostGeneral(previous, type) : dynType;
  }

  #list({ elements, optionals }: ListLiteral): Type {
    let type: Type | undefined;
    for (const [index, element] of elements.entries()) {
      const elementType = this.#unwrapped(element, this.#check(element), optionals.has(index));
      type = this.#join(type, elementType);
    }
    return listType(type ?? this.#freeParam());
  }

  #map({ entries }: MapLiteral): Type {
    let keyType: Type | undefined;
    let valueType: Type | undefined;
    for (const { key, value, optional } of entries) {
      keyType = this.#join(keyType, this.#check(key));
      valueType = this.#join(valueType, this.#unwrapped(value, this.#check(value), optional));
    }
    return mapType(keyType ?? this.#freeParam(), valueType ?? this.#freeParam());
  }

  #struct(expr: StructLiteral): Type {
    const { name, fields } = expr;
    const declared = this.#lookUp(name);
    if (declared === undefined) this.#undeclared(expr, name);
    const type = declared?.type.kind === "type" ? (declared.type.params[0] ?? errorType) : errorType;
    if (declared !== undefined && declared.type.kind !== "type")
      this.#report(expr, `'${declared.type.name}' is not a type`);
    else if (declared !== undefined && type.kind !== "struct")
      this.#report(expr, `'${type.name}' is not a message type`);
    if (type.kind !== "struct") return errorType;
    for (const field of fields) {
      const given = this.#unwrapped(field.value, this.#check(field.value), field.optional);
      const wanted = this.#environment.types.fieldType(type.name, field.name);
      if (wanted === undefined) this.#report(field, `undefined field '${field.name}'`);
      else if (!this.#fits(wanted, given))
        this.#report(
          field,
          `expected type of field '${field.name}' is '${formatType(wanted)}' but provided type is '${formatType(given)}'`,
        );
    }
    return type;
  }

  #comprehension(expr: Comprehension): Type {
    const { range, init, accumulator, condition, step, result } = expr;
    this.#check(range);
    const accumulated = this.#check(init);
    const rangeType = substitute(this.#substitutions, this.#typeOf(range));
    const outer = this.#scopes.length;
    this.#scopes.push({ name: accumulator, type: accumulated });
    const inner = this.#scopes.length;
    this.#scopes.push(...this.#loopVariables(expr, rangeType));
    if (!this.#fits(boolType, this.#check(condition)))
      this.#mismatch(condition, boolType, this.#typeOf(condition));
    if (!this.#fits(accumulated, this.#check(step))) this.#mismatch(step, accumulated, this.#typeOf(step));
    this.#scopes.length = inner;
    const type = this.#check(result);
    this.#scopes.length = outer;
    return substitute(this.#substitutions, type);
  }

  #loopVariables({ range, variable, secondVariable }: Comprehension, type: Type): readonly Scope[] {
    const [first, second] = this.#loopTypes(range, type, secondVariable !== undefined);
    const scopes = [{ name: variable, type: first }];
    return secondVariable === undefined ? scopes : [...scopes, { name: secondVariable, type: second }];
  }

  #loopTypes(range: Expr, type: Type, two: boolean): readonly [first: Type, second: Type] {
    if (type.kind === "list") return two ? [intType, paramOf(type, 0)] : [paramOf(type, 0), dynType];
    if (type.kind === "map") return [paramOf(type, 0), paramOf(type, 1)];
    if ((isDynOrError(type) && type.name !== anyType.name) || type.kind === "typeParam") {
      this.#fits(dynType, type);
      return [dynType, dynType];
    }
    this.#report(
      range,
      `expression of type '${formatType(type)}' cannot be range of a comprehension (must be list, map, or dynamic)`,
    );
    return [errorType, errorType];
  }
}

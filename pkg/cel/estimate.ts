// What an expression may cost at least and at most, before anything is evaluated. Rules of definitions are refused by it.

import {
  accumulatorName,
  type Call,
  type Comprehension,
  type Expr,
  type ListLiteral,
  type MapLiteral,
} from "./ast.ts";
import type { Checked } from "./check.ts";
import { callEstimate, type Operand } from "./estimate-calls.ts";
import { either, fixed, most, plus, type Range, sum, times, unknown } from "./range.ts";
import { lengthOf } from "./code-points.ts";
import { creationCosts } from "./runtime-cost.ts";
import { type Type, unwrapOptional } from "./types.ts";

/** How large what a path leads to may be; its steps are names, "@items", "@keys", "@values". */
export type SizeOf = (path: readonly string[], type: Type) => Range | undefined;

/** Sizes of the keys, or places, and of the values of a container. */
interface EntrySizes {
  readonly kind: "list" | "map";
  readonly key: Range;
  readonly value: Range;
}

interface Local {
  readonly path: readonly string[];
  readonly size: Range | undefined;
  readonly entries: EntrySizes | undefined;
}

export const estimateCost = (checked: Checked, sizeOf: SizeOf): Range =>
  new Estimator(checked, sizeOf).cost(checked.expr);

class Estimator {
  readonly #checked: Checked;
  readonly #sizeOf: SizeOf;
  readonly #paths = new Map<Expr, readonly string[]>();
  readonly #sizes = new Map<Expr, Range>();
  readonly #entries = new Map<Expr, EntrySizes>();
  readonly #locals = new Map<string, Local[]>();

  constructor(checked: Checked, sizeOf: SizeOf) {
    this.#checked = checked;
    this.#sizeOf = sizeOf;
  }

  cost(expr: Expr): Range {
    switch (expr.kind) {
      case "literal":
        return fixed(0);
      case "ident":
        this.#paths.set(expr, this.#local(expr.name)?.path ?? [expr.name]);
        return fixed(1);
      case "select":
        return this.#select(expr, expr.operand);
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "struct":
        return plus(sum(expr.fields.map(({ value }) => this.cost(value))), fixed(creationCosts.struct));
      case "comprehension":
      default:
        return isBinding(expr) ? this.#binding(expr) : this.#loop(expr);
    }
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #select(expr: Extract<Expr, { kind: "select" }>, operand: Expr): Range {
    const cost = this.cost(operand);
    if (expr.testOnly) return cost;
    const { kind } = this.#checked.typeOf(operand);
    this.#paths.set(expr, [...this.#path(operand), expr.field]);
    return kind === "map" || kind === "struct" || kind === "typeParam" ? plus(cost, fixed(1)) : cost;
  }

  #path(expr: Expr): readonly string[] {
    const local = expr.kind === "ident" ? this.#local(expr.name) : undefined;
    return local?.path ?? this.#paths.get(expr) ?? [];
  }

  #call(expr: Call): Range {
    const [first] = expr.args;
    if (expr.name === "dyn" && first !== undefined) {
      const cost = plus(this.cost(first), fixed(1));
      this.#copySizes(expr, first);
      return cost;
    }
    const costs = expr.args.map((arg) => this.cost(arg));
    const args = expr.args.map((arg) => this.#operand(arg));
    const overloads = this.#checked.overloadsOf(expr);
    if (overloads.length === 0) return fixed(0);
    const target = this.#checked.isNamespaced(expr) ? undefined : expr.target;
    const targetCost = target === undefined ? fixed(0) : this.cost(target);
    let total: Range | undefined;
    let size: Range | undefined;
    for (const { id, name } of overloads) {
      const estimate = callEstimate({
        name,
        id,
        target: target === undefined ? undefined : this.#operand(target),
        args,
        costs,
      });
      total = total === undefined ? estimate.cost : either(total, estimate.cost);
      if (estimate.size !== undefined)
        size = size === undefined ? estimate.size : either(size, estimate.size);
      this.#rememberEntries(expr, id);
      const step = { index_list: "@items", index_map: "@values" }[id];
      if (step !== undefined && first !== undefined) {
        size = this.#entriesOf(first)?.value;
        this.#paths.set(expr, [...this.#path(first), step]);
      }
      size ??= this.#size(expr);
    }
    if (size !== undefined) this.#sizes.set(expr, size);
    return plus(targetCost, total ?? fixed(0));
  }

  /** Of a choice and of what is put together, the entries are those of both. */
  #rememberEntries(expr: Call, id: string): void {
    const sides = id === "conditional" ? expr.args.slice(1) : id.startsWith("add_") ? expr.args : [];
    const [a, b] = sides.map((side) => this.#entriesOf(side));
    if (a === undefined || b === undefined) return;
    this.#entries.set(expr, { kind: a.kind, key: either(a.key, b.key), value: either(a.value, b.value) });
  }

  #operand(expr: Expr): Operand {
    const path = this.#path(expr);
    const type = this.#checked.typeOf(expr);
    const known = path[0] === accumulatorName ? [] : path;
    return {
      expr,
      type,
      size: this.#size(expr),
      elementSize: () => this.#elementSize(known, type),
    };
  }

  #elementSize(path: readonly string[], { params }: Type): Range {
    const [element] = params;
    if (element === undefined) return unknown;
    return this.#sizeOf(path.length === 0 ? [] : [...path, "@items"], element) ?? unknown;
  }

  #size(expr: Expr): Range | undefined {
    const known = this.#sizes.get(expr) ?? literalSize(expr);
    if (known !== undefined) return known;
    const type = this.#checked.typeOf(expr);
    const told = this.#sizeOf(this.#path(expr), type);
    if (told !== undefined) {
      this.#sizes.set(expr, told);
      return told;
    }
    if (isScalar(type)) return fixed(1);
    return expr.kind === "ident" ? this.#local(expr.name)?.size : undefined;
  }

  #entriesOf(expr: Expr): EntrySizes | undefined {
    return this.#entries.get(expr) ?? (expr.kind === "ident" ? this.#local(expr.name)?.entries : undefined);
  }

  #copySizes(to: Expr, from: Expr): void {
    const size = this.#size(from);
    const entries = this.#entriesOf(from);
    if (size !== undefined) this.#sizes.set(to, size);
    if (entries !== undefined) this.#entries.set(to, entries);
  }

  #union(exprs: readonly Expr[]): Range {
    if (exprs.length === 0) return fixed(0);
    return exprs.map((expr) => this.#size(expr) ?? unknown).reduce(either, { min: most, max: 0 });
  }

  #list(expr: ListLiteral): Range {
    const cost = sum(expr.elements.map((element) => this.cost(element)));
    this.#entries.set(expr, { kind: "list", key: fixed(1), value: this.#union(expr.elements) });
    return plus(cost, fixed(creationCosts.list));
  }

  #map(expr: MapLiteral): Range {
    const cost = sum(expr.entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)]));
    const key = this.#union(expr.entries.map((entry) => entry.key));
    const value = this.#union(expr.entries.map((entry) => entry.value));
    this.#entries.set(expr, { kind: "map", key, value });
    return plus(cost, fixed(creationCosts.map));
  }

  #withLocals<T>(locals: readonly (readonly [name: string, local: Local])[], make: () => T): T {
    for (const [name, local] of locals) {
      const known = this.#locals.get(name);
      if (known === undefined) this.#locals.set(name, [local]);
      else known.push(local);
    }
    const made = make();
    for (const [name] of locals) this.#locals.get(name)?.pop();
    return made;
  }

  #localFor(expr: Expr): Local {
    return { path: this.#path(expr), size: this.#size(expr), entries: this.#entriesOf(expr) };
  }

  /** A name for a value: no loop. */
  #binding(expr: Comprehension): Range {
    const before = plus(this.cost(expr.range), this.cost(expr.init));
    return this.#withLocals([[expr.accumulator, this.#localFor(expr.init)]], () => {
      const cost = plus(before, this.cost(expr.result));
      this.#copySizes(expr, expr.result);
      return cost;
    });
  }

  #loop(expr: Comprehension): Range {
    const { accumulator, init, range, result, step } = expr;
    const before = plus(this.cost(range), this.cost(init));
    return this.#withLocals([[accumulator, this.#localFor(init)]], () => {
      const [once, entries] = this.#withLocals(this.#loopVariables(expr), () => {
        const each = plus(this.cost(expr.condition), this.cost(step));
        return [each, this.#entriesOf(step)] as const;
      });
      const afterwards = plus(before, this.cost(result));
      const count = this.#size(range) ?? unknown;
      if (init.kind === "literal") this.#sizes.set(expr, literalSize(init) ?? unknown);
      else if (init.kind === "list" || init.kind === "map") {
        this.#sizes.set(expr, count);
        if (entries !== undefined) this.#entries.set(expr, entries);
      }
      return plus(afterwards, times(count, once));
    });
  }

  #loopVariables({ range, variable, secondVariable }: Comprehension): readonly (readonly [string, Local])[] {
    const entries = this.#entriesOf(range);
    const isList = (entries?.kind ?? this.#checked.typeOf(range).kind) === "list";
    const local = (step: string, size: Range | undefined): Local => ({
      path: [...this.#path(range), step],
      size,
      entries: undefined,
    });
    const value = local(isList ? "@items" : "@values", entries?.value);
    const key = local(isList ? "@indices" : "@keys", entries?.key);
    if (secondVariable !== undefined)
      return [
        [variable, key],
        [secondVariable, value],
      ];
    return [[variable, isList ? value : key]];
  }
}

const isBinding = ({ accumulator, condition, range }: Comprehension): boolean =>
  range.kind === "list" &&
  range.elements.length === 0 &&
  condition.kind === "literal" &&
  condition.value === false &&
  accumulator !== accumulatorName;

function literalSize(expr: Expr): Range | undefined {
  if (expr.kind === "list") return fixed(expr.elements.length);
  if (expr.kind === "map") return fixed(expr.entries.length);
  if (expr.kind !== "literal") return undefined;
  if (typeof expr.value === "string") return fixed(lengthOf(expr.value));
  return fixed(expr.value instanceof Uint8Array ? expr.value.length : 1);
}

const scalars = new Set(["bool", "double", "duration", "int", "timestamp", "uint"]);

function isScalar(type: Type): boolean {
  const inner = unwrapOptional(type);
  return inner === undefined ? scalars.has(type.kind) : isScalar(inner);
}

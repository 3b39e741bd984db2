// Makes functions of checked expressions.

import {
  type Call,
  type Comprehension,
  type Expr,
  type Ident,
  type ListLiteral,
  type MapLiteral,
  operators,
  type Select,
  type StructLiteral,
} from "./ast.ts";
import type { Checked } from "./check.ts";
import { alternative, chosen, fail } from "./dispatch.ts";
import { accessCost, fieldOf, fieldOfOptional, hasField, valuesOf } from "./fields.ts";
import { pairsOf, settled } from "./loops.ts";
import { index, lookUp, noSuchOverload } from "./operations.ts";
import { attempt, type Outcome, Run, type Step, type Variables } from "./run.ts";
import { callCost, creationCosts } from "./runtime-cost.ts";
import { structType } from "./types.ts";
import {
  ArrayList,
  EntryMap,
  EvaluationError,
  GrowingList,
  GrowingMap,
  isList,
  Optional,
  TypeValue,
  Uint,
  type Value,
} from "./values.ts";

/**
 * An expression, ready to be evaluated. Throws an EvaluationError, or a CostLimitError; `spent` tells what was spent also then.
 */
export type Program = (variables: Variables, costLimit: number, spent?: { cost: number }) => Outcome;

export function plan(checked: Checked): Program {
  const step = new Planner(checked).step(checked.expr);
  return (variables, costLimit, spent) => {
    const run = new Run(variables, costLimit);
    try {
      return { value: step(run), cost: run.cost };
    } finally {
      if (spent !== undefined) spent.cost = run.cost;
    }
  };
}

const conversionNames = new Set([
  "bool",
  "bytes",
  "double",
  "duration",
  "dyn",
  "int",
  "string",
  "timestamp",
  "type",
  "uint",
]);

class Planner {
  readonly #checked: Checked;
  #nextSlot = 0;
  readonly #slots = new Map<string, number[]>();

  constructor(checked: Checked) {
    this.#checked = checked;
  }

  step(expr: Expr): Step {
    const constant = this.#constant(expr);
    if (constant !== undefined) return () => constant;
    switch (expr.kind) {
      case "literal":
        return () => expr.value;
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

  /** What does not depend on anything is evaluated once, and costs nothing afterwards. */
  #constant(expr: Expr): Value | undefined {
    if (expr.kind === "literal") return expr.value;
    const reference = this.#checked.referenceOf(expr)?.type;
    if (reference?.kind === "type" && reference.params[0] !== undefined)
      return new TypeValue(reference.params[0]);
    if (expr.kind === "list" && expr.optionals.size === 0) {
      const items = this.#constants(expr.elements);
      return items === undefined ? undefined : new ArrayList(items);
    }
    if (expr.kind === "map" && expr.entries.every(({ optional }) => !optional)) {
      const keys = this.#constants(expr.entries.map(({ key }) => key));
      const values = this.#constants(expr.entries.map(({ value }) => value));
      if (keys === undefined || values === undefined) return undefined;
      return new EntryMap(keys.map((key, at) => [key, values[at] ?? null]));
    }
    if (expr.kind !== "call" || expr.target !== undefined || !conversionNames.has(expr.name))
      return undefined;
    const args = expr.args.length === 1 ? this.#constants(expr.args) : undefined;
    return args === undefined ? undefined : chosen(this.#checked.overloadsOf(expr), args).call?.(...args);
  }

  #constants(exprs: readonly Expr[]): readonly Value[] | undefined {
    const values = exprs.map((expr) => this.#constant(expr)).filter((value) => value !== undefined);
    return values.length === exprs.length ? values : undefined;
  }

  #ident(expr: Ident, cost = 1): Step {
    const slot = this.#slots.get(expr.name)?.at(-1);
    if (slot === undefined) return this.#variable(expr, expr.name, cost);
    return (run) => {
      run.charge(cost);
      const value = run.slots[slot];
      if (value instanceof EvaluationError) throw value;
      if (value === undefined) throw new EvaluationError(`no such attribute(s): ${expr.name}`);
      return value;
    };
  }

  #variable(expr: Expr, given: string, cost = 1): Step {
    const name = this.#checked.referenceOf(expr)?.name ?? given;
    return (run) => {
      run.charge(cost);
      const value = run.variables(name);
      if (value === undefined) throw new EvaluationError(`no such attribute(s): ${name}`);
      return value;
    };
  }

  #select(expr: Select): Step {
    const { operand, field, testOnly } = expr;
    if (this.#checked.referenceOf(expr) !== undefined) return this.#variable(expr, field);
    const target = this.step(operand);
    const cost = accessCost(operand);
    if (testOnly)
      return (run) => {
        const value = target(run);
        // To ask whether something is there costs nothing itself.
        run.charge(cost - 1);
        return hasField(value, field);
      };
    return (run) => {
      const value = target(run);
      run.charge(cost);
      return value instanceof Optional ? fieldOfOptional(value, field) : fieldOf(value, field);
    };
  }

  #call(expr: Call): Step {
    const { name, args } = expr;
    switch (name) {
      case operators.and:
        return this.#logical(args, false);
      case operators.or:
        return this.#logical(args, true);
      case operators.conditional:
        return this.#conditional(args);
      case operators.notStrictlyFalse:
        return this.#notStrictlyFalse(args);
      case operators.index:
      case operators.optionalIndex:
        return this.#index(expr);
      case operators.optionalSelect:
        return this.#optionalSelect(args);
      default:
        return this.#function(expr);
    }
  }

  /** Either side alone can decide, even when the other fails. */
  #logical(args: readonly Expr[], decides: boolean): Step {
    const [left, right] = this.#steps(args);
    if (left === undefined || right === undefined) throw new Error("a logical operator has two sides");
    return (run) => {
      const first = attempt(left, run);
      if (first === decides) return decides;
      const second = attempt(right, run);
      if (second === decides) return decides;
      for (const side of [first, second]) {
        if (side instanceof EvaluationError) throw side;
        if (typeof side !== "boolean") throw noSuchOverload();
      }
      return !decides;
    };
  }

  #steps(exprs: readonly Expr[]): readonly Step[] {
    return exprs.map((expr) => this.step(expr));
  }

  #conditional(args: readonly Expr[]): Step {
    // A branch that is a variable costs nothing.
    const [condition, ifTrue, ifFalse] = args.map((arg, at) =>
      at > 0 && arg.kind === "ident" ? this.#ident(arg, 0) : this.step(arg),
    );
    if (condition === undefined || ifTrue === undefined || ifFalse === undefined)
      throw new Error("a condition has two branches");
    return (run) => {
      const value = condition(run);
      if (typeof value !== "boolean") throw noSuchOverload();
      return value ? ifTrue(run) : ifFalse(run);
    };
  }

  #notStrictlyFalse(args: readonly Expr[]): Step {
    const [step] = this.#steps(args);
    if (step === undefined) throw new Error("there is one argument");
    return (run) => {
      const value = attempt(step, run);
      run.charge(1);
      return value !== false;
    };
  }

  #index({ name, args }: Call): Step {
    const [target, key] = this.#steps(args);
    if (target === undefined || key === undefined) throw new Error("an index has a target and a key");
    const optional = name === operators.optionalIndex;
    const cost = args[0] === undefined ? 1 : accessCost(args[0]);
    return (run) => {
      const container = target(run);
      const at = key(run);
      run.charge(cost);
      if (!optional && !(container instanceof Optional)) return index(container, at);
      const inner = container instanceof Optional ? container.value : container;
      return new Optional(inner === undefined ? undefined : lookUp(inner, at));
    };
  }

  #optionalSelect(args: readonly Expr[]): Step {
    const [operand, field] = args;
    if (operand === undefined || field?.kind !== "literal" || typeof field.value !== "string")
      throw new Error("the parser gives a name");
    const target = this.step(operand);
    const name = field.value;
    const cost = accessCost(operand);
    return (run) => {
      const value = target(run);
      run.charge(cost);
      return fieldOfOptional(value instanceof Optional ? value : new Optional(value), name);
    };
  }

  #function(expr: Call): Step {
    const overloads = this.#checked.overloadsOf(expr);
    const [first] = overloads;
    const target = this.#checked.isNamespaced(expr) ? undefined : expr.target;
    const operands = this.#steps(target === undefined ? expr.args : [target, ...expr.args]);
    if (first === undefined) throw new Error(`${expr.name} has not been checked`);
    if (first.id === "optional_or_optional" || first.id === "optional_orValue_value")
      return alternative(operands, first.id === "optional_orValue_value");
    const id = overloads.length === 1 ? first.id : "";
    const free = id === "in_list" && this.#isSetOfPrimitives(expr.args[1]);
    return (run) => {
      const values = operands.map((operand) => operand(run));
      const result = attempt(() => chosen(overloads, values).call?.(...values) ?? fail(), run);
      const failed = result instanceof EvaluationError;
      // What fails has been tried all the same.
      if (!free) run.charge(callCost(first.name, id, values, failed ? null : result));
      if (failed) throw result;
      return result;
    };
  }

  /** Looking into a constant set costs nothing. */
  #isSetOfPrimitives(expr: Expr | undefined): boolean {
    const constant = expr === undefined ? undefined : this.#constant(expr);
    if (constant === undefined || !isList(constant)) return false;
    return [...constant].every((item) => item !== null && (typeof item !== "object" || item instanceof Uint));
  }

  #list({ elements, optionals }: ListLiteral): Step {
    const steps = this.#steps(elements);
    return (run) => {
      const values = steps.flatMap((step, at) => {
        const value = step(run);
        return optionals.has(at) ? valuesOf(value) : [value];
      });
      run.charge(creationCosts.list);
      return new ArrayList(values);
    };
  }

  #map({ entries }: MapLiteral): Step {
    const steps = entries.map(({ key, value, optional }) => ({
      key: this.step(key),
      value: this.step(value),
      optional,
    }));
    return (run) => {
      const pairs = steps.flatMap(({ key, value, optional }) => {
        const made = [key(run), value(run)] as const;
        return optional ? valuesOf(made[1]).map((each) => [made[0], each] as const) : [made];
      });
      run.charge(creationCosts.map);
      return new EntryMap(pairs);
    };
  }

  #struct({ name, fields }: StructLiteral): Step {
    const steps = fields.map((field) => ({ ...field, step: this.step(field.value) }));
    const type = structType(name.replace(/^\./, ""));
    return (run) => {
      const pairs = steps.flatMap(({ name: field, optional, step }) => {
        const value = step(run);
        return (optional ? valuesOf(value) : [value]).map((each) => [field, each] as const);
      });
      run.charge(creationCosts.struct);
      return new EntryMap(pairs, type);
    };
  }

  /** Whatever is bound while a part is planned is bound there only. */
  #scoped<T>(names: readonly string[], make: (slots: readonly number[]) => T): T {
    const slots = names.map((name) => {
      const slot = this.#nextSlot++;
      const known = this.#slots.get(name);
      if (known === undefined) this.#slots.set(name, [slot]);
      else known.push(slot);
      return slot;
    });
    const made = make(slots);
    for (const name of names) this.#slots.get(name)?.pop();
    return made;
  }

  #comprehension(expr: Comprehension): Step {
    const { accumulator, condition, range, variable, secondVariable } = expr;
    const rangeStep = this.step(range);
    const initStep = this.#growing(expr.init);
    return this.#scoped([accumulator], ([slot = 0]) => {
      const result = this.step(expr.result);
      const variables = secondVariable === undefined ? [variable] : [variable, secondVariable];
      const loop = this.#scoped(variables, ([first = 0, second]) => ({
        first,
        second,
        condition: this.step(condition),
        step: this.step(expr.step),
        // No operator makes good what failed once.
        unconditional: condition.kind === "literal" && condition.value === true,
      }));
      return (run) => {
        const over = rangeStep(run);
        run.slots[slot] = attempt(initStep, run);
        for (const [one, two] of pairsOf(over, loop.second !== undefined)) {
          run.slots[loop.first] = one;
          if (loop.second !== undefined) run.slots[loop.second] = two;
          if (loop.condition(run) !== true) break;
          run.slots[slot] = loop.unconditional ? loop.step(run) : attempt(loop.step, run);
        }
        return settled(result(run));
      };
    });
  }

  /** What a loop collects in grows in place. */
  #growing(init: Expr): Step {
    if (init.kind === "list" && init.elements.length === 0) return () => new GrowingList();
    return init.kind === "map" && init.entries.length === 0 ? () => new GrowingMap() : this.step(init);
  }
}

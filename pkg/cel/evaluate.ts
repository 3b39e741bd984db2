// Makes functions of checked expressions.

import type { Steps } from "../api/steps.ts";
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
import { alternative, calling, chosen } from "./dispatch.ts";
import { accessCost, fieldOf, fieldOfOptional, hasField, valuesOf } from "./fields.ts";
import { conditional, logical, notStrictlyFalse } from "./logic.ts";
import { loop } from "./loops.ts";
import { index, lookUp } from "./operations.ts";
import { pausing, strict, unary, valueOf } from "./pauses.ts";
import { type Outcome, Run, type Step, type Variables } from "./run.ts";
import { callCost, creationCosts, freeOfCost } from "./runtime-cost.ts";
import { structType, variablesType } from "./types.ts";
import {
  ArrayList,
  EntryMap,
  EvaluationError,
  GrowingList,
  GrowingMap,
  isList,
  isMap,
  Optional,
  TypeValue,
  Uint,
  type Value,
} from "./values.ts";

/**
 * An expression, ready to be evaluated. Throws an EvaluationError, or a CostLimitError; `spent` tells what was spent also then.
 */
export type Program = (variables: Variables, costLimit: number, spent?: { cost: number }) => Outcome;
/** The same with pauses: within its limit an expression may take a second. */
export type PausingProgram = (...args: Parameters<Program>) => Steps<Outcome>;

export function plan(checked: Checked): { readonly run: Program; readonly inSteps: PausingProgram } {
  const step = new Planner(checked).step(checked.expr);
  return {
    run(variables, costLimit, spent) {
      const run = new Run(variables, costLimit);
      try {
        return { value: step(run), cost: run.cost };
      } finally {
        if (spent !== undefined) spent.cost = run.cost;
      }
    },
    *inSteps(variables, costLimit, spent) {
      const run = new Run(variables, costLimit);
      try {
        return { value: yield* valueOf(step, run), cost: run.cost };
      } finally {
        if (spent !== undefined) spent.cost = run.cost;
      }
    },
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

/** What is not there has not been stepped into. upstream: cel-go/interpreter#evalWatchQual */
function charged(run: Run, cost: number, found: Optional): Optional {
  run.charge(found.value === undefined ? cost - 1 : cost);
  return found;
}

class Planner {
  readonly #checked: Checked;
  #nextSlot = 0;
  /** How many loops there are around what is planned. */
  #depth = 0;
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
      return unary(target, (run, value) => {
        // To ask whether something is there costs nothing itself.
        run.charge(cost - 1);
        return hasField(value, field);
      });
    const select = (run: Run, value: Value): Value => {
      if (value instanceof Optional) return charged(run, cost, fieldOfOptional(value, field));
      run.charge(cost);
      return fieldOf(value, field);
    };
    if (this.#checked.typeOf(operand).name !== variablesType.name) return unary(target, select);
    return pausing(
      (run) => select(run, target(run)),
      function* (run) {
        const value = yield* valueOf(target, run);
        if (isMap(value) && value.prepare !== undefined) yield* value.prepare(field);
        return select(run, value);
      },
    );
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

  #logical(args: readonly Expr[], decides: boolean): Step {
    const [left, right] = this.#steps(args);
    if (left === undefined || right === undefined) throw new Error("a logical operator has two sides");
    return logical(left, right, decides);
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
    return conditional(condition, ifTrue, ifFalse);
  }

  #notStrictlyFalse(args: readonly Expr[]): Step {
    const [step] = this.#steps(args);
    if (step === undefined) throw new Error("there is one argument");
    return notStrictlyFalse(step);
  }

  #index({ name, args }: Call): Step {
    const [target, key] = this.#steps(args);
    if (target === undefined || key === undefined) throw new Error("an index has a target and a key");
    const optional = name === operators.optionalIndex;
    const cost = args[0] === undefined ? 1 : accessCost(args[0]);
    return strict([target, key], (run, [container = null, at = null]) => {
      if (!optional && !(container instanceof Optional)) {
        run.charge(cost);
        return index(container, at);
      }
      const inner = container instanceof Optional ? container.value : container;
      return charged(run, cost, new Optional(inner === undefined ? undefined : lookUp(inner, at)));
    });
  }

  #optionalSelect(args: readonly Expr[]): Step {
    const [operand, field] = args;
    if (operand === undefined || field?.kind !== "literal" || typeof field.value !== "string")
      throw new Error("the parser gives a name");
    const target = this.step(operand);
    const name = field.value;
    const cost = accessCost(operand);
    return unary(target, (run, value) => {
      return charged(
        run,
        cost,
        fieldOfOptional(value instanceof Optional ? value : new Optional(value), name),
      );
    });
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
    return calling(overloads, operands, free ? freeOfCost : callCost(first.name, id), this.#depth === 0);
  }

  /** Looking into a constant set costs nothing. */
  #isSetOfPrimitives(expr: Expr | undefined): boolean {
    const constant = expr === undefined ? undefined : this.#constant(expr);
    if (constant === undefined || !isList(constant)) return false;
    return [...constant].every((item) => item !== null && (typeof item !== "object" || item instanceof Uint));
  }

  #list({ elements, optionals }: ListLiteral): Step {
    const steps = elements.map((element, at) => this.#optional(element, optionals.has(at)));
    return strict(steps, (run, values) => {
      run.charge(creationCosts.list);
      if (optionals.size === 0) return new ArrayList(values);
      return new ArrayList(values.flatMap((value, at) => (optionals.has(at) ? valuesOf(value) : [value])));
    });
  }

  #map({ entries }: MapLiteral): Step {
    const steps = entries.flatMap(({ key, value, optional }) => [
      this.step(key),
      this.#optional(value, optional),
    ]);
    return strict(steps, (run, values) => {
      run.charge(creationCosts.map);
      return new EntryMap(
        entries.flatMap(({ optional }, at) => {
          const [key = null, value = null] = values.slice(2 * at, 2 * at + 2);
          return (optional ? valuesOf(value) : [value]).map((each) => [key, each] as const);
        }),
      );
    });
  }

  #struct({ name, fields }: StructLiteral): Step {
    const steps = fields.map(({ value, optional }) => this.#optional(value, optional));
    const type = structType(name.replace(/^\./, ""));
    return strict(steps, (run, values) => {
      run.charge(creationCosts.struct);
      const pairs = fields.flatMap(({ name: field, optional }, at) => {
        const value = values[at] ?? null;
        return (optional ? valuesOf(value) : [value]).map((each) => [field, each] as const);
      });
      return new EntryMap(pairs, type);
    });
  }

  /** What has to be an optional fails where it is none, before what comes after it is evaluated. */
  #optional(expr: Expr, isOptional: boolean): Step {
    const step = this.step(expr);
    if (!isOptional) return step;
    return unary(step, (_run, value) => {
      valuesOf(value);
      return value;
    });
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
    // A loop without rounds only gives a value a name.
    const isBinding = range.kind === "list" && range.elements.length === 0;
    const initStep = isBinding ? this.step(expr.init) : this.#growing(expr.init);
    this.#depth++;
    const step = this.#scoped([accumulator], ([slot = 0]) => {
      const result = this.step(expr.result);
      const variables = secondVariable === undefined ? [variable] : [variable, secondVariable];
      return this.#scoped(variables, ([first = 0, second]) =>
        loop({
          range: rangeStep,
          init: initStep,
          slot,
          result,
          first,
          second,
          condition: this.step(condition),
          step: this.step(expr.step),
          // No operator makes good what failed once.
          isUnconditional: condition.kind === "literal" && condition.value === true,
        }),
      );
    });
    this.#depth--;
    return step;
  }

  /** What a loop collects in grows in place. */
  #growing(init: Expr): Step {
    if (init.kind === "list" && init.elements.length === 0) return () => new GrowingList();
    return init.kind === "map" && init.entries.length === 0 ? () => new GrowingMap() : this.step(init);
  }
}

// What is written like a call and becomes something else: has(), all(), map() and their like.

import {
  accumulatorName,
  type Call,
  type Comprehension,
  type Expr,
  type ListLiteral,
  type Literal,
  operators,
} from "./ast.ts";
import type { Value } from "./values.ts";

export class MacroError extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

type Expand = (make: Maker, target: Expr, args: readonly Expr[]) => Expr;

/** Makes nodes that all stand where the macro stands. */
class Maker {
  readonly offset: number;

  constructor(offset: number) {
    this.offset = offset;
  }

  literal(value: Value): Literal {
    return { offset: this.offset, kind: "literal", value };
  }

  ident(name: string): Expr {
    return { offset: this.offset, kind: "ident", name };
  }

  accumulator(): Expr {
    return this.ident(accumulatorName);
  }

  call(name: string, ...args: readonly Expr[]): Call {
    return { offset: this.offset, kind: "call", name, target: undefined, args };
  }

  method(target: Expr, name: string, ...args: readonly Expr[]): Call {
    return { offset: this.offset, kind: "call", name, target, args };
  }

  list(...elements: readonly Expr[]): ListLiteral {
    return { offset: this.offset, kind: "list", elements, optionals: new Set() };
  }

  map(): Expr {
    return { offset: this.offset, kind: "map", entries: [] };
  }

  has(operand: Expr, field: string): Expr {
    return { offset: this.offset, kind: "select", operand, field, testOnly: true };
  }

  loop(
    range: Expr,
    names: LoopNames,
    parts: Pick<Comprehension, "condition" | "init" | "result" | "step">,
  ): Comprehension {
    const { variable, secondVariable, accumulator = accumulatorName } = names;
    return {
      offset: this.offset,
      kind: "comprehension",
      range,
      variable,
      secondVariable,
      accumulator,
      ...parts,
    };
  }
}

interface LoopNames {
  readonly variable: string;
  readonly secondVariable: string | undefined;
  readonly accumulator?: string;
}

function variableName(expr: Expr, problem: string): string {
  if (expr.kind !== "ident") throw new MacroError(expr.offset, problem);
  if (expr.name === "__result__")
    throw new MacroError(expr.offset, "iteration variable overwrites accumulator variable");
  return expr.name;
}

const argument = (args: readonly Expr[], index: number): Expr => {
  const arg = args[index];
  if (arg === undefined) throw new Error(`a macro has no argument ${index}`);
  return arg;
};

function loopNames(
  args: readonly Expr[],
  variables: 1 | 2,
  problem = "argument must be a simple name",
): LoopNames {
  const variable = variableName(argument(args, 0), problem);
  if (variables === 1) return { variable, secondVariable: undefined };
  const second = argument(args, 1);
  const secondVariable = variableName(second, problem);
  if (secondVariable === variable)
    throw new MacroError(second.offset, `duplicate variable name: ${variable}`);
  return { variable, secondVariable };
}

const quantifiers: Readonly<
  Record<
    string,
    (make: Maker, predicate: Expr) => Pick<Comprehension, "condition" | "init" | "result" | "step">
  >
> = {
  all: (make, predicate) => ({
    init: make.literal(true),
    condition: make.call(operators.notStrictlyFalse, make.accumulator()),
    step: make.call(operators.and, make.accumulator(), predicate),
    result: make.accumulator(),
  }),
  exists: (make, predicate) => ({
    init: make.literal(false),
    condition: make.call(operators.notStrictlyFalse, make.call(operators.not, make.accumulator())),
    step: make.call(operators.or, make.accumulator(), predicate),
    result: make.accumulator(),
  }),
  existsOne: (make, predicate) => ({
    init: make.literal(0n),
    condition: make.literal(true),
    step: make.call(
      operators.conditional,
      predicate,
      make.call(operators.add, make.accumulator(), make.literal(1n)),
      make.accumulator(),
    ),
    result: make.call(operators.equals, make.accumulator(), make.literal(1n)),
  }),
};

const quantifier =
  (name: string, variables: 1 | 2): Expand =>
  (make, target, args) => {
    const names = loopNames(args, variables);
    const parts = quantifiers[name]?.(make, argument(args, variables));
    if (parts === undefined) throw new Error(`${name} is no quantifier`);
    return make.loop(target, names, parts);
  };

/** A loop that collects: with a filter, what it refuses is left out. */
function collect(
  make: Maker,
  range: Expr,
  names: LoopNames,
  what: { readonly init: Expr; readonly step: Expr; readonly filter: Expr | undefined },
): Expr {
  const { init, filter } = what;
  const step =
    filter === undefined
      ? what.step
      : make.call(operators.conditional, filter, what.step, make.accumulator());
  return make.loop(range, names, { init, condition: make.literal(true), step, result: make.accumulator() });
}

const notAName = "argument is not an identifier";

const mapMacro: Expand = (make, target, args) => {
  const names = loopNames(args, 1, notAName);
  const step = make.call(operators.add, make.accumulator(), make.list(argument(args, args.length - 1)));
  return collect(make, target, names, {
    init: make.list(),
    step,
    filter: args.length === 3 ? args[1] : undefined,
  });
};

const filterMacro: Expand = (make, target, args) => {
  const names = loopNames(args, 1, notAName);
  const step = make.call(operators.add, make.accumulator(), make.list(argument(args, 0)));
  return collect(make, target, names, { init: make.list(), step, filter: argument(args, 1) });
};

const transform =
  (init: (make: Maker) => Expr, step: (make: Maker, made: Expr, variable: string) => Expr): Expand =>
  (make, target, args) => {
    const names = loopNames(args, 2);
    const made = argument(args, args.length - 1);
    const filter = args.length === 4 ? args[2] : undefined;
    return collect(make, target, names, { init: init(make), step: step(make, made, names.variable), filter });
  };

const insert = "cel.@mapInsert";
const transformList = transform(
  (make) => make.list(),
  (make, made) => make.call(operators.add, make.accumulator(), make.list(made)),
);
const transformMap = transform(
  (make) => make.map(),
  (make, made, variable) => make.call(insert, make.accumulator(), make.ident(variable), made),
);
const transformMapEntry = transform(
  (make) => make.map(),
  (make, made) => make.call(insert, make.accumulator(), made),
);

const hasMacro: Expand = (make, _target, args) => {
  const arg = argument(args, 0);
  if (arg.kind !== "select" || arg.testOnly)
    throw new MacroError(arg.offset, "invalid argument to has() macro");
  return make.has(arg.operand, arg.field);
};

/** A name for a value in an expression: a loop over nothing, whose result may use it. */
function bind(make: Maker, name: string, [value, result]: readonly [value: Expr, result: Expr]): Expr {
  return make.loop(
    make.list(),
    { variable: "#unused", secondVariable: undefined, accumulator: name },
    { init: value, condition: make.literal(false), step: make.ident(name), result },
  );
}

const optionalMap =
  (name: string): Expand =>
  (make, target, args) => {
    const variable = variableName(argument(args, 0), `${name}() variable name must be a simple identifier`);
    const made = bind(make, variable, [make.method(target, "value"), argument(args, 1)]);
    return make.call(
      operators.conditional,
      make.method(target, "hasValue"),
      name === "optMap" ? make.call("optional.of", made) : made,
      make.call("optional.none"),
    );
  };

const sortByMacro: Expand = (make, target, args) => {
  if (target.kind === "literal" || target.kind === "map" || target.kind === "struct")
    throw new MacroError(
      target.offset,
      "sortBy can only be applied to a list, identifier, comprehension, call or select expression",
    );
  const name = "@__sortBy_input__";
  const keys = mapMacro(make, make.ident(name), args);
  return bind(make, name, [target, make.method(make.ident(name), "@sortByAssociatedKeys", keys)]);
};

const receiverMacros: ReadonlyMap<string, Expand> = new Map([
  ["all/2", quantifier("all", 1)],
  ["exists/2", quantifier("exists", 1)],
  ["exists_one/2", quantifier("existsOne", 1)],
  ["all/3", quantifier("all", 2)],
  ["exists/3", quantifier("exists", 2)],
  ["exists_one/3", quantifier("existsOne", 2)],
  ["existsOne/3", quantifier("existsOne", 2)],
  ["map/2", mapMacro],
  ["map/3", mapMacro],
  ["filter/2", filterMacro],
  ["transformList/3", transformList],
  ["transformList/4", transformList],
  ["transformMap/3", transformMap],
  ["transformMap/4", transformMap],
  ["transformMapEntry/3", transformMapEntry],
  ["transformMapEntry/4", transformMapEntry],
  ["optMap/2", optionalMap("optMap")],
  ["optFlatMap/2", optionalMap("optFlatMap")],
  ["sortBy/2", sortByMacro],
]);

const bindMacro: Expand = (make, _target, args) => {
  const name = variableName(argument(args, 0), "cel.bind() variable names must be simple identifiers");
  return bind(make, name, [argument(args, 1), argument(args, 2)]);
};

/** What a call becomes; itself, where it is no macro's. Throws a MacroError. */
export function expandMacro(call: Call, withBind: boolean): Expr {
  const { name, target, args, offset } = call;
  if (target === undefined)
    return name === "has" && args.length === 1 ? hasMacro(new Maker(offset), call, args) : call;
  const isBind = name === "bind" && args.length === 3 && target.kind === "ident" && target.name === "cel";
  if (withBind && isBind) return bindMacro(new Maker(offset), target, args);
  const expand = receiverMacros.get(`${name}/${args.length}`);
  return expand === undefined ? call : expand(new Maker(offset), target, args);
}

import {
  dynType,
  listType,
  nullType,
  sameType,
  stringType,
  structType,
  type Type,
} from "../../../cel/types.ts";
import { typeOfVariable } from "../../../cel/variable-type.ts";
import { type CompiledExpression, compileExpression, type Wanted, wantsBool } from "./compiled-expression.ts";
import {
  JSON_PATCH,
  PATCHED_OBJECT,
  policyEnvironment,
  type PolicyScope,
} from "../../../cel/request-types.ts";

const exactly = (...types: readonly (readonly [name: string, type: Type])[]): Wanted => ({
  is: (type) => types.some(([, one]) => sameType(type, one)),
  names: types.map(([name]) => name),
});

const wantsString = exactly(["string", stringType]);
const wantsStringOrNull = exactly(["string", stringType], ["null_type", nullType]);
const wantsObject = exactly([PATCHED_OBJECT, structType(PATCHED_OBJECT)]);
const wantsPatches = exactly([`list(${JSON_PATCH})`, listType(structType(JSON_PATCH))]);

/** Compiles the expressions of one policy, in their order: each knows the variables before it. */
export class PolicyCompiler {
  readonly #params: boolean;
  readonly #types = new Map<string, Type>();
  readonly #variables = new Map<string, CompiledExpression>();

  constructor(params: boolean) {
    this.#params = params;
  }

  get variables(): ReadonlyMap<string, CompiledExpression> {
    return this.#variables;
  }

  variable(name: string, text: string): CompiledExpression {
    const expression = this.#compile(text, undefined);
    const { compiled } = expression;
    this.#types.set(name, "problem" in compiled ? dynType : typeOfVariable(compiled.checked.type));
    this.#variables.set(name, expression);
    return expression;
  }

  condition(text: string): CompiledExpression {
    return this.#compile(text, wantsBool);
  }

  auditAnnotation(text: string): CompiledExpression {
    return this.#compile(text, wantsStringOrNull);
  }

  /** Whoever is refused may not learn what others may do. */
  message(text: string): CompiledExpression {
    return this.#compile(text, wantsString, { authorizer: false });
  }

  applyConfiguration(text: string): CompiledExpression {
    return this.#compile(text, wantsObject, { patches: true });
  }

  jsonPatch(text: string): CompiledExpression {
    return this.#compile(text, wantsPatches, { patches: true });
  }

  #compile(
    text: string,
    wanted: Wanted | undefined,
    scope: Partial<Omit<PolicyScope, "params">> = {},
  ): CompiledExpression {
    const environment = policyEnvironment({ params: this.#params, authorizer: true, ...scope }, this.#types);
    return compileExpression(text, environment, wanted);
  }
}

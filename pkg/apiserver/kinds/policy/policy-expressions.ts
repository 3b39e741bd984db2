import { compile } from "../../../cel/compile.ts";
import { dynType, formatType, type Type } from "../../../cel/types.ts";
import { failure, policyEnvironment } from "../../admission/conditions.ts";

/** What an expression has to give: the kinds of its type, and how they are called. */
interface Wanted {
  readonly kinds: readonly Type["kind"][];
  readonly names: readonly string[];
}

const bool: Wanted = { kinds: ["bool"], names: ["bool"] };
const string: Wanted = { kinds: ["string"], names: ["string"] };
const stringOrNull: Wanted = { kinds: ["string", "null"], names: ["string", "null_type"] };

const identifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const reserved = new Set(
  (
    "true false null in as break const continue else for function if import let loop package namespace return var " +
    "void while"
  ).split(" "),
);

export const isIdentifier = (name: string): boolean => identifier.test(name) && !reserved.has(name);

/** Finds what is wrong with the expressions of one policy, in their order: each knows the variables before it. */
export class PolicyExpressions {
  readonly #params: boolean;
  readonly #variables = new Map<string, Type>();

  constructor(params: boolean) {
    this.#params = params;
  }

  variable(name: string, expression: string): string | undefined {
    const made = compile(expression, this.#environment(true));
    this.#variables.set(name, typeof made === "string" ? dynType : made.checked.type);
    return typeof made === "string" ? failure(made) : undefined;
  }

  validation(expression: string): string | undefined {
    return this.#problem(expression, bool);
  }

  auditAnnotation(expression: string): string | undefined {
    return this.#problem(expression, stringOrNull);
  }

  /** Whoever is refused may not learn what others may do. */
  message(expression: string): string | undefined {
    return this.#problem(expression, string, false);
  }

  #problem(expression: string, { kinds, names }: Wanted, authorizer = true): string | undefined {
    const made = compile(expression, this.#environment(authorizer));
    if (typeof made === "string") return failure(made);
    const { type } = made.checked;
    if (kinds.includes(type.kind)) return undefined;
    const wanted = names.length === 1 ? names.join("") : `one of [${names.join(" ")}]`;
    return `must evaluate to ${wanted} but got ${formatType(type)}`;
  }

  #environment(authorizer: boolean): ReturnType<typeof policyEnvironment> {
    return policyEnvironment({ params: this.#params, authorizer }, this.#variables);
  }
}

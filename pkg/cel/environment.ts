import type { FunctionOverload } from "./declarations.ts";
import {
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  listType,
  mapType,
  nullType,
  stringType,
  structType,
  timestampType,
  type Type,
  typeOfType,
  typeParam,
  typeType,
  uintType,
} from "./types.ts";

/** What object types there are, and what fields they have. */
export interface TypeProvider {
  hasStruct(name: string): boolean;
  fieldType(struct: string, field: string): Type | undefined;
}

export interface Declaration {
  readonly name: string;
  readonly type: Type;
}

const namesOfTypes: ReadonlyMap<string, Type> = new Map([
  ...[
    boolType,
    bytesType,
    doubleType,
    durationType,
    intType,
    nullType,
    stringType,
    timestampType,
    uintType,
  ].map((type) => [type.name, type] as const),
  ["list", listType(typeParam("A"))],
  ["map", mapType(typeParam("A"), typeParam("B"))],
  ["optional_type", { kind: "opaque", name: "optional_type", params: [typeParam("V")] }],
  ["type", typeType],
]);

const noStructs: TypeProvider = { hasStruct: () => false, fieldType: () => undefined };

/** Functions, variables and types that expressions may use. */
export class Environment {
  readonly #functions: ReadonlyMap<string, readonly FunctionOverload[]>;
  readonly #libraryTypes: ReadonlySet<string>;
  readonly #variables: ReadonlyMap<string, Type>;
  readonly types: TypeProvider;

  private constructor(
    functions: ReadonlyMap<string, readonly FunctionOverload[]>,
    libraryTypes: ReadonlySet<string>,
    variables: ReadonlyMap<string, Type>,
    types: TypeProvider,
  ) {
    this.#functions = functions;
    this.#libraryTypes = libraryTypes;
    this.#variables = variables;
    this.types = types;
  }

  static of(overloads: readonly FunctionOverload[]): Environment {
    const functions = Map.groupBy(overloads, ({ name }) => name);
    const types = overloads.flatMap(({ args, result }) => [...args, result]);
    const named = types.filter(
      ({ kind, name }) => kind === "struct" || (kind === "opaque" && name.includes(".")),
    );
    return new Environment(functions, new Set(named.map(({ name }) => name)), new Map(), noStructs);
  }

  with(variables: readonly Declaration[], types: TypeProvider = this.types): Environment {
    const all = new Map([...this.#variables, ...variables.map(({ name, type }) => [name, type] as const)]);
    return new Environment(this.#functions, this.#libraryTypes, all, types);
  }

  /** With functions that others do not have. */
  withFunctions(overloads: readonly FunctionOverload[]): Environment {
    const more = Map.groupBy(overloads, ({ name }) => name);
    return new Environment(
      new Map([...this.#functions, ...more]),
      this.#libraryTypes,
      this.#variables,
      this.types,
    );
  }

  functionNamed(name: string): readonly FunctionOverload[] | undefined {
    return this.#functions.get(name.replace(/^\./, ""));
  }

  /** A variable, or the name of a type, which is a value as well. */
  identifier(given: string): Declaration | undefined {
    const name = given.replace(/^\./, "");
    const variable = this.#variables.get(name);
    if (variable !== undefined) return { name, type: variable };
    const type = this.typeNamed(name);
    return type === undefined ? undefined : { name, type: typeOfType(type) };
  }

  typeNamed(name: string): Type | undefined {
    const known = namesOfTypes.get(name);
    if (known !== undefined) return known;
    return this.#libraryTypes.has(name) || this.types.hasStruct(name) ? structType(name) : undefined;
  }
}

// A generator that is called as a statement does nothing: no type and no lint says so. It must be run (`yield*`, for…of).
import { dirname, join } from "node:path";
import { isNode, nameOf, nodesOf, type Syntax, type SyntaxNode } from "./syntax.ts";

export interface Declared {
  readonly generators: ReadonlySet<string>;
  readonly others: ReadonlySet<string>;
}

export function declaredIn({ program }: Syntax): Declared {
  const generators = new Set<string>();
  const others = new Set<string>();
  for (const node of nodesOf(program)) {
    const [name, made] = functionOf(node);
    if (name !== "") (made["generator"] === true ? generators : others).add(name);
  }
  return { generators, others };
}

type Made = Readonly<Record<string, unknown>>;

/** Functions have their parts themselves, methods have them in a function of their own. */
function functionOf(node: SyntaxNode): readonly [name: string, made: Made] {
  if (node.type === "FunctionDeclaration") return [nameOf(node["identifier"]), node];
  if (node.type === "ClassMethod" || node.type === "PrivateMethod")
    return [nameOf(node["key"]), node["function"] as Made];
  return ["", {}];
}

/** The lines with a call of a generator of `near` (the file itself and what it imports) that nobody runs. */
export function idleGenerators({ program, lineOf }: Syntax, near: readonly Declared[]): readonly number[] {
  const isGenerator = (name: string): boolean =>
    near.some(({ generators }) => generators.has(name)) && !near.some(({ others }) => others.has(name));
  return [...nodesOf(program)]
    .filter((node) => node.type === "ExpressionStatement" && isGenerator(calleeOf(node["expression"])))
    .map(lineOf);
}

/** The name of what a statement calls, as a function or a method, also after `void`. */
function calleeOf(expression: unknown): string {
  if (!isNode(expression)) return "";
  switch (expression.type) {
    case "UnaryExpression":
      return calleeOf(expression["argument"]);
    case "OptionalChainingExpression":
      return calleeOf(expression["base"]);
    case "CallExpression":
      return calledName(expression["callee"]);
    default:
      return "";
  }
}

function calledName(callee: unknown): string {
  if (!isNode(callee)) return "";
  if (callee.type === "OptionalChainingExpression") return calledName(callee["base"]);
  return callee.type === "MemberExpression" ? nameOf(callee["property"]) : nameOf(callee);
}

/** The files that a file imports, of this repository. */
export function importsOf(file: string, { program }: Syntax): readonly string[] {
  return [...nodesOf(program)]
    .filter(({ type }) => type === "ImportDeclaration")
    .map((node) => (isNode(node["source"]) ? String(node["source"]["value"]) : ""))
    .filter((path) => path.startsWith("."))
    .map((path) => join(dirname(file), path));
}

// An error that is made because another one was caught must keep that as its cause: callers judge by it (isUnreachable).
import { isNode, nameOf, type Syntax, type SyntaxNode } from "./syntax.ts";

/** The lines with an error that is made in a catch clause and does not keep what was caught. */
export function lostCauses({ program, lineOf }: Syntax): readonly number[] {
  return [...errorsIn(program, undefined)].map(lineOf);
}

/** `caught`: the name of what was caught; "" where it has none, and undefined outside of catch clauses. */
function* errorsIn(value: unknown, caught: string | undefined): Generator<SyntaxNode> {
  if (Array.isArray(value)) {
    for (const item of value) yield* errorsIn(item, caught);
    return;
  }
  if (!isNode(value)) {
    if (typeof value === "object" && value !== null)
      for (const part of Object.values(value)) yield* errorsIn(part, caught);
    return;
  }
  if (value.type === "CatchClause") {
    yield* errorsIn(value["body"], nameOf(value["param"]));
    return;
  }
  if (caught !== undefined && isNewError(value) && !keeps(value["arguments"], caught)) yield value;
  for (const [field, part] of Object.entries(value)) if (field !== "span") yield* errorsIn(part, caught);
}

function isNewError(node: SyntaxNode): boolean {
  return node.type === "NewExpression" && nameOf(node["callee"]).endsWith("Error");
}

/** As an argument of its own after the message, as `cause` of the options or fields, or among several errors. */
function keeps(args: unknown, caught: string): boolean {
  const expressions = ((args ?? []) as readonly { readonly expression: unknown }[]).map(
    ({ expression }) => expression,
  );
  return expressions.some((expression, index) => {
    if (!isNode(expression)) return false;
    if (expression.type === "ArrayExpression") return mentions(expression, caught);
    if (expression.type === "ObjectExpression")
      return causesOf(expression).some((cause) => mentions(cause, caught));
    return index > 0 && mentions(expression, caught);
  });
}

function causesOf({ properties }: SyntaxNode): readonly unknown[] {
  return (properties as readonly SyntaxNode[]).flatMap((property) => {
    if (property.type === "Identifier") return property["value"] === "cause" ? [property] : [];
    if (property.type === "SpreadElement") return [property];
    return nameOf(property["key"]) === "cause" ? [property["value"]] : [];
  });
}

function mentions(value: unknown, name: string): boolean {
  if (Array.isArray(value)) return value.some((item) => mentions(item, name));
  if (typeof value !== "object" || value === null) return false;
  if (isNode(value) && value.type === "Identifier") return value["value"] === name;
  return Object.values(value).some((part) => mentions(part, name));
}

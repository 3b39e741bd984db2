// An error that is made because another one was caught must keep that as its cause: callers judge by it (isUnreachable).
import { parseSync } from "@swc/core";
import { globSync, readFileSync } from "node:fs";

/** What the parser gives: a node has a type, and anything below it. */
interface SyntaxNode {
  readonly type: string;
  readonly span?: { readonly start: number };
  readonly [field: string]: unknown;
}

/** The lines with an error that is made in a catch clause and does not keep what was caught. */
export function lostCauses(source: string): readonly number[] {
  // The parser counts on from file to file: the program itself tells where it begins.
  const program = parseSync(source, { syntax: "typescript", target: "es2022" }) as unknown as SyntaxNode;
  const bytes = Buffer.from(source);
  const first = firstByte(source);
  const from = (program.span?.start ?? 0) - first;
  return [...errorsIn(program, undefined)].map(
    (start) =>
      bytes
        .subarray(0, start - from)
        .toString()
        .split("\n").length,
  );
}

/** The program's span begins with its first token, after comments and white space. */
function firstByte(source: string): number {
  const text = source.replace(/^(?:\s+|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)+/, "");
  return Buffer.byteLength(source) - Buffer.byteLength(text);
}

/** `caught`: the name of what was caught; "" where it has none, and undefined outside of catch clauses. */
function* errorsIn(value: unknown, caught: string | undefined): Generator<number> {
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
  if (caught !== undefined && isNewError(value) && !keeps(value["arguments"], caught))
    yield value.span?.start ?? 0;
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

function nameOf(node: unknown): string {
  return isNode(node) && node.type === "Identifier" ? String(node["value"]) : "";
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

if (import.meta.main) {
  const lost = globSync("{cmd,controllers,hack,pkg,test}/**/*.ts").flatMap((file) =>
    lostCauses(readFileSync(file, "utf8")).map((line) => `${file}:${line}`),
  );
  for (const place of lost) console.log(`${place}: this error must keep as its cause what was caught`);
  process.exitCode = lost.length === 0 ? 0 : 1;
}

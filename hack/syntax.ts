// What the checks of the gate read: the syntax tree of a file, and the lines of its nodes.
import { parseSync } from "@swc/core";

/** What the parser gives: a node has a type, and anything below it. */
export interface SyntaxNode {
  readonly type: string;
  readonly span?: { readonly start: number };
  readonly [field: string]: unknown;
}

export interface Syntax {
  readonly program: SyntaxNode;
  readonly lineOf: (node: SyntaxNode) => number;
}

export function syntaxOf(source: string): Syntax {
  const program = parseSync(source, { syntax: "typescript", target: "es2022" }) as unknown as SyntaxNode;
  const bytes = Buffer.from(source);
  // The parser counts on from file to file: the program itself tells where it begins.
  const from = (program.span?.start ?? 0) - firstByte(source);
  const lineOf = ({ span }: SyntaxNode): number =>
    bytes
      .subarray(0, (span?.start ?? 0) - from)
      .toString()
      .split("\n").length;
  return { program, lineOf };
}

/** The program's span begins with its first token, after comments and white space. */
function firstByte(source: string): number {
  const text = source.replace(/^(?:\s+|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)+/, "");
  return Buffer.byteLength(source) - Buffer.byteLength(text);
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

/** The name of an identifier, plain or private; "" of anything else. */
export function nameOf(node: unknown): string {
  if (!isNode(node)) return "";
  if (node.type === "PrivateName") return `#${String(node["value"])}`;
  return node.type === "Identifier" ? String(node["value"]) : "";
}

/** Every node of a tree, each before what is below it. */
export function* nodesOf(value: unknown): Generator<SyntaxNode> {
  if (Array.isArray(value)) {
    for (const item of value) yield* nodesOf(item);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  if (isNode(value)) yield value;
  for (const [field, part] of Object.entries(value)) if (field !== "span") yield* nodesOf(part);
}

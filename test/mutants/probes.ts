// Says which parts of the program a test reaches: every block of every source notes that it was entered.
import { parseAst } from "rolldown/parseAst";
import { isNode, type Node } from "./operators.ts";

declare global {
  /** "pkg/clock/real.ts:120": the blocks that this process has entered. */
  var reached: Record<string, 1> | undefined;
}

/** What is executed as a whole: a module, a block, or what an arrow gives without one. */
interface Block {
  /** Its name within its source. */
  readonly start: number;
  readonly end: number;
  readonly isExpression: boolean;
}

/** The outer ones first. */
function blocksOf(source: string): readonly Block[] {
  const found: Block[] = [{ start: 0, end: source.length, isExpression: false }];
  const visit = (node: Node): void => {
    const { type, start, end } = node;
    if (type === "BlockStatement") found.push({ start: start + 1, end, isExpression: false });
    const body = node["body"];
    if (type === "ArrowFunctionExpression" && isNode(body) && body.type !== "BlockStatement")
      // Parentheses around it belong to no node.
      found.push({ start: source.lastIndexOf("=>", body.start) + 2, end, isExpression: true });
    for (const value of Object.values(node).flat()) if (isNode(value)) visit(value);
  };
  visit(parseAst(source, { lang: "ts" }) as unknown as Node);
  return found;
}

export function isProbed(file: string): boolean {
  return /^(pkg|controllers)\/.*\.ts$/.test(file) && !/\.(test|test-data|gen|d)\.ts$/.test(file);
}

/** The source with a note at the beginning of each block. */
export function probed(file: string, source: string): string {
  const insertions = blocksOf(source).flatMap(({ start, end, isExpression }) => {
    const note = `(globalThis.reached ??= {})[${JSON.stringify(`${file}:${start}`)}] = 1`;
    if (!isExpression) return [{ at: start, text: `${note};` }];
    return [
      { at: start, text: `(${note}, ` },
      { at: end, text: ")" },
    ];
  });
  let text = "";
  let from = 0;
  for (const insertion of insertions.toSorted((a, b) => a.at - b.at)) {
    text += source.slice(from, insertion.at) + insertion.text;
    from = insertion.at;
  }
  return text + source.slice(from);
}

/** The name under which the innermost block around a place is noted. */
export function blockAround(file: string, source: string, place: number): string {
  const around = blocksOf(source).filter(({ start, end }) => start <= place && place < end);
  return `${file}:${Math.max(...around.map(({ start }) => start))}`;
}

import { codePoints } from "./code-points.ts";
/** The text of an expression by code points, as positions in messages count them. */
export class Source {
  readonly codePoints: readonly string[];

  readonly text: string;

  constructor(text: string) {
    this.text = text;
    this.codePoints = codePoints(text);
  }

  get length(): number {
    return this.codePoints.length;
  }

  /** Lines count from one, columns from zero. */
  position(offset: number): { readonly line: number; readonly column: number } {
    let line = 1;
    let start = 0;
    for (let at = 0; at < offset && at < this.codePoints.length; at++) {
      if (this.codePoints[at] !== "\n") continue;
      line++;
      start = at + 1;
    }
    return { line, column: offset - start };
  }
}

export interface Issue {
  readonly offset: number;
  readonly message: string;
}

const mostIssues = 100;
const longestSnippet = 16_384;

/** All issues with the lines that they are about, and a mark below the place. */
export function formatIssues(source: Source, issues: readonly Issue[]): string {
  const lines = source.text.split("\n");
  const placed = issues
    .slice(0, mostIssues)
    .map(({ offset, message }) => ({ message, ...source.position(offset) }))
    .toSorted((a, b) => a.line - b.line || a.column - b.column);
  const texts = placed.map(({ line, column, message }) => {
    // upstream: what ends before it begins ends before its first column, and has no lines to show.
    if (source.text === "") return `ERROR: <input>:1:0: ${message}`;
    const head = `ERROR: <input>:${line}:${column + 1}: ${message}`;
    const snippet = lines[line - 1]?.replaceAll("\t", " ");
    if (snippet === undefined || snippet.length > longestSnippet) return head;
    const points = codePoints(snippet);
    const mark = points.slice(0, column).map((point) => (isWide(point) ? "\uFF0E" : "."));
    const hat = isWide(points[column] ?? " ") ? "\uFF3E" : "^";
    return `${head}\n | ${snippet}\n | ${mark.join("")}${hat}`;
  });
  if (issues.length > mostIssues) texts.push(`${issues.length - mostIssues} more errors were truncated`);
  return texts.join("\n");
}

/** Whether a letter takes more than a byte: those are shown wide. */
function isWide(point: string): boolean {
  return (point.codePointAt(0) ?? 0) > 0x7f;
}

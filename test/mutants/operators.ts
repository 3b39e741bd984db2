import { parseAst } from "rolldown/parseAst";

/** A part of a source that stands for another: what a slip of the hand could make of it. */
export interface Slip {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** "drop await", "=== → !==". */
  readonly kind: string;
}

export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const SWAPPED_OPERATORS: ReadonlyMap<string, string> = new Map([
  ["<", "<="],
  ["<=", "<"],
  [">", ">="],
  [">=", ">"],
  ["===", "!=="],
  ["!==", "==="],
  ["+", "-"],
  ["-", "+"],
  ["*", "/"],
  ["&&", "||"],
  ["||", "&&"],
]);
const SWAPPED_CALLS: ReadonlyMap<string, string> = new Map([
  ["some", "every"],
  ["every", "some"],
  ["min", "max"],
  ["max", "min"],
]);
const EFFECTS: ReadonlySet<string> = new Set([
  "CallExpression",
  "AwaitExpression",
  "AssignmentExpression",
  "UpdateExpression",
]);
/** The beginning of what only tells people something. */
const TOLD =
  /^(await )?([\w.#]*\b)?(log|logger|event)\b|^[\w.#]*\.(verbose|info|error|warning|event|decided)\(|^new \w*Error\(/;

/** All slips that this program knows for a source in TypeScript, in the order in which they stand there. */
export function slipsIn(source: string): readonly Slip[] {
  const slips = new Slips(source);
  slips.visit(parseAst(source, { lang: "ts" }) as unknown as Node);
  return slips.found.toSorted((a, b) => a.start - b.start || a.end - b.end);
}

class Slips {
  readonly found: Slip[] = [];
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  visit(node: Node): void {
    // Of types nothing is left at run time; what is asserted is an expression like any other.
    if (node.type === "ImportDeclaration") return;
    if (node.type.startsWith("TS")) {
      const inner = node["expression"];
      if (isNode(inner)) this.visit(inner);
      return;
    }
    if (TOLD.test(this.#textOf(node).slice(0, 80)) && /Call|New|Statement/.test(node.type)) return;
    this.#slip(node);
    const isPattern = node.type === "ObjectPattern";
    for (const value of Object.values(node)) {
      for (const each of Array.isArray(value) ? value : [value]) {
        if (!isNode(each)) continue;
        // What a pattern takes out is used, or the gate says so; its defaults count.
        this.visit(isPattern && each.type === "Property" ? (each["value"] as Node) : each);
      }
    }
  }

  #slip(node: Node): void {
    const text = (name: string): string => this.#textOf(node[name] as Node);
    switch (node.type) {
      case "BinaryExpression":
      case "LogicalExpression":
        this.#slipOfOperator(node, node["operator"] as string);
        break;
      case "ConditionalExpression":
        this.#add(node, `(${text("test")} ? ${text("alternate")} : ${text("consequent")})`, "swap branches");
        break;
      case "IfStatement":
        this.#add(node["test"] as Node, `!(${text("test")})`, "negate if");
        break;
      case "UnaryExpression":
        if (node["operator"] === "!") this.#add(node, text("argument"), "drop !");
        break;
      case "Literal":
        this.#slipOfLiteral(node, node["value"]);
        break;
      case "AwaitExpression":
        this.#add(node, text("argument"), "drop await");
        break;
      case "ThrowStatement":
        this.#add(node, ";", "drop throw");
        break;
      case "ExpressionStatement":
        if (EFFECTS.has((node["expression"] as Node).type) && !this.#textOf(node).startsWith("super"))
          this.#add(node, ";", "drop statement");
        break;
      case "Property":
        if (node["kind"] === "init" && node["method"] !== true) this.#drop(node, "drop property");
        break;
      case "SpreadElement":
        this.#drop(node, "drop spread");
        break;
      case "CallExpression":
        this.#slipOfCall(node["callee"] as Node, node);
        break;
      default:
    }
  }

  #slipOfOperator(node: Node, operator: string): void {
    const [left, right] = [node["left"] as Node, node["right"] as Node];
    const swapped = SWAPPED_OPERATORS.get(operator);
    if (operator === "??") this.#add(node, this.#textOf(left), "drop ?? …");
    if (swapped === undefined) return;
    // Parentheses belong to no node: they stand between.
    const between = this.#source.slice(left.end, right.start).replace(operator, swapped);
    const [before, after] = [
      this.#source.slice(node.start, left.end),
      this.#source.slice(right.start, node.end),
    ];
    this.#add(node, `(${before}${between}${after})`, `${operator} → ${swapped}`);
  }

  #slipOfLiteral(node: Node, value: unknown): void {
    if (typeof value === "boolean") this.#add(node, String(!value), "flip");
    if (typeof value === "number") this.#add(node, String(value + 1), "one more");
  }

  #slipOfCall(callee: Node, call: Node): void {
    if (callee.type !== "MemberExpression") return;
    const name = this.#textOf(callee["property"] as Node);
    const object = this.#textOf(callee["object"] as Node);
    const swapped = SWAPPED_CALLS.get(name);
    if (name === "filter") this.#add(call, object, "drop filter");
    if (swapped !== undefined) this.#add(callee, `${object}.${swapped}`, `${name} → ${swapped}`);
  }

  #add({ start, end }: Node, text: string, kind: string): void {
    this.found.push({ start, end, text, kind });
  }

  /** With the comma behind it. */
  #drop({ start, end }: Node, kind: string): void {
    const comma = /^\s*,/.exec(this.#source.slice(end))?.[0].length ?? 0;
    this.found.push({ start, end: end + comma, text: "", kind });
  }

  #textOf({ start, end }: Node): string {
    return this.#source.slice(start, end);
  }
}

export function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string";
}

import { isJson } from "../../api/json.ts";

type Step =
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "all" }
  | {
      readonly kind: "filter";
      readonly path: readonly Step[];
      readonly operator: string;
      readonly value: unknown;
    };

export class JsonPathError extends Error {
  readonly code = "JsonPath";
}

/**
 * The part of Kubernetes' JSONPath that printer columns use: `.spec.size`, `.items[0]`, `.items[*].name`,
 * `['a.b']`, `.labels.a\.b` and `.conditions[?(@.type=="Ready")].status`. Returns all values found.
 */
export function compileJsonPath(text: string): (object: unknown) => readonly unknown[] {
  const steps = parse(text.replace(/^\{|\}$/g, ""));
  return (object) =>
    steps.reduce<readonly unknown[]>(
      (values, step) => values.flatMap((value) => take(value, step)),
      [object],
    );
}

const stepPattern =
  /\.?\['((?:[^'\\]|\\.)*)'\]|\[(-?\d+)\]|\.?\[\*\]|\.\*|\[\?\(@((?:\.[\w-]+)+)\s*(==|!=|<=|>=|<|>)\s*("[^"]*"|'[^']*'|[^)\s]+)\s*\)\]|\.((?:[^.[\\]|\\.)+)/y;

function parse(text: string): readonly Step[] {
  const path = text.startsWith("$") ? text.slice(1) : text;
  const steps: Step[] = [];
  stepPattern.lastIndex = 0;
  while (stepPattern.lastIndex < path.length) {
    const at = stepPattern.lastIndex;
    const match = stepPattern.exec(path);
    if (match === null)
      throw new JsonPathError(`cannot read JSONPath ${JSON.stringify(text)} at ${path.slice(at)}`);
    steps.push(stepOf(match));
    stepPattern.lastIndex = at + match[0].length;
  }
  return steps;
}

function stepOf(match: RegExpExecArray): Step {
  const [, quoted, index, filterPath, operator = "", value = "", name] = match;
  if (filterPath !== undefined) {
    const path = filterPath
      .slice(1)
      .split(".")
      .map((part): Step => ({ kind: "field", name: part }));
    return { kind: "filter", path, operator, value: literal(value) };
  }
  if (index !== undefined) return { kind: "index", index: Number(index) };
  const field = quoted ?? name;
  return field === undefined ? { kind: "all" } : { kind: "field", name: field.replaceAll(/\\(.)/g, "$1") };
}

function literal(text: string): unknown {
  if (/^["'].*["']$/.test(text)) return text.slice(1, -1);
  if (text === "true" || text === "false") return text === "true";
  return Number(text);
}

function take(value: unknown, step: Step): readonly unknown[] {
  switch (step.kind) {
    case "field":
      return isJson(value) && value[step.name] !== undefined ? [value[step.name]] : [];
    case "index":
      return Array.isArray(value) && value.at(step.index) !== undefined ? [value.at(step.index)] : [];
    case "all":
      if (Array.isArray(value)) return value;
      return isJson(value) ? Object.values(value) : [];
    case "filter":
    default:
      return Array.isArray(value) ? value.filter((item) => matchesFilter(item, step)) : [];
  }
}

function matchesFilter(item: unknown, { path, operator, value }: Extract<Step, { kind: "filter" }>): boolean {
  const [actual] = path.reduce<readonly unknown[]>(
    (values, step) => values.flatMap((one) => take(one, step)),
    [item],
  );
  if (operator === "==") return actual === value;
  if (operator === "!=") return actual !== undefined && actual !== value;
  if ((typeof actual !== "number" && typeof actual !== "bigint") || typeof value !== "number") return false;
  if (operator === "<") return actual < value;
  if (operator === "<=") return actual <= value;
  return operator === ">" ? actual > value : actual >= value;
}

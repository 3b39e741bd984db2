import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { plain, sampleVariables } from "./answers.test-data.ts";
import { inOneGo } from "../api/steps.ts";
import { type Compiled, compile, kubernetesEnvironment } from "./compile.ts";
import { estimateCost, type SizeOf } from "./estimate.ts";
import { knownDifferences } from "./known-differences.test-data.ts";
import { dynType, intType, listType, mapType, stringType } from "./types.ts";

/** What hack/print-cel-answers.go prints. */
interface Answer {
  readonly compile?: string;
  readonly error?: string;
  readonly value?: unknown;
  readonly cost?: number;
  readonly min?: string;
  readonly max?: string;
}

const file = new URL("recorded.json.br", import.meta.url);
const { expressions, answers } = JSON.parse(brotliDecompressSync(readFileSync(file)).toString()) as {
  readonly expressions: readonly string[];
  readonly answers: readonly Answer[];
};

const environment = kubernetesEnvironment.with([
  { name: "i", type: intType },
  { name: "s", type: stringType },
  { name: "l", type: listType(stringType) },
  { name: "m", type: mapType(stringType, stringType) },
  { name: "d", type: dynType },
]);

const sizes: Readonly<Record<string, number>> = {
  s: 10,
  l: 5,
  "l.@items": 7,
  m: 3,
  "m.@keys": 4,
  "m.@values": 9,
};

const sizeOf: SizeOf = (path) => {
  const max = sizes[path.join(".")];
  return max === undefined ? undefined : { min: 0, max };
};

type Evaluated = Pick<Answer, "cost" | "error" | "value">;

/** With pauses nothing comes out differently. */
function evaluate({ run, inSteps }: Compiled): Evaluated {
  const [whole, paused] = [run, (...args: Parameters<typeof run>) => inOneGo(inSteps(...args))].map(
    evaluated,
  );
  expect(paused).toEqual(whole);
  return whole ?? {};
}

function evaluated(run: Compiled["run"]): Evaluated {
  try {
    const { value, cost } = run((name) => sampleVariables.get(name), 1e7);
    return { value: plain(value), ...(cost === 0 ? {} : { cost }) };
  } catch (error) {
    if (error instanceof Error) return { error: error.message };
    throw error;
  }
}

/** The first thing that is said otherwise; undefined where all is alike. */
function difference(expression: string, answer: Answer): string | undefined {
  const compiled = compile(expression, environment);
  if (typeof compiled === "string") {
    const failed = compiled.replace("program instantiation failed", "program");
    return failed === (answer.compile ?? answer.error) ? undefined : "compile";
  }
  if (answer.compile !== undefined) return "compile";
  const { min, max } = estimateCost(compiled.checked, sizeOf);
  if (min !== Number(answer.min) || max !== Number(answer.max)) return "estimate";
  const outcome = evaluate(compiled);
  if (outcome.error !== answer.error) return "error";
  if (JSON.stringify(outcome.value) !== JSON.stringify(answer.value)) return "value";
  return answer.error === undefined && outcome.cost !== answer.cost ? "cost" : undefined;
}

test("expressions mean and cost what they do on the real API server", () => {
  expect(expressions.length).toBeGreaterThan(2000);
  const found: Record<string, string[]> = {};
  for (const [index, expression] of expressions.entries()) {
    const what = difference(expression, answers[index] ?? {});
    if (what !== undefined) (found[what] ??= []).push(expression);
  }
  expect(found).toEqual(knownDifferences);
});

import { describe, expect, test } from "vitest";
import { type Compiled, compile, kubernetesEnvironment } from "./compile.ts";
import { CostLimitError } from "./run.ts";
import { dynType, intType } from "./types.ts";
import { ArrayList, EvaluationError, type Value } from "./values.ts";

const environment = kubernetesEnvironment.with([
  { name: "replicas", type: intType },
  { name: "given", type: dynType },
]);

function compiled(text: string): Compiled {
  const made = compile(text, environment);
  if (typeof made === "string") throw new Error(made);
  return made;
}

const evaluate = (text: string, values: Readonly<Record<string, Value>> = {}, limit = 1_000_000): Value =>
  compiled(text).run((name) => values[name], limit).value;

describe("an expression", () => {
  test("is evaluated with the variables of a call", () => {
    const { run } = compiled("replicas > 0 && replicas <= 10");
    expect(run(() => 3n, 1_000_000)).toEqual({ value: true, cost: 4 });
    expect(run(() => 11n, 1_000_000).value).toBe(false);
  });

  test("that cannot be used says where it is wrong", () => {
    expect(compile("replicas > 'a'", environment)).toBe(
      "ERROR: <input>:1:10: found no matching overload for '_>_' applied to '(int, string)'\n" +
        " | replicas > 'a'\n | .........^",
    );
  });

  test("does without the side that fails where the other one decides", () => {
    expect(evaluate("given.a == 1 || replicas == 1", { given: 1n, replicas: 1n })).toBe(true);
    expect(() => evaluate("given.a == 1 || replicas == 2", { given: 1n, replicas: 1n })).toThrow(
      EvaluationError,
    );
  });

  test("ends where it costs more than it may, whatever operators are around it", () => {
    const given = new ArrayList(Array.from({ length: 1000 }, (_, at) => BigInt(at)));
    const text = "given.all(a, given.all(b, a + b >= 0)) || true";
    expect(() => evaluate(text, { given }, 10_000)).toThrow(CostLimitError);
  });

  test("tells what it spent before it failed", () => {
    const spent = { cost: 0 };
    expect(() => compiled("1 / (replicas - 1) == 1").run(() => 1n, 100, spent)).toThrow("division by zero");
    expect(spent.cost).toBe(3);
  });

  test("may be deep as far as the real server lets it", () => {
    expect(typeof compile(`${"(".repeat(200)}1${")".repeat(200)} == 1`, environment)).toBe("object");
    expect(compile(`${"(".repeat(300)}1${")".repeat(300)} == 1`, environment)).toContain("recursion limit");
  });
});

import { expect, test } from "vitest";
import { type Compiled, compile, kubernetesEnvironment } from "./compile.ts";
import { type Outcome, Run } from "./run.ts";
import { dynType, intType, listType, stringType } from "./types.ts";
import { ArrayList, type Value } from "./values.ts";

const COUNT = 2_000;
const LIMIT = 1_000_000;
/** What may be between two pauses: what a loop takes before it pauses, and a round or two beyond that. */
const MOST_BETWEEN = 2_500;

const ints = Array.from({ length: COUNT }, (_, at) => BigInt(at));
const values: ReadonlyMap<string, Value> = new Map<string, Value>([
  ["ints", new ArrayList(ints)],
  ["texts", new ArrayList(ints.map((one) => `${one}Mi`))],
  ["dyn", new ArrayList(ints)],
  ["long", "a".repeat(100_000)],
]);
const environment = kubernetesEnvironment.with([
  { name: "ints", type: listType(intType) },
  { name: "texts", type: listType(stringType) },
  { name: "dyn", type: dynType },
  { name: "long", type: stringType },
]);

function compiled(text: string): Compiled {
  const made = compile(text, environment, { withBind: true });
  if (typeof made === "string") throw new Error(made);
  return made;
}

interface Between {
  readonly costs: readonly number[];
  readonly outcome: Outcome | Error;
}

/** What is spent from pause to pause. */
function betweenPauses({ inSteps }: Compiled, steps = Infinity): Between {
  const spent: number[] = [];
  let last = 0;
  const { charge } = Run.prototype;
  Run.prototype.charge = function (cost) {
    charge.call(this, cost);
    spent[spent.length - 1] = this.cost - last;
    current = this.cost;
  };
  let current = 0;
  const program = inSteps((name) => values.get(name), LIMIT);
  try {
    for (;;) {
      last = current;
      spent.push(0);
      const step = program.next();
      if (step.done === true) return { costs: spent, outcome: step.value };
      if (spent.length >= steps) return { costs: spent, outcome: new Error("long enough") };
    }
  } catch (error) {
    if (error instanceof Error) return { costs: spent, outcome: error };
    throw error;
  } finally {
    Run.prototype.charge = charge;
  }
}

const untilTheLimit = [
  "ints.all(x, ints.all(y, x + y >= 0))",
  "dyn.all(x, dyn.all(y, x + y >= 0))",
  "ints.all(x, ints.exists_one(y, x + y == 0) || true)",
  "ints.map(x, ints.map(y, x * y)).size() > 0",
  "ints.all(x, ints.filter(y, y > x).size() >= 0)",
  "texts.all(x, texts.all(y, quantity(x).compareTo(quantity(y)) < 2))",
  "[ints.all(x, ints.all(y, x + y >= 0))][0]",
  "{'a': ints.all(x, ints.all(y, x + y >= 0))}.a",
  "!(ints.exists(x, ints.exists(y, x + y < 0)) ? ints.all(x, true) : ints.all(x, false))",
  "ints.all(x, ints.exists(y, y == 1) && ints.exists(z, z == 2000) || true)",
  "cel.bind(all, ints.map(x, ints.map(y, x + y)), all.size() > 0)",
  "optional.of(ints.all(x, ints.all(y, x + y >= 0))).orValue(false)",
  "ints.transformList(at, x, ints.all(y, x + y >= 0)).size() > 0",
];

test.each(untilTheLimit)("%s pauses all the time", (text) => {
  const { costs, outcome } = betweenPauses(compiled(text));
  expect(outcome).toMatchObject({ message: "operation cancelled: actual cost limit exceeded" });
  expect(Math.max(...costs)).toBeLessThanOrEqual(MOST_BETWEEN);
  expect(costs.length).toBeGreaterThan(LIMIT / MOST_BETWEEN);
});

test.each([
  ["rounds that cost nothing", "ints.map(x, ints.filter(y, false)).size() > 0", COUNT * (COUNT / 16)],
  ["lists that are compared whole", "ints.all(x, ints + [x] != ints + [x + 1])", COUNT],
  ["matches of a pattern", "long.findAll('a').size() > 0", 100_000 / 64],
  ["matches of a pattern, not all", "long.findAll('a', 90000).size() > 0", 90_000 / 64],
  ["elements of a set", "sets.contains(ints.slice(0, 900), ints.slice(0, 900))", 900],
  ["elements of both of two sets", "sets.equivalent(ints.slice(0, 700), ints.slice(0, 700))", 1400],
  ["elements in no other set", "sets.intersects(ints.slice(0, 900), ints.slice(1000, 1900))", 900],
  ["duplicates", "ints.slice(0, 700).distinct().size() == 700", 700],
  ["long texts", "ints.all(x, long.contains('b' + string(x)) || true)", 30],
])("%s leave others their turn", (_, text, least) => {
  const { costs } = betweenPauses(compiled(text), least);
  expect(costs.length).toBeGreaterThanOrEqual(Math.trunc(least));
});

test("functions one after the other leave others their turn", () => {
  const { costs } = betweenPauses(compiled("ints == dyn && ints == dyn && (ints != dyn || ints == dyn)"));
  expect(costs).toHaveLength(5);
});

/** Before a limit was looked at only afterwards, when the work had been done. */
test("what is beyond the limit is not even begun", () => {
  const looked: number[] = [];
  class Watched extends ArrayList {
    override at(index: number): Value {
      looked.push(index);
      return super.at(index);
    }
  }
  const list = new Watched(ints);
  const { run } = compiled("sets.contains(dyn, dyn)");
  expect(() => run(() => list, LIMIT)).toThrow("actual cost limit exceeded");
  expect(looked).toEqual([]);
});

test("each list that a loop fills is its own", () => {
  const { run } = compiled("cel.bind(a, [], (a + [1]).size() + (a + [2]).size())");
  expect(run((name) => values.get(name), LIMIT).value).toBe(2n);
});

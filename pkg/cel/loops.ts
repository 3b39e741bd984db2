import type { Steps } from "../api/steps.ts";
import { attempt, attemptInSteps, pausing, valueOf } from "./pauses.ts";
import type { Run, Step } from "./run.ts";
import {
  EntryMap,
  EvaluationError,
  GrowingList,
  GrowingMap,
  isList,
  isMap,
  type ListValue,
  type MapValue,
  type Value,
} from "./values.ts";

/** What grew is done, and nothing may be added to it any more. */
export function settled(value: Value): Value {
  if (value instanceof GrowingList) return value.settled();
  if (value instanceof GrowingMap)
    return new EntryMap([...value.keys()].map((key) => [key, value.get(key) ?? null]));
  return value;
}

interface Loop {
  readonly range: Step;
  readonly init: Step;
  /** Where the accumulator is, and the variables. */
  readonly slot: number;
  readonly first: number;
  readonly second: number | undefined;
  readonly condition: Step;
  readonly step: Step;
  readonly result: Step;
  readonly isUnconditional: boolean;
}

export function loop(parts: Loop): Step {
  return pausing(
    (run) => inOneGo(parts, run),
    (run) => inSteps(parts, run),
  );
}

function inOneGo({ slot, condition, step, ...parts }: Loop, run: Run): Value {
  const walk = new Walk(parts.range(run), parts, run);
  run.slots[slot] = attempt(parts.init, run);
  while (walk.next()) {
    if (condition(run) !== true) break;
    run.slots[slot] = parts.isUnconditional ? step(run) : attempt(step, run);
  }
  return settled(parts.result(run));
}

function* inSteps({ slot, condition, step, ...parts }: Loop, run: Run): Steps<Value> {
  const walk = new Walk(yield* valueOf(parts.range, run), parts, run);
  run.slots[slot] = yield* attemptInSteps(parts.init, run);
  while (walk.next()) {
    const goesOn = condition.inSteps === undefined ? condition(run) : yield* condition.inSteps(run);
    if (goesOn !== true) break;
    if (step.inSteps === undefined) run.slots[slot] = parts.isUnconditional ? step(run) : attempt(step, run);
    else run.slots[slot] = yield* parts.isUnconditional ? step.inSteps(run) : attemptInSteps(step, run);
    if (run.shouldPause()) yield;
  }
  return settled(yield* valueOf(parts.result, run));
}

/** Over elements or keys; with two variables, over places and elements, or keys and values. */
class Walk {
  readonly #list: ListValue | undefined;
  readonly #map: MapValue | undefined;
  readonly #keys: readonly Value[];
  readonly #size: number;
  readonly #slots: Run["slots"];
  readonly #first: number;
  readonly #second: number | undefined;
  #at = 0;

  constructor(range: Value, { first, second }: Pick<Loop, "first" | "second">, { slots }: Run) {
    this.#list = isList(range) ? range : undefined;
    this.#map = isMap(range) ? range : undefined;
    if (this.#list === undefined && this.#map === undefined) throw new EvaluationError("no such overload");
    this.#keys = this.#map === undefined ? [] : [...this.#map.keys()];
    this.#size = this.#list?.size ?? this.#keys.length;
    this.#slots = slots;
    this.#first = first;
    this.#second = second;
  }

  /** False at the end. */
  next(): boolean {
    const at = this.#at;
    if (at >= this.#size) return false;
    this.#at = at + 1;
    const one = this.#list === undefined ? (this.#keys[at] ?? null) : this.#list.at(at);
    if (this.#second === undefined) this.#slots[this.#first] = one;
    else {
      this.#slots[this.#first] = this.#list === undefined ? one : BigInt(at);
      this.#slots[this.#second] = this.#map === undefined ? one : (this.#map.get(one) ?? null);
    }
    return true;
  }
}

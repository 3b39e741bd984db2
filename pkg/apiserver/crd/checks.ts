import { isJson, type Json } from "../../api/json.ts";
import { jsonEqual } from "../../api/patch/json.ts";
import type { Pattern } from "../../api/pattern.ts";

/** Less than the thread may be held for: a check of a value takes some 50 ns. */
const maxChecks = 1_000_000;
/** Steps of a pattern's program that take as long as a check. */
const stepsPerCheck = 4;

/** What one validation may cost, and the checks that would cost more if they were done plainly. */
export class Checks {
  #left = maxChecks;
  readonly #enums = new Map<readonly unknown[], ReadonlySet<unknown>>();

  get exhausted(): boolean {
    return this.#left < 0;
  }

  /** False when there is nothing left to spend. */
  spend(checks: number): boolean {
    this.#left -= checks;
    return this.#left >= 0;
  }

  /** A match takes at most a step of each instruction for each character. False, and nothing spent, when that is too much. */
  spendOnMatch(text: string, pattern: Pattern): boolean {
    const cost = Math.ceil((text.length * pattern.size) / stepsPerCheck);
    if (cost > this.#left) return false;
    this.#left -= cost;
    return true;
  }

  isOneOf(value: unknown, values: readonly unknown[]): boolean {
    if (typeof value === "object") return values.some((one) => jsonEqual(one, value));
    let plain = this.#enums.get(values);
    if (plain === undefined) {
      plain = new Set(values);
      this.#enums.set(values, plain);
    }
    return plain.has(value);
  }

  hasDuplicates(list: readonly unknown[]): boolean {
    return new Set(list.map(identityOf)).size < list.length;
  }
}

/** The same for equal values only: what is made of objects and lists begins with a line break, as no text does here. */
export function identityOf(value: unknown): unknown {
  if (typeof value === "string") return value.startsWith("\n") ? `\n"${value}` : value;
  return typeof value === "object" && value !== null ? `\n${canonical(value)}` : value;
}

/** What tells an item of a list from the others: the values of its keys. */
export function itemIdentity(item: unknown, keys: readonly string[]): unknown {
  const [key, ...others] = keys;
  if (key !== undefined && others.length === 0 && isJson(item)) {
    const name = item[key];
    if (typeof name === "string") return identityOf(name);
  }
  return `\n${canonical(itemName(item, keys))}`;
}

export function itemName(item: unknown, keys: readonly string[]): Json {
  const present = keys.filter((key) => isJson(item) && item[key] !== undefined);
  return Object.fromEntries(present.map((key) => [key, isJson(item) ? item[key] : undefined]));
}

/** Equal for equal values, whatever the order of their keys. */
export function canonical(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`);
  return `{${members.join(",")}}`;
}

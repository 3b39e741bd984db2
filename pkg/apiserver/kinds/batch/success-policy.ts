import type { FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import { count, integer, items, optionalText } from "../../../api/json.ts";

const longestIndexes = 64 * 1024;

export function validateSuccessPolicy(spec: Json, policy: Json, path: string, errors: FieldErrors): void {
  const rules = items(policy, "rules");
  if (rules.length === 0) {
    errors.required(
      `${path}.rules`,
      "at least one rules must be specified when the successPolicy is specified",
    );
  }
  if (rules.length > 20) errors.tooMany(`${path}.rules`, rules.length, 20);
  const completions = count(spec, "completions");
  for (const [index, rule] of rules.entries()) {
    validateRule(rule, completions, `${path}.rules[${index}]`, errors);
  }
}

function validateRule(rule: Json, completions: number, path: string, errors: FieldErrors): void {
  const wanted = integer(rule, "succeededCount");
  const indexes = optionalText(rule, "succeededIndexes");
  if (wanted === undefined && indexes === undefined) {
    errors.required(path, "at least one of succeededCount or succeededIndexes must be specified");
  }
  let total = 0;
  if (indexes !== undefined) {
    const at = `${path}.succeededIndexes`;
    if (indexes.length > longestIndexes) errors.tooLong(at, longestIndexes);
    const parsed = parseIndexes(indexes, completions);
    if (typeof parsed === "string") errors.invalid(at, indexes, `error parsing succeededIndexes: ${parsed}`);
    else total = parsed.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  }
  if (wanted === undefined) return;
  const at = `${path}.succeededCount`;
  errors.nonNegative(at, wanted);
  if (wanted > completions) {
    errors.invalid(
      at,
      wanted,
      `must be less than or equal to ${completions} (the number of specified completions)`,
    );
  }
  if (indexes !== undefined && wanted > total) {
    errors.invalid(
      at,
      wanted,
      `must be less than or equal to ${total} (the number of indexes in the specified succeededIndexes field)`,
    );
  }
}

export type Interval = readonly [first: number, last: number];

/** "1,3-5" as intervals in increasing order, or what is wrong with it. */
export function parseIndexes(indexes: string, completions: number): readonly Interval[] | string {
  const intervals: Interval[] = [];
  if (indexes === "") return intervals;
  for (const part of indexes.split(",")) {
    const interval = parseInterval(part, completions);
    if (typeof interval === "string") return interval;
    const previous = intervals.at(-1)?.[1];
    if (previous !== undefined && previous >= interval[0]) {
      return `non-increasing order, previous: ${previous}, current: ${interval[0]}`;
    }
    intervals.push(interval);
  }
  return intervals;
}

function parseInterval(part: string, completions: number): Interval | string {
  const limits = part.split("-");
  if (limits.length > 2) {
    return `the fragment ${JSON.stringify(part)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  }
  const numbers: number[] = [];
  for (const limit of limits) {
    if (!/^[+-]?[0-9]+$/.test(limit))
      return `cannot convert string to integer for index: ${JSON.stringify(limit)}`;
    if (Number(limit) >= completions) return `too large index: ${JSON.stringify(limit)}`;
    numbers.push(Number(limit));
  }
  const [first = 0, last] = numbers;
  if (last === undefined) return [first, first];
  return first >= last ? `non-increasing order, previous: ${first}, current: ${last}` : [first, last];
}

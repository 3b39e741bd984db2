import { parseQuantity } from "../quantity-parse.ts";
import { type Quantity, zeroQuantity } from "../quantity.ts";

/** Amounts of resources by name. A name that is missing is not limited, used or asked for. */
export type Amounts = ReadonlyMap<string, Quantity>;

export type AmountTexts = Readonly<Record<string, string | number>>;

export function parseAmounts(texts: AmountTexts | undefined): Amounts {
  return new Map(Object.entries(texts ?? {}).map(([name, text]) => [name, parseQuantity(text)]));
}

export function formatAmounts(amounts: Amounts): Record<string, string> {
  return Object.fromEntries(
    [...amounts].toSorted(byName).map(([name, quantity]) => [name, quantity.toString()]),
  );
}

const byName = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number =>
  left < right ? -1 : Number(left > right);

export function addAmounts(left: Amounts, right: Amounts): Amounts {
  const sum = new Map(left);
  for (const [name, quantity] of right) sum.set(name, (sum.get(name) ?? zeroQuantity).add(quantity));
  return sum;
}

/** What `left` has more than `right`, nothing below zero. */
export function excess(left: Amounts, right: Amounts): Amounts {
  const rest = new Map<string, Quantity>();
  for (const [name, quantity] of left) {
    const difference = quantity.sub(right.get(name) ?? zeroQuantity);
    if (difference.sign() > 0) rest.set(name, difference);
  }
  return rest;
}

/** The larger of each. */
export function maxAmounts(left: Amounts, right: Amounts): Amounts {
  const larger = new Map(left);
  for (const [name, quantity] of right) {
    const other = larger.get(name);
    if (other === undefined || quantity.compare(other) > 0) larger.set(name, quantity);
  }
  return larger;
}

/** Only these names. */
export function pickAmounts(amounts: Amounts, names: Iterable<string>): Amounts {
  const wanted = new Set(names);
  return new Map([...amounts].filter(([name]) => wanted.has(name)));
}

/** The names of which `amounts` has more than `limits` allow. */
export function exceeding(amounts: Amounts, limits: Amounts): string[] {
  return [...amounts]
    .filter(([name, quantity]) => {
      const limit = limits.get(name);
      return limit !== undefined && quantity.compare(limit) > 0;
    })
    .map(([name]) => name);
}

/** "cpu=1,memory=2Gi", for messages. */
export function describeAmounts(amounts: Amounts): string {
  return [...amounts]
    .toSorted(byName)
    .map(([name, quantity]) => `${name}=${quantity.toString()}`)
    .join(",");
}

import { isJson } from "../../pkg/api/json.ts";
import type { Step } from "./case.ts";
import type { MaskedAnswer } from "./mask.ts";
import { place, wording } from "./signature.ts";

interface Telling {
  readonly facts: ReadonlySet<string>;
  /** What it takes to hear them. */
  readonly requests: number;
}

/** Of these, in their order, few that together tell all that they tell: each time one that tells most for its length. */
export function shortest<T extends Telling>(all: readonly T[]): readonly T[] {
  const told = new Set<string>();
  const worth = ({ facts, requests }: T): number => {
    let news = 0;
    for (const fact of facts) if (!told.has(fact)) news++;
    return news / requests;
  };
  // What a case is worth only falls: one that is still worth more than the next was is the best.
  const left = all.map((one) => ({ one, worth: worth(one) })).toSorted((a, b) => a.worth - b.worth);
  const chosen = new Set<T>();
  for (let best = left.pop(); best !== undefined; best = left.pop()) {
    best.worth = worth(best.one);
    if (best.worth === 0) continue;
    const next = left.at(-1);
    if (next !== undefined && best.worth < next.worth) {
      left.splice(left.findLastIndex((other) => other.worth <= best.worth) + 1, 0, best);
      continue;
    }
    chosen.add(best.one);
    for (const fact of best.one.facts) told.add(fact);
  }
  return all.filter((one) => chosen.has(one));
}

/** What an answer tells: which fields there are, or what is wrong with which. */
export function factsOf(step: Step, { status, warnings, body }: MaskedAnswer): readonly string[] {
  const facts = [
    `${step.what} ${step.kind} ${status}`,
    ...warnings.map((line) => `${step.kind} warning ${wording(line)}`),
  ];
  if (!isJson(body)) return facts;
  if (status < 300) return [...facts, ...pathsIn(body).map((path) => place(step.kind, path))];
  const { reason, details, message } = body;
  const causes = isJson(details) && Array.isArray(details["causes"]) ? details["causes"].filter(isJson) : [];
  if (causes.length === 0) return [...facts, `${step.kind} ${String(reason)} ${wording(String(message))}`];
  return [
    ...facts,
    ...causes.map(
      ({ field, message: said }) => `${place(step.kind, String(field))}: ${wording(String(said))}`,
    ),
  ];
}

const word = /^[A-Z][A-Za-z]{1,30}$/;

/** Of all that is in it, without the numbers of items, and with words that are one of a few. */
function pathsIn(value: unknown, path = ""): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => pathsIn(item, `${path}[*]`));
  if (typeof value === "boolean" || (typeof value === "string" && word.test(value)))
    return [`${path} = ${value}`];
  if (!isJson(value)) return [path];
  return Object.entries(value)
    .filter(([key]) => key !== "managedFields")
    .flatMap(([key, inner]) => pathsIn(inner, path === "" ? key : `${path}.${key}`));
}

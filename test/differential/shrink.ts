import { isJson, type Json } from "../../pkg/api/json.ts";
import type { Case, Step } from "./case.ts";

type Shows = (one: Case) => Promise<boolean>;

/**
 * A case as small as `runs` runs can make it that still shows the difference: steps, options and fields are left out one
 * by one, the last step first.
 */
export async function shrink(one: Case, shows: Shows, runs: number): Promise<Case> {
  let left = runs;
  let best = one;
  const attempt = async (steps: readonly Step[]): Promise<boolean> => {
    if (left-- <= 0 || !(await shows({ ...best, steps }))) return false;
    best = { ...best, steps };
    return true;
  };
  for (let at = best.steps.length - 2; at >= 0; at--) await attempt(best.steps.toSpliced(at, 1));
  for (let at = best.steps.length - 1; at >= 0; at--) {
    await eachSmaller(
      () => best.steps[at],
      smallerPaths,
      async (step) => attempt(best.steps.with(at, step)),
    );
    await eachSmaller(
      () => best.steps[at],
      smallerBodies,
      async (step) => attempt(best.steps.with(at, step)),
    );
  }
  return best;
}

/** Begins again with what is left whenever an attempt went well. */
async function eachSmaller(
  current: () => Step | undefined,
  smaller: (step: Step) => Iterable<Step>,
  attempt: (step: Step) => Promise<boolean>,
): Promise<void> {
  for (let went = true; went;) {
    went = false;
    const step = current();
    if (step === undefined) return;
    for (const candidate of smaller(step)) {
      if (!(await attempt(candidate))) continue;
      went = true;
      break;
    }
  }
}

function* smallerPaths(step: Step): Iterable<Step> {
  const [path = "", query = ""] = step.path.split("?");
  const parts = query.split("&").filter((part) => part !== "" && !part.startsWith("dryRun=All"));
  for (const part of parts) {
    const rest = query.split("&").filter((other) => other !== part);
    yield { ...step, path: rest.length === 0 ? path : `${path}?${rest.join("&")}` };
  }
}

function* smallerBodies(step: Step): Iterable<Step> {
  if (!isJson(step.body)) return;
  for (const body of smallerObjects(step.body, 0)) yield { ...step, body };
}

/** One member less, from the outside in; what makes an object unique stays. */
function* smallerObjects(object: Json, depth: number): Iterable<Json> {
  for (const key of Object.keys(object)) {
    if (depth === 0 && (key === "apiVersion" || key === "kind" || key === "metadata")) continue;
    const { [key]: _, ...rest } = object;
    yield rest;
  }
  for (const [key, value] of Object.entries(object)) {
    if (isJson(value)) for (const less of smallerObjects(value, depth + 1)) yield { ...object, [key]: less };
    if (!Array.isArray(value)) continue;
    for (const index of value.keys()) yield { ...object, [key]: value.toSpliced(index, 1) };
    for (const [index, item] of value.entries())
      if (isJson(item))
        for (const less of smallerObjects(item, depth + 1))
          yield { ...object, [key]: value.with(index, less) };
  }
}

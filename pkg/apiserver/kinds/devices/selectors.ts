import { asJson, child, items, type Json, sameValue, text } from "../../../api/json.ts";
import type { Steps } from "../../../api/steps.ts";
import { compileSelector } from "../../../cel/device-selector.ts";
import { FieldErrors } from "../field-errors.ts";
import { byteLength } from "../formats.ts";
import { type FieldError, type Findings, isInSteps, type KindRules } from "../kind.ts";
import { expressionLimit } from "./claim-spec.ts";

/** An expression, and the field that it stands in. */
type Selector = readonly [expression: string, path: string];

/** Those of a class, or of a request. */
export function selectorsOf(parent: Json | undefined, path: string): readonly Selector[] {
  return items(parent, "selectors").flatMap((selector, index) => {
    const cel = child(selector, "cel");
    return cel === undefined
      ? []
      : [[text(cel, "expression"), `${path}.selectors[${index}].cel.expression`] as const];
  });
}

export function selectorsOfClaim(spec: Json | undefined, path: string): readonly Selector[] {
  return items(child(spec, "devices"), "requests").flatMap((request, index) => {
    const at = `${path}.devices.requests[${index}]`;
    return [
      ...selectorsOf(child(request, "exactly"), `${at}.exactly`),
      ...items(request, "firstAvailable").flatMap((one, place) =>
        selectorsOf(one, `${at}.firstAvailable[${place}]`),
      ),
    ];
  });
}

type Gather = (object: Json) => readonly Selector[];

/** The rules of a kind, and that its selectors can be asked. A request may hold hundreds of them: each is a step. */
export function withSelectors(gather: Gather, rules: KindRules): KindRules {
  return {
    ...rules,
    validate: (draft, context) => inSteps(rules.validate?.(draft, context) ?? [], gather(draft)),
    validateUpdate(draft, before, context) {
      const found = rules.validateUpdate?.(draft, before, context) ?? [];
      const [selectors, old] = [gather(draft), gather(asJson(before))];
      return context.subresource !== "" || sameValue(selectors, old) ? found : inSteps(found, selectors);
    },
  };
}

function* inSteps(found: Findings, selectors: readonly Selector[]): Steps<readonly FieldError[]> {
  const errors = new FieldErrors();
  for (const [expression, path] of selectors) {
    yield;
    validateSelector(expression, path, errors);
  }
  return [...(isInSteps(found) ? yield* found : found), ...errors.list];
}

/** upstream: pkg/apis/resource/validation#validateCELSelector */
function validateSelector(expression: string, path: string, errors: FieldErrors): void {
  if (byteLength(expression) > expressionLimit) return;
  const made = compileSelector(expression);
  if (typeof made === "string") errors.invalid(path, expression, made);
  else if (made.isTooComplex) errors.forbidden(path, "too complex, exceeds cost limit");
}

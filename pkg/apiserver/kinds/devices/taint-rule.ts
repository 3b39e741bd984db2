import { child, type Json, present, sameValue, setZeroDefault, text } from "../../../api/json.ts";
import { labelKeyProblems, labelValueProblems } from "../../../api/labels-validate.ts";
import { resources } from "../../../api/resources.ts";
import { formatTime } from "../../../api/time.ts";
import { defineKind, nameAndAge, specOf } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import type { Draft, KindRules } from "../kind.ts";
import { taintEffects } from "./claim-spec.ts";
import { validateDriverName, validateLabelName, validatePoolName } from "./names.ts";

function taintOf(rule: Json): Json | undefined {
  return child(child(rule, "spec"), "taint");
}

function dateTaint(draft: Draft, nowMs: number): void {
  const taint = taintOf(draft);
  if (taint !== undefined) setZeroDefault(taint, "timeAdded", formatTime(nowMs));
}

/** upstream: pkg/apis/resource/validation#validateDeviceTaintRuleSpec */
function validateRule(draft: Draft, before: Json | undefined, errors: FieldErrors): void {
  const selector = child(specOf(draft), "deviceSelector");
  const at = "spec.deviceSelector";
  if (present(selector, "driver")) validateDriverName(text(selector, "driver"), `${at}.driver`, errors);
  if (present(selector, "pool")) validatePoolName(text(selector, "pool"), `${at}.pool`, errors);
  if (present(selector, "device")) validateLabelName(text(selector, "device"), `${at}.device`, errors);
  const taint = taintOf(draft);
  const [key, value, effect] = [text(taint, "key"), text(taint, "value"), text(taint, "effect")];
  errors.invalidEach("spec.taint.key", key, labelKeyProblems(key));
  if (value !== "") errors.invalidEach("spec.taint.value", value, labelValueProblems(value));
  if (before !== undefined && text(taintOf(before), "effect") === effect) return;
  if (effect === "") errors.required("spec.taint.effect");
  else if (!taintEffects.includes(effect)) errors.notSupported("spec.taint.effect", effect, taintEffects);
}

/** Served where servers are told to. */
export const taintRuleKind: KindRules = {
  ...defineKind(resources.deviceTaintRules, {
    columns: nameAndAge,
    statusKeepsMetadata: "all",
    prepareForCreate: (draft, { nowMs }) => dateTaint(draft, nowMs),
    prepareForUpdate(draft, before, { nowMs, subresource }) {
      if (subresource === "status") return;
      dateTaint(draft, nowMs);
      const [taint, old] = [taintOf(draft), taintOf(before)];
      // It tells since when there is this effect.
      const hasOtherEffect = text(taint, "effect") !== text(old, "effect");
      if (taint !== undefined && hasOtherEffect && sameValue(taint["timeAdded"], old?.["timeAdded"]))
        taint["timeAdded"] = formatTime(nowMs);
    },
    validate: (draft, errors) => validateRule(draft, undefined, errors),
    validateUpdate: (draft, before, errors) => validateRule(draft, before, errors),
  }),
  generation: true,
};

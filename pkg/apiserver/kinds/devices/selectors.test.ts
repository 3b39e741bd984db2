import { expect, test } from "vitest";
import { asJson, child } from "../../../api/json.ts";
import { resources } from "../../../api/resources.ts";
import { inOneGo } from "../../../api/steps.ts";
import type { ApiObject } from "../../../api/object.ts";
import { allKinds } from "../all-kinds.ts";
import { type Draft, type Findings, isInSteps, type RuleContext } from "../kind.ts";
import { selectorsOf, withSelectors } from "./selectors.ts";

const plain = allKinds.find(({ resource }) => resource === resources.deviceClasses);
const FORMER = { type: "FieldValueInvalid", field: "spec", message: "found before" } as const;

/** What is found in an update from one selector to another. */
function found(before: string, after: string, subresource = ""): readonly string[] {
  if (plain === undefined) throw new Error("no rules");
  const of = (expression: string): ApiObject =>
    ({ metadata: { name: "c" }, spec: { selectors: [{ cel: { expression } }] } }) as ApiObject;
  const rules = withSelectors((object) => selectorsOf(child(object, "spec"), "spec"), {
    ...plain,
    validateUpdate: () => [FORMER],
  });
  const context: RuleContext = { nowMs: 0, user: "admin", subresource };
  const findings: Findings = rules.validateUpdate?.(asJson(of(after)) as Draft, of(before), context) ?? [];
  return (isInSteps(findings) ? inOneGo(findings) : findings).map(({ field }) => field);
}

// What was let in by an earlier version stays as long as nobody changes it.
test.each([
  ["the same, good", "true", "true", "", ["spec"]],
  ["the same, bad", "1", "1", "", ["spec"]],
  ["another, good", "true", "false", "", ["spec"]],
  ["another, bad", "1", "2", "", ["spec", "spec.selectors[0].cel.expression"]],
  ["a bad one, through the status", "true", "1", "status", ["spec"]],
])("selectors of an update: %s", (...[, before, after, subresource, fields]) => {
  expect(found(before, after, subresource)).toEqual(fields);
});

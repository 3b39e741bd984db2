import type { Mutant } from "./mutant.ts";

const RULES = ["test/integration/api/definitions/rules.test.ts"];
const LANGUAGE = ["pkg/cel/recorded.test.ts"];
const PAUSES = ["pkg/cel/pauses.test.ts"];

const POLICIES = ["test/decisions/policies/recorded.test.ts"];

/** The language of rules and conditions, and who asks it what. */
export const expressionMutants: readonly Mutant[] = [
  {
    name: "rules of new objects are not tried",
    file: "pkg/apiserver/crd/custom-resource.ts",
    find: "rules.withErrors(draft, undefined, ",
    replace: "((_a: unknown, _b: unknown, found: readonly FieldError[]) => found)(draft, undefined, ",
    tests: RULES,
  },
  {
    name: "rules do not see the state before",
    file: "pkg/apiserver/crd/cel/object-rules.ts",
    find: "validateByRules(draft, this.#schema, before)",
    replace: "validateByRules(draft, this.#schema, undefined)",
    tests: RULES,
  },
  {
    name: "warnings of what may stay are forgotten",
    file: "pkg/apiserver/crd/cel/object-rules.ts",
    find: "if (warnings.length > 0) this.#warnings.set(draft, warnings);",
    replace: "",
    tests: RULES,
  },
  {
    name: "what broke a rule before may not stay",
    file: "pkg/apiserver/crd/cel/rule-validator.ts",
    find: "if (!rule.usesOldSelf && isUnchanged(value, spot))",
    replace: "if (rule.usesOldSelf && isUnchanged(value, spot))",
    tests: RULES,
  },
  {
    name: "a rule may cost as much as it likes",
    file: "pkg/apiserver/crd/cel/definition-costs.ts",
    find: "if (cost > mostOfRule)",
    replace: "if (cost > 1e6 * mostOfRule)",
    tests: RULES,
  },
  {
    name: "how often a rule may be tried does not count",
    file: "pkg/apiserver/crd/cel/definition-costs.ts",
    find: "const cost = maxCost * (cardinality ?? maxCardinality);",
    replace: "const cost = maxCost * (cardinality ?? 1);",
    tests: RULES,
  },
  {
    name: "the limit of costs is that of a logical operator's other side",
    file: "pkg/cel/pauses.ts",
    find: "if (error instanceof EvaluationError) return error;",
    replace: "if (error instanceof Error) return error as EvaluationError;",
    tests: ["pkg/cel/compile.test.ts"],
  },
  {
    name: "calls cost nothing",
    file: "pkg/cel/dispatch.ts",
    find: "run.charge(cost.of(values, null));\n        run.noteSizes",
    replace: "run.noteSizes",
    tests: LANGUAGE,
  },
  {
    name: "elements of sets cost nothing",
    file: "pkg/cel/dispatch.ts",
    find: "    run.charge(cost.of(values, null));\n    const { inSteps }",
    replace: "    const { inSteps }",
    tests: LANGUAGE,
  },
  {
    name: "loops do not pause",
    file: "pkg/cel/loops.ts",
    find: "if (run.shouldPause()) yield;",
    replace: "",
    tests: PAUSES,
  },
  {
    name: "rounds that cost nothing do not pause",
    file: "pkg/cel/run.ts",
    find: "&& this.#count < PAUSE_COUNT) return false;",
    replace: ") return false;",
    tests: PAUSES,
  },
  {
    name: "a list that was given a name grows",
    file: "pkg/cel/evaluate.ts",
    find: "isBinding ? this.step(expr.init) : ",
    replace: "",
    tests: PAUSES,
  },
  {
    name: "variables of policies are evaluated in one go",
    file: "pkg/cel/evaluate.ts",
    find: "if (isMap(value) && value.prepare !== undefined) yield* value.prepare(field);",
    replace: "",
    tests: ["test/load/expressions.test.ts"],
  },
  {
    name: "elements of several types pass",
    file: "pkg/cel/literals.ts",
    find: "...mixtureIssues(checked, checked.expr), ",
    replace: "",
    tests: LANGUAGE,
  },
  {
    name: "what a library's type has not got is only a field that there is not",
    file: "pkg/cel/check.ts",
    find: "const why = types.hasStruct(target.name)",
    replace: "const why = types.hasStruct(target.name) || true",
    tests: POLICIES,
  },
  {
    name: "a variable of a policy may be anything",
    file: "controllers/validatingadmissionpolicystatus/type-check.ts",
    find: 'typeof made === "string" ? dynType : typeOfVariable(made.checked.type)',
    replace: 'typeof made === "string" ? dynType : dynType',
    tests: POLICIES,
  },
  {
    name: "a kind's parts have no types",
    file: "controllers/validatingadmissionpolicystatus/kind-schema.ts",
    find: "target === undefined ? {} : whole(target, all, [...within, name]);",
    replace: "{};",
    tests: POLICIES,
  },
  {
    name: "a condition that does not hold makes no difference",
    file: "pkg/apiserver/admission/expressions/conditions.ts",
    find: '"value" in one && one.value === false',
    replace: '"value" in one && one.value === null',
    tests: ["pkg/apiserver/admission/webhooks/webhook-admission.test.ts"],
  },
  {
    name: "conditions are not told of the object before",
    file: "pkg/apiserver/admission/matching/circumstances.ts",
    find: '["oldObject", untypedValue(nullable(oldObject))]',
    replace: '["oldObject", untypedValue(nullable(object))]',
    tests: ["pkg/apiserver/admission/webhooks/webhook-admission.test.ts"],
  },
];

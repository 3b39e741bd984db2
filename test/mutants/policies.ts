import type { Mutant } from "./mutant.ts";

const VALIDATING = ["test/integration/api/policies/validating.test.ts"];
const MUTATING = ["test/integration/api/policies/mutating.test.ts"];
const dir = "pkg/apiserver/admission/policies";
const expressions = "pkg/apiserver/admission/expressions";

/** Policies that the embedded API server evaluates. */
export const policiesMutants: readonly Mutant[] = [
  {
    name: "validating policies are not asked",
    file: "pkg/apiserver/admission/chain.ts",
    find: "await policies.validating.validate(attributes, object);",
    replace: "",
    tests: VALIDATING,
  },
  {
    name: "policies that want to see more are not asked again",
    file: "pkg/apiserver/admission/chain.ts",
    find: "for (const mutation of mutations) await mutation.again(draft);",
    replace: "",
    tests: MUTATING,
  },
  {
    name: "a policy that failed is as one that refuses, whatever it says of failures",
    file: `${dir}/validating-policy.ts`,
    find: 'ignoresFailures: spec.failurePolicy === "Ignore",',
    replace: "ignoresFailures: false,",
    tests: VALIDATING,
  },
  {
    name: "messages may ask the authorizer",
    file: `${dir}/validating-policy.ts`,
    find: "policyValues(circumstances, false), variables }, budget)",
    replace: "policyValues(circumstances, true), variables }, budget)",
    tests: VALIDATING,
  },
  {
    name: "messages have a budget of their own",
    file: `${dir}/validating-policy.ts`,
    find: "circumstances, evaluation.left);",
    replace: "circumstances, POLICY_BUDGET);",
    tests: VALIDATING,
  },
  {
    name: "bindings that only warn refuse",
    file: `${dir}/validating-admission.ts`,
    find: 'if (actions.includes("Deny"))',
    replace: "if (actions.length > 0)",
    tests: VALIDATING,
  },
  {
    name: "nobody is warned",
    file: `${dir}/validating-admission.ts`,
    find: 'if (actions.includes("Warn"))',
    replace: 'if (actions.includes("Warned"))',
    tests: VALIDATING,
  },
  {
    name: "annotations that fail are forgotten",
    file: `${dir}/validating-admission.ts`,
    find: "refused.push(...failedAnnotations.map((one) => ({ ...one, policy, binding })));",
    replace:
      'if (failedAnnotations.length > 1e3) refused.push({ message: "", reason: undefined, policy, binding });',
    tests: VALIDATING,
  },
  {
    name: "the first params are the only ones",
    file: `${dir}/validating-admission.ts`,
    find: "for (const param of params) {",
    replace: "for (const param of params.slice(0, 1)) {",
    tests: MUTATING.concat(VALIDATING),
    also: {
      file: `${dir}/mutating-admission.ts`,
      find: "for (const param of params) {",
      replace: "for (const param of params.slice(0, 1)) {",
    },
  },
  {
    name: "params may be missing, whatever the binding says",
    file: `${dir}/params.ts`,
    find: 'parameterNotFoundAction === "Deny"',
    replace: 'parameterNotFoundAction === "Denied"',
    tests: VALIDATING,
  },
  {
    name: "excluded resources are not",
    file: `${dir}/match-resources.ts`,
    find: "if (matchRules(excludeResourceRules, matchPolicy, attributes) !== undefined) return undefined;",
    replace: "if (excludeResourceRules.length > 1e3) return undefined;",
    tests: VALIDATING,
  },
  {
    name: "objects are shown as they were sent, not as the policy wants them",
    file: `${dir}/validating-admission.ts`,
    find: "await objects.show(served);",
    replace: "",
    tests: VALIDATING,
  },
  {
    name: "conditions are told of the namespace",
    file: "pkg/apiserver/admission/matching/circumstances.ts",
    find: '["namespaceObject", null]]);',
    replace: '["namespaceObject", "there"]]);',
    tests: VALIDATING,
  },
  {
    name: "variables cost nothing",
    file: `${expressions}/evaluation.ts`,
    find: "this.#spentOnVariables += spent.cost;",
    replace: "this.#spentOnVariables += 0;",
    tests: VALIDATING,
  },
  {
    name: "one expression may cost all that there is",
    file: `${expressions}/evaluation.ts`,
    find: "const PER_EXPRESSION = 1_000_000;",
    replace: "const PER_EXPRESSION = 10_000_000;",
    tests: VALIDATING,
  },
  {
    name: "what is owned whole may be changed",
    file: "pkg/apiserver/apply/merge-configuration.ts",
    find: "if (atomics.length > 0)",
    replace: "if (atomics.length > 1e3)",
    tests: MUTATING,
  },
  {
    name: "types need not be named by their path",
    file: `${dir}/patch-values.ts`,
    find: "name === path",
    replace: "name !== path + path",
    tests: MUTATING,
  },
  {
    name: "a JSON patch may make what there is not",
    file: `${dir}/mutating-policy.ts`,
    find: 'type === "JSONPatch" ? "refused" : "dropped"',
    replace: 'type === "JSONPatch" ? "dropped" : "dropped"',
    tests: MUTATING,
  },
  {
    name: "a test that fails is an error",
    file: `${dir}/mutating-policy.ts`,
    find: "if (error instanceof FailedTestError) return object;",
    replace: "",
    tests: MUTATING,
  },
  {
    name: "what failed and may is refused",
    file: `${dir}/mutating-admission.ts`,
    find: "if (!compiled.ignoresFailures) refusals.push",
    replace: "refusals.push",
    tests: MUTATING,
  },
];

import type { Mutant } from "./mutant.ts";

const STATUS = [
  "controllers/validatingadmissionpolicystatus/sync.test.ts",
  "controllers/validatingadmissionpolicystatus/type-check.test.ts",
];
const dir = "controllers/validatingadmissionpolicystatus";

/** Controllers that stand for themselves. */
export const restMutants: readonly Mutant[] = [
  {
    name: "policies are checked anew whenever they change",
    file: `${dir}/sync.ts`,
    find: "policy.status?.observedGeneration ?? 0) <= 0) return {};",
    replace: "policy.status?.observedGeneration ?? 0) < -1) return {};",
    tests: STATUS,
  },
  {
    name: "policies are checked once for all time",
    file: `${dir}/sync.ts`,
    find: "policy.status?.observedGeneration ?? 0) <= 0) return {};",
    replace: "policy.status?.observedGeneration ?? 0) <= 1) return {};",
    tests: STATUS,
  },
  {
    name: "the status is that of whatever policy has the name",
    file: `${dir}/sync.ts`,
    find: "{ metadata: { name, uid }, status",
    replace: '{ metadata: { name, ...(uid === "" ? { uid } : {}) }, status',
    tests: STATUS,
  },
  {
    name: "the generation that was looked at is not written",
    file: `${dir}/sync.ts`,
    find: "status: { observedGeneration: generation, typeChecking }",
    replace: "status: { typeChecking }",
    tests: STATUS,
  },
  {
    name: "warnings are not written",
    file: `${dir}/sync.ts`,
    find: "status: { observedGeneration: generation, typeChecking }",
    replace: "status: { observedGeneration: generation }",
    tests: STATUS,
  },
  {
    name: "the status is owned by somebody else",
    file: `${dir}/sync.ts`,
    find: '"validatingadmissionpolicy-status";',
    replace: '"validatingadmissionpolicy";',
    tests: STATUS,
  },
  {
    name: "the policy is written where its status should be",
    file: `${dir}/sync.ts`,
    find: ', subresource: "status" }',
    replace: " }",
    tests: STATUS,
  },
  {
    name: "nobody looks what params are",
    file: `${dir}/sync-schemas.ts`,
    find: 'if (kind === "") return',
    replace: 'if (kind !== "?") return',
    tests: STATUS,
  },
  {
    name: "variables of the policy are not read",
    file: `${dir}/type-check.ts`,
    find: "environmentOf(types, spec.variables ?? [])",
    replace: "environmentOf(types, [])",
    tests: STATUS,
  },
  {
    name: "messages are not checked",
    file: `${dir}/type-check.ts`,
    find: "Object.entries({ expression, messageExpression })",
    replace: "Object.entries({ expression, messageExpression: messageExpression.slice(0, 0) })",
    tests: STATUS,
  },
  {
    name: "kinds of another version are checked",
    file: `${dir}/matched-kinds.ts`,
    find: "one.version === version && ",
    replace: 'version !== "" && ',
    tests: STATUS,
  },
  {
    name: "kinds come as they are found",
    file: `${dir}/matched-kinds.ts`,
    find: "compare(a.group, b.group) || ",
    replace: "",
    tests: STATUS,
  },
  {
    name: "a group without a name is the core group",
    file: `${dir}/matched-kinds.ts`,
    find: '(group === "" || one.group === group)',
    replace: "one.group === group",
    tests: STATUS,
  },
  {
    name: "what contains itself is put together without end",
    file: `${dir}/kind-schema.ts`,
    find: "[...within, name]);",
    replace: "[...within, name].slice(0, 1));",
    tests: STATUS,
  },
  {
    name: "numbers or texts are only one of them",
    file: `${dir}/kind-schema.ts`,
    find: '{ "x-kubernetes-int-or-string": true }',
    replace: "{}",
    tests: STATUS,
  },
];

import type { Mutant } from "./mutant.ts";

const roles: readonly Mutant[] = [
  {
    name: "a binding gives away what its maker does not have",
    file: "pkg/apiserver/admission/role-escalation.ts",
    find: "  refuseEscalation(rbac, attributes, rules);",
    replace: "",
    tests: ["test/integration/api/role-escalation.test.ts"],
  },
  {
    name: "whoever takes a role's aggregation away need not be an administrator",
    file: "pkg/apiserver/admission/role-escalation.ts",
    find: "&& !(before !== undefined && hasAggregation(asJson(before)))) return;",
    replace: ") return;",
    tests: ["test/integration/api/role-escalation.test.ts"],
  },
  {
    name: "escalate of one name is enough for a create of that name",
    file: "pkg/apiserver/admission/role-escalation.ts",
    find: "plural, attributes.pathName)",
    replace: "plural, attributes.name)",
    tests: ["test/integration/api/role-escalation.test.ts"],
  },
  {
    name: "a rule of some names covers one of all",
    file: "pkg/apiserver/auth/rule-cover.ts",
    find: "(name !== undefined && heldNames.includes(name))",
    replace: "name === undefined || heldNames.includes(name)",
    tests: ["pkg/apiserver/auth/rule-cover.test.ts"],
  },
];

export const embeddedAdmissionMutants: readonly Mutant[] = [...roles];

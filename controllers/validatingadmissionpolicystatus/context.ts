import { resources } from "../../pkg/api/resources.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { POLICY_FIELDS } from "./fields.ts";

/** All that a sync works with. */
export type PolicyStatusContext = ReturnType<typeof policyStatusContext>;

export function policyStatusContext(kit: Kit) {
  const { client, clock } = kit.env;
  return {
    policies: kit.reads(resources.validatingAdmissionPolicies, { fields: POLICY_FIELDS }),
    writes: kit.writes(resources.validatingAdmissionPolicies),
    client,
    clock,
  };
}

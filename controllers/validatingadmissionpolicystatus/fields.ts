import type { Projected } from "../../pkg/api/projected.ts";
import type { ValidatingAdmissionPolicy } from "../../pkg/api/types/admissionregistration-v1.gen.ts";

/** What is read of policies. */
export const POLICY_FIELDS = [
  "metadata.generation",
  "spec.matchConstraints.resourceRules",
  "spec.paramKind",
  "spec.validations",
  "spec.variables",
  "status.observedGeneration",
] as const;
export type CachedPolicy = Projected<ValidatingAdmissionPolicy, typeof POLICY_FIELDS>;

import { defineController } from "../../pkg/controller/kit.ts";
import { policyStatusContext } from "./context.ts";
import { syncPolicy } from "./sync.ts";

export interface PolicyStatusSettings {
  readonly workers: number;
}

/** Checks the expressions of ValidatingAdmissionPolicies against the types of what they are about, and says so in their status. */
export const policyStatusController = defineController(
  { name: "validatingadmissionpolicy-status-controller" },
  (kit, { workers }: PolicyStatusSettings) => {
    const context = policyStatusContext(kit);
    kit.ownerQueue({
      name: "validatingadmissionpolicy-status",
      workers,
      owners: context.policies,
      sync: async (sync) => syncPolicy(sync, context),
    });
  },
);

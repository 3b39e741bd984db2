import { resources } from "../../../api/resources.ts";
import { defineKind, specOf } from "../define-kind.ts";
import { child, integer, optionalText } from "../../../api/json.ts";
import type { Draft } from "../kind.ts";
import { ageColumn, column, nameColumn } from "../table.ts";

/** Coordinated leader election is off by default. */
function dropDisabled(draft: Draft): void {
  delete specOf(draft)["strategy"];
  delete specOf(draft)["preferredHolder"];
}

export const leaseKinds = [
  defineKind(resources.leases, {
    prepareForCreate: dropDisabled,
    prepareForUpdate: dropDisabled,
    validate(draft, errors) {
      const spec = specOf(draft);
      const duration = integer(spec, "leaseDurationSeconds");
      if (duration !== undefined && duration <= 0) {
        errors.invalid("spec.leaseDurationSeconds", duration, "must be greater than 0");
      }
      errors.nonNegative("spec.leaseTransitions", integer(spec, "leaseTransitions"));
    },
    columns: [
      nameColumn,
      column("Holder", (lease) => optionalText(child(lease, "spec"), "holderIdentity") ?? ""),
      ageColumn,
    ],
  }),
];

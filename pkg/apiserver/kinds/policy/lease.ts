import { resources } from "../../../api/resources.ts";
import { defineKind, specOf } from "../define-kind.ts";
import { child, integer, optionalText, text } from "../../../api/json.ts";
import { ageColumn, column, nameColumn } from "../table.ts";

export const leaseKinds = [
  defineKind(resources.leases, {
    createOnUpdate: true,
    unconditionalUpdate: false,
    validate(draft, errors) {
      const spec = specOf(draft);
      const duration = integer(spec, "leaseDurationSeconds");
      if (duration !== undefined && duration <= 0) {
        errors.invalid("spec.leaseDurationSeconds", duration, "must be greater than 0");
      }
      errors.nonNegative("spec.leaseTransitions", integer(spec, "leaseTransitions"));
      if (text(spec, "preferredHolder") !== "" && text(spec, "strategy") === "") {
        errors.forbidden("spec.preferredHolder", "may only be specified if `strategy` is defined");
      }
    },
    columns: [
      nameColumn,
      column("Holder", (lease) => optionalText(child(lease, "spec"), "holderIdentity") ?? ""),
      ageColumn,
    ],
  }),
];

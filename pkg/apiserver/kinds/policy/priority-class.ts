import { resources } from "../../../api/resources.ts";
import { defineKind } from "../define-kind.ts";
import { count, flag, integer, optionalText, setDefault, text } from "../../../api/json.ts";
import { validatePreemptionPolicy } from "../pod/pod-spec.ts";
import { ageColumn, column, nameColumn } from "../table.ts";

const systemPrefix = "system-";
export const highestUserPriority = 1_000_000_000;

/** The classes of the cluster's own pods; nobody else's name starts like theirs. */
export const systemPriorities: Readonly<Record<string, number>> = {
  "system-node-critical": 2_000_001_000,
  "system-cluster-critical": 2_000_000_000,
};

export const priorityClassKinds = [
  defineKind(resources.priorityClasses, {
    setDefaults: (draft) => setDefault(draft, "preemptionPolicy", "PreemptLowerPriority"),
    validate(draft, errors) {
      const name = text(draft.metadata, "name");
      const value = count(draft, "value");
      if (name.startsWith(systemPrefix)) {
        if (systemPriorities[name] !== value || flag(draft, "globalDefault")) {
          const problem =
            systemPriorities[name] === undefined
              ? `${name} is not a known system priority class`
              : `value of ${name} PriorityClass must be ${systemPriorities[name]}`;
          errors.forbidden(
            "metadata.name",
            `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: ${problem}`,
          );
        }
      } else if (value > highestUserPriority) {
        errors.forbidden(
          "value",
          `maximum allowed value of a user defined priority is ${highestUserPriority}`,
        );
      }
      validatePreemptionPolicy(draft, "preemptionPolicy", errors);
    },
    validateChange(draft, before, errors) {
      if (integer(draft, "value") !== integer(before, "value")) {
        errors.forbidden("value", "may not be changed in an update.");
      }
      errors.immutable("preemptionPolicy", draft["preemptionPolicy"], before["preemptionPolicy"]);
    },
    columns: [
      nameColumn,
      column("Value", (object) => count(object, "value"), { type: "integer" }),
      column("Global-Default", (object) => flag(object, "globalDefault"), { type: "boolean" }),
      ageColumn,
      column("PreemptionPolicy", (object) => optionalText(object, "preemptionPolicy") ?? ""),
    ],
  }),
];

import { child, items, type Json, text } from "../../../api/json.ts";
import { dns1035LabelProblems, dnsSubdomainProblems } from "../../../api/names.ts";
import { versionOrder } from "../../../api/resource-version.ts";
import { resources } from "../../../api/resources.ts";
import { validateConditions } from "../conditions.ts";
import { defineKind } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import type { KindRules } from "../kind.ts";
import { column } from "../table.ts";

const STATES: ReadonlySet<string> = new Set(["Running", "Succeeded", "Failed"]);

const resourceOf = (migration: Json): Json | undefined => child(child(migration, "spec"), "resource");
const statusOf = (migration: Json): Json | undefined => child(migration, "status");
const conditionsOf = (migration: Json): readonly Json[] => items(statusOf(migration), "conditions");

/** upstream: pkg/apis/storagemigration/validation/validation.go#ValidateStorageVersionMigration */
function validateMigration(draft: Json, errors: FieldErrors): void {
  const path = "spec.resource";
  const [group, resource] = [text(resourceOf(draft), "group"), text(resourceOf(draft), "resource")];
  if (resource === "") errors.required(`${path}.resource`, "resource is required to be set");
  else refuse(`${path}.resource`, resource, dns1035LabelProblems(resource), errors);
  if (group !== "") refuse(`${path}.group`, group, dnsSubdomainProblems(group), errors);
}

function refuse(path: string, value: string, problems: readonly string[], errors: FieldErrors): void {
  if (problems.length > 0) errors.invalid(path, value, problems.join(","));
}

/** The first condition of a type is the one that counts. */
function isTrue(migration: Json, type: string): boolean {
  const found = conditionsOf(migration).find((condition) => text(condition, "type") === type);
  return text(found, "status") === "True";
}

/** upstream: ValidateStorageVersionMigrationStatusUpdate */
function validateStatus(draft: Json, before: Json, errors: FieldErrors): void {
  const versionPath = "status.resourceVersion";
  const version = text(statusOf(draft), "resourceVersion");
  if (version !== "" && versionOrder(version, version) === undefined)
    errors.invalid(versionPath, version, `resource version is not well formed: ${version}`);
  validateConditions(statusOf(draft), "status", errors);
  const former = text(statusOf(before), "resourceVersion");
  if (former !== "" && former !== version) errors.invalid(versionPath, version, "field is immutable");
  const refuseConditions = (detail: string): void =>
    errors.invalid("status.conditions", conditionsOf(draft), detail);
  if (isTrue(draft, "Succeeded") && isTrue(draft, "Failed"))
    refuseConditions("Both success and failed conditions cannot be true at the same time");
  if (isTrue(before, "Succeeded") && !isTrue(draft, "Succeeded"))
    refuseConditions("Success condition cannot be set to false once it is true");
  if (isTrue(before, "Failed") && !isTrue(draft, "Failed"))
    refuseConditions("Failed condition cannot be set to false once it is true");
}

function resourceCell(migration: Json): string {
  const [group, resource] = [text(resourceOf(migration), "group"), text(resourceOf(migration), "resource")];
  return group === "" ? resource : `${resource}.${group}`;
}

/** The last of the known conditions that is true. */
function stateCell(migration: Json): string {
  const holding = conditionsOf(migration).findLast(
    (condition) => text(condition, "status") === "True" && STATES.has(text(condition, "type")),
  );
  return holding === undefined ? "Unknown" : text(holding, "type");
}

/** Served where servers are told to. */
export const storageVersionMigrationKinds: readonly KindRules[] = [
  {
    ...defineKind(resources.storageVersionMigrations, {
      statusKeepsMetadata: "all",
      validate: validateMigration,
      validateChange: (draft, before, errors) => errors.immutable("spec", draft["spec"], before["spec"]),
      validateStatus,
      columns: [
        column("Name", (migration) => text(child(migration, "metadata"), "name")),
        column("Resource", resourceCell),
        column("Status", stateCell),
      ],
    }),
    unconditionalUpdate: false,
    reset: { "": [["status"]], status: [["metadata"], ["spec"]] },
  },
];

import { dnsLabelProblems } from "../../../api/names.ts";
import { resources } from "../../../api/resources.ts";
import { defineKind, nameAndAge, specOf } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import { child, descend, ensure, items, present, setZeroDefault, text } from "../../../api/json.ts";
import { ageColumn, column, nameColumn } from "../table.ts";

function setRequestDefaults(spec: Json | undefined): void {
  for (const request of items(child(spec, "devices"), "requests")) {
    const exactly = child(request, "exactly");
    for (const one of [...(exactly === undefined ? [] : [exactly]), ...items(request, "firstAvailable")]) {
      setZeroDefault(one, "allocationMode", "ExactCount");
      if (text(one, "allocationMode") === "ExactCount") setZeroDefault(one, "count", 1);
    }
  }
}

function validateRequests(spec: Json | undefined, path: string, errors: FieldErrors): void {
  for (const [index, request] of items(child(spec, "devices"), "requests").entries()) {
    const at = `${path}.devices.requests[${index}]`;
    const name = text(request, "name");
    errors.invalidEach(`${at}.name`, name, dnsLabelProblems(name));
    if (!present(request, "exactly") && items(request, "firstAvailable").length === 0) {
      errors.required(at, "exactly one of `exactly` or `firstAvailable` is required");
    } else if (present(request, "exactly") && text(child(request, "exactly"), "deviceClassName") === "") {
      errors.required(`${at}.exactly.deviceClassName`);
    }
  }
}

function stateCell(claim: Json): string {
  const states: string[] = [];
  if (present(child(claim, "metadata"), "deletionTimestamp")) states.push("deleted");
  const status = child(claim, "status");
  if (!present(status, "allocation")) return [...states, "pending"].join(",");
  states.push("allocated");
  if (items(status, "reservedFor").length > 0) states.push("reserved");
  return states.join(",");
}

export const resourceClaimKinds = [
  defineKind(resources.resourceClaims, {
    declaredRules: true,
    statusKeepsMetadata: "all",
    setDefaults: (draft) => setRequestDefaults(specOf(draft)),
    validate: (draft, errors) => validateRequests(specOf(draft), "spec", errors),
    columns: [nameColumn, column("State", stateCell), ageColumn],
  }),
  defineKind(resources.resourceClaimTemplates, {
    declaredRules: true,
    columns: nameAndAge,
    setDefaults: (draft) => setRequestDefaults(ensure(specOf(draft), "spec")),
    validate: (draft, errors) => validateRequests(descend(draft, "spec", "spec"), "spec.spec", errors),
    validateChange: (draft, before, errors) => errors.immutable("spec", draft["spec"], before["spec"]),
  }),
  defineKind(resources.deviceClasses, { declaredRules: true, generation: true, columns: nameAndAge }),
  defineKind(resources.resourceSlices, {
    declaredRules: true,
    generation: true,
    columns: [
      nameColumn,
      column("Node", (slice) => text(child(slice, "spec"), "nodeName") || "<unset>"),
      column("Driver", (slice) => text(child(slice, "spec"), "driver")),
      column("Pool", (slice) => text(descend(slice, "spec", "pool"), "name")),
      ageColumn,
    ],
  }),
];

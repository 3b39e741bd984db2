import {
  asJson,
  child,
  descend,
  isJson,
  items,
  type Json,
  present,
  setZeroDefault,
  text,
} from "../../../api/json.ts";
import { resources } from "../../../api/resources.ts";
import { formatTime } from "../../../api/time.ts";
import { validateTemplateMetadata } from "../metadata.ts";
import { defineKind, nameAndAge, specOf } from "../define-kind.ts";
import type { Draft, KindRules } from "../kind.ts";
import { isExtendedResource } from "../pod/requirements.ts";
import { ageColumn, column, nameColumn } from "../table.ts";
import { validateClaimSpec, validateConfiguration, validateSelectors } from "./claim-spec.ts";
import { dropDeallocated, validateClaimStatus } from "./claim-status.ts";
import { selectorsOf, selectorsOfClaim, withSelectors } from "./selectors.ts";
import { poolStatusRequestKind } from "./pool-status-request.ts";
import { validateSlice } from "./slice.ts";
import { taintRuleKind } from "./taint-rule.ts";

function setRequestDefaults(spec: Json | undefined): void {
  for (const request of items(child(spec, "devices"), "requests")) {
    const exactly = child(request, "exactly");
    for (const one of [...(exactly === undefined ? [] : [exactly]), ...items(request, "firstAvailable")]) {
      setZeroDefault(one, "allocationMode", "ExactCount");
      if (text(one, "allocationMode") === "ExactCount") setZeroDefault(one, "count", 1);
    }
  }
}

/** Features that are off by default take these from what is written; taints are from when they came. */
function prepareSlice(draft: Draft, nowMs: number): void {
  for (const device of items(specOf(draft), "devices")) {
    for (const taint of items(device, "taints")) setZeroDefault(taint, "timeAdded", formatTime(nowMs));
    delete device["nodeAllocatableResourceMappings"];
    for (const attribute of Object.values(child(device, "attributes") ?? {}))
      if (isJson(attribute))
        for (const key of ["bools", "ints", "strings", "versions"]) delete attribute[key];
  }
}

function stateCell(claim: Json): string {
  const states: string[] = [];
  if (present(child(claim, "metadata"), "deletionTimestamp")) states.push("deleted");
  const status = child(claim, "status");
  if (!present(status, "allocation")) return states[0] ?? "pending";
  states.push("allocated");
  if (items(status, "reservedFor").length > 0) states.push("reserved");
  return states.join(",");
}

export const deviceKinds: readonly KindRules[] = [
  taintRuleKind,
  poolStatusRequestKind,
  withSelectors(
    (claim) => selectorsOfClaim(child(claim, "spec"), "spec"),
    defineKind(resources.resourceClaims, {
      declaredRules: true,
      statusKeepsMetadata: "all",
      setDefaults: (draft) => setRequestDefaults(child(draft, "spec")),
      validate: (draft, errors) => validateClaimSpec(specOf(draft), "spec", errors),
      validateUpdate: (draft, before, errors) => errors.immutable("spec", draft["spec"], before["spec"]),
      prepareForUpdate: (draft, before, { subresource }) => {
        if (subresource === "status") dropDeallocated(draft, before);
      },
      validateStatus: validateClaimStatus,
      columns: [nameColumn, column("State", stateCell), ageColumn],
    }),
  ),
  withSelectors(
    (template) => selectorsOfClaim(descend(template, "spec", "spec"), "spec.spec"),
    defineKind(resources.resourceClaimTemplates, {
      columns: nameAndAge,
      setDefaults: (draft) => setRequestDefaults(child(child(draft, "spec"), "spec")),
      validate: (draft, errors) => {
        validateTemplateMetadata(descend(draft, "spec", "metadata"), "spec.metadata", errors);
        validateClaimSpec(descend(draft, "spec", "spec"), "spec.spec", errors);
      },
      validateChange: (draft, before, errors) => errors.immutable("spec", draft["spec"], before["spec"]),
    }),
  ),
  withSelectors(
    (made) => selectorsOf(child(made, "spec"), "spec"),
    defineKind(resources.deviceClasses, {
      declaredRules: true,
      columns: nameAndAge,
      validate(draft, errors) {
        const spec = specOf(draft);
        validateSelectors(spec, "spec", errors);
        for (const [index, config] of items(spec, "config").entries())
          validateConfiguration(config, `spec.config[${index}]`, errors);
        const name = text(spec, "extendedResourceName");
        if (present(spec, "extendedResourceName") && !isExtendedResource(name))
          errors.invalid("spec.extendedResourceName", name, "must be a valid extended resource name");
      },
    }),
  ),
  defineKind(resources.resourceSlices, {
    declaredRules: true,
    prepareForCreate: (draft, { nowMs }) => prepareSlice(draft, nowMs),
    prepareForUpdate: (draft, _before, { nowMs }) => prepareSlice(draft, nowMs),
    validate: (draft, errors) => validateSlice(specOf(draft), undefined, errors),
    validateUpdate: (draft, before, errors) => validateSlice(specOf(draft), child(before, "spec"), errors),
    warnings(draft) {
      const driver = text(specOf(draft), "driver");
      if (driver === driver.toLowerCase()) return [];
      return [
        `spec.driver: driver names should be lowercase; ${JSON.stringify(driver)} contains uppercase characters`,
      ];
    },
    selectableFields: (slice) => ({
      "spec.nodeName": text(child(asJson(slice), "spec"), "nodeName"),
      "spec.driver": text(child(asJson(slice), "spec"), "driver"),
    }),
    columns: [
      nameColumn,
      column("Node", (slice) => text(child(slice, "spec"), "nodeName")),
      column("Driver", (slice) => text(child(slice, "spec"), "driver")),
      column("Pool", (slice) => text(descend(slice, "spec", "pool"), "name")),
      ageColumn,
    ],
  }),
];

import { quotedAsInGo } from "../../../api/go-quote.ts";
import { labelKeyProblems, labelValueProblems } from "../../../api/labels-validate.ts";
import { resources } from "../../../api/resources.ts";
import { defineKind, specOf, type KindSpec } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import {
  asJson,
  child,
  copyField,
  flag,
  items,
  present,
  sameValue,
  stringMap,
  strings,
  text,
} from "../../../api/json.ts";
import type { Draft } from "../kind.ts";
import { validateResourceAmount } from "../pod/requirements.ts";
import { taintEffects } from "../pod/scheduling.ts";
import { quantities } from "../quantities.ts";
import { ageColumn, column, nameColumn } from "../table.ts";
import { cidrWarnings, readCidr, validateOldCidr } from "../network/address-checks.ts";
import { repeatedPlaces } from "../repeated.ts";

const rolePrefix = "node-role.kubernetes.io/";

function setDefaults(draft: Draft): void {
  const spec = specOf(draft);
  // podCIDR and the first of podCIDRs are one field in two forms: the older one counts.
  const [first] = strings(spec, "podCIDRs");
  const cidr = text(spec, "podCIDR");
  if (cidr !== "" && cidr !== first) spec["podCIDRs"] = [cidr];
  else if (first !== undefined) spec["podCIDR"] = first;
  const status = child(draft, "status");
  if (status !== undefined && !present(status, "allocatable") && present(status, "capacity")) {
    copyField(status, { allocatable: status["capacity"] }, "allocatable");
  }
}

function validateTaints(spec: Json, errors: FieldErrors): void {
  const taints = items(spec, "taints");
  const repeated = repeatedPlaces(
    taints.map((taint) => JSON.stringify([text(taint, "key"), text(taint, "effect")])),
  );
  for (const [index, taint] of taints.entries()) {
    // upstream: ValidateNode reports taints below metadata.
    const path = `metadata.taints[${index}]`;
    const key = text(taint, "key");
    const effect = text(taint, "effect");
    errors.invalidEach(`${path}.key`, key, labelKeyProblems(key));
    const value = text(taint, "value");
    const problems = labelValueProblems(value);
    if (problems.length > 0) errors.invalid(`${path}.value`, value, problems.join(";"));
    errors.oneOf(`${path}.effect`, effect, taintEffects);
    if (repeated.has(index)) errors.duplicate(path, taint, "taints must be unique by key and effect pair");
  }
}

function validateAmounts(draft: Draft, errors: FieldErrors): void {
  for (const key of ["capacity", "allocatable"]) {
    for (const [name, quantity] of quantities(child(draft, "status"), key)) {
      validateResourceAmount(name, quantity, `status.${key}.${name}`, errors);
    }
  }
}

const featureName = /^(?:[A-Z][A-Za-z0-9]*)(?:\/[A-Za-z][A-Za-z0-9]*)*$/;

/** What the kubelet says that it can do. */
function validateFeatures(draft: Draft, errors: FieldErrors): void {
  const features = strings(child(draft, "status"), "declaredFeatures");
  for (const [index, feature] of features.entries()) {
    const at = `status.declaredFeatures[${index}]`;
    const before = features[index - 1];
    if (before === feature) errors.duplicate(at, feature);
    else if (before !== undefined && before > feature)
      errors.invalid(at, feature, "list must be sorted alphabetically");
    if (feature.length > 253)
      errors.invalid(
        at,
        feature,
        `invalid feature name ${quotedAsInGo(feature)}: must be no more than 253 characters`,
      );
    else if (!featureName.test(feature))
      errors.invalid(
        at,
        feature,
        `invalid feature name ${quotedAsInGo(feature)}: must start with an UpperCamelCase segment, with subsequent segments ` +
          "separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only alphanumeric characters and slashes",
      );
  }
}

function validateCidrs(spec: Json, errors: FieldErrors): void {
  const cidrs = strings(spec, "podCIDRs");
  for (const [index, cidr] of cidrs.entries()) {
    validateOldCidr(cidr, `spec.podCIDRs[${index}]`, errors);
  }
  const wrong = cidrs.findIndex((cidr) => readCidr(cidr) === undefined);
  if (cidrs.length > 1 && wrong >= 0)
    errors.internal(
      "spec.podCIDRs",
      "invalid PodCIDRs. failed to check with dual stack with error:" +
        `invalid CIDR[${wrong}]: <nil> (invalid CIDR address: ${cidrs[wrong] ?? ""})`,
    );
  const families = new Set(cidrs.map((cidr) => cidr.includes(":")));
  if (cidrs.length > families.size) {
    errors.invalid("spec.podCIDRs", cidrs, "may specify no more than one CIDR for each IP family");
  }
}

function validateChange(draft: Draft, before: Json, errors: FieldErrors): void {
  const spec = specOf(draft);
  const old = child(before, "spec");
  const addresses = items(child(draft, "status"), "addresses");
  const repeated = repeatedPlaces(
    addresses.map((address) => JSON.stringify([text(address, "type"), text(address, "address")])),
  );
  for (const index of repeated) errors.duplicate(`status.addresses[${index}]`, addresses[index]);
  const cidrs = strings(old, "podCIDRs");
  if (cidrs.length > 0 && !sameValue(cidrs, strings(spec, "podCIDRs"))) {
    errors.forbidden("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid');
  }
  if (text(old, "externalID") !== text(spec, "externalID"))
    errors.forbidden("spec.externalID", "may not be updated");
  const provider = text(old, "providerID");
  if (provider !== "" && provider !== text(spec, "providerID")) {
    errors.forbidden("spec.providerID", 'node updates may not change providerID except from "" to valid');
  }
}

function validateStatus(draft: Draft, before: Json, errors: FieldErrors): void {
  validateTaints(specOf(draft), errors);
  validateAmounts(draft, errors);
  validateFeatures(draft, errors);
  validateChange(draft, before, errors);
}

/** What kubelets once said of their configuration stays where it is, and nowhere else. */
function dropConfig(draft: Draft, before: Json | undefined): void {
  const status = child(draft, "status");
  if (status !== undefined && !present(child(before, "status"), "config")) delete status["config"];
}

function statusCell(node: Json): string {
  const ready = items(child(node, "status"), "conditions").find((one) => text(one, "type") === "Ready");
  let status = "Unknown";
  if (ready !== undefined) status = text(ready, "status") === "True" ? "Ready" : "NotReady";
  return flag(child(node, "spec"), "unschedulable") ? `${status},SchedulingDisabled` : status;
}

function rolesCell(node: Json): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(stringMap(child(node, "metadata"), "labels"))) {
    if (key.startsWith(rolePrefix) && key.length > rolePrefix.length) roles.add(key.slice(rolePrefix.length));
    if (key === "kubernetes.io/role" && value !== "") roles.add(value);
  }
  return [...roles].toSorted().join(",") || "<none>";
}

const info = (node: Json, key: string): string => text(child(child(node, "status"), "nodeInfo"), key);

function addressCell(node: Json, type: string): string {
  const found = items(child(node, "status"), "addresses").find((address) => text(address, "type") === type);
  return found === undefined ? "<none>" : text(found, "address");
}

function kernelCell(node: Json): string {
  const architecture = info(node, "architecture");
  const kernel = info(node, "kernelVersion") || "<unknown>";
  return architecture === "" ? kernel : `${kernel} (${architecture})`;
}

const rules: KindSpec = {
  keepsStatusOnCreate: true,
  setDefaults,
  validate(draft, errors) {
    validateTaints(specOf(draft), errors);
    validateAmounts(draft, errors);
    validateFeatures(draft, errors);
    validateCidrs(specOf(draft), errors);
  },
  prepareForCreate: (draft) => dropConfig(draft, undefined),
  prepareForUpdate: (draft, before, { subresource }) => {
    if (subresource === "status") dropConfig(draft, before);
  },
  validateChange,
  validateStatus,
  warnings(draft, _before, subresource) {
    if (subresource !== "") return [];
    const spec = specOf(draft);
    return [
      ...(text(spec, "externalID") === ""
        ? []
        : ["spec.externalID: this field is deprecated, and is unused by Kubernetes"]),
      ...strings(spec, "podCIDRs").flatMap((cidr, index) => cidrWarnings(`spec.podCIDRs[${index}]`, cidr)),
    ];
  },
  selectableFields: (object) => ({
    "spec.unschedulable": String(flag(child(asJson(object), "spec"), "unschedulable")),
  }),
  columns: [
    nameColumn,
    column("Status", statusCell),
    column("Roles", rolesCell),
    ageColumn,
    column("Version", (node) => info(node, "kubeletVersion")),
    column("Internal-IP", (node) => addressCell(node, "InternalIP"), { wide: true }),
    column("External-IP", (node) => addressCell(node, "ExternalIP"), { wide: true }),
    column("OS-Image", (node) => info(node, "osImage") || "<unknown>", { wide: true }),
    column("Kernel-Version", kernelCell, { wide: true }),
    column("Container-Runtime", (node) => info(node, "containerRuntimeVersion") || "<unknown>", {
      wide: true,
    }),
  ],
};

export const nodeKinds = [defineKind(resources.nodes, rules)];

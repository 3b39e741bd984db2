import {
  asJson,
  type Json,
  child,
  flag,
  int64,
  integer,
  items,
  present,
  sameValue,
  setDefault,
  strings,
  text,
} from "../../../api/json.ts";
import { labelKeyProblems } from "../../../api/labels-validate.ts";
import { dnsSubdomainProblems } from "../../../api/names.ts";
import { resources } from "../../../api/resources.ts";
import { contentChanged, defineKind, specOf, type KindSpec } from "../define-kind.ts";
import { validateDriverName } from "../devices/names.ts";
import type { FieldErrors } from "../field-errors.ts";
import { byteLength } from "../formats.ts";
import { validateLabelSelector } from "../label-selector.ts";
import { readQuantity } from "../quantities.ts";
import { ageColumn, column, nameColumn } from "../table.ts";
import { capacityWarnings } from "../warnings/storage.ts";

function driverCell(driver: Json, key: string): boolean {
  return flag(child(driver, "spec"), key);
}

const groupPolicies = ["File", "None", "ReadWriteOnceWithFSType"];
const minutes10 = 600;

function validateDriver(spec: Json, errors: FieldErrors): void {
  const policy = text(spec, "fsGroupPolicy");
  if (!groupPolicies.includes(policy)) errors.notSupported("spec.fsGroupPolicy", policy, groupPolicies);
  const audiences = new Set<string>();
  for (const [index, request] of items(spec, "tokenRequests").entries()) {
    const path = `spec.tokenRequests[${index}]`;
    const audience = text(request, "audience");
    const seconds = int64(request, "expirationSeconds");
    if (audiences.has(audience)) errors.duplicate(`${path}.audience`, audience);
    else if (seconds !== undefined && seconds < minutes10)
      errors.invalid(`${path}.expirationSeconds`, seconds, "may not specify a duration less than 10 minutes");
    else if (seconds !== undefined && seconds > 2 ** 32)
      errors.invalid(
        `${path}.expirationSeconds`,
        seconds,
        "may not specify a duration larger than 2^32 seconds",
      );
    audiences.add(audience);
  }
  for (const mode of strings(spec, "volumeLifecycleModes"))
    if (mode !== "Persistent" && mode !== "Ephemeral")
      errors.notSupported("spec.volumeLifecycleModes", mode, ["Persistent", "Ephemeral"]);
  const period = int64(spec, "nodeAllocatableUpdatePeriodSeconds");
  if (period !== undefined && period < 10)
    errors.invalid(
      "spec.nodeAllocatableUpdatePeriodSeconds",
      period,
      "must be greater than or equal to 10 seconds",
    );
  if (present(spec, "serviceAccountTokenInSecrets") && items(spec, "tokenRequests").length === 0)
    errors.invalid(
      "spec.serviceAccountTokenInSecrets",
      spec["serviceAccountTokenInSecrets"],
      "serviceAccountTokenInSecrets is set but no tokenRequests are specified",
    );
}

const driverRules: KindSpec = {
  setDefaults(draft) {
    const spec = specOf(draft);
    setDefault(spec, "attachRequired", true);
    for (const key of ["podInfoOnMount", "storageCapacity", "requiresRepublish", "seLinuxMount"]) {
      setDefault(spec, key, false);
    }
    setDefault(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
    if (strings(spec, "volumeLifecycleModes").length === 0) spec["volumeLifecycleModes"] = ["Persistent"];
  },
  validate: (draft, errors) => validateDriver(specOf(draft), errors),
  validateChange(draft, before, errors) {
    const old = child(before, "spec");
    errors.immutable("spec.attachedRequired", specOf(draft)["attachRequired"], old?.["attachRequired"]);
    errors.immutable(
      "spec.volumeLifecycleModes",
      specOf(draft)["volumeLifecycleModes"],
      old?.["volumeLifecycleModes"],
    );
  },
  // A feature that is off by default takes it.
  prepareForCreate: (draft) => void delete specOf(draft)["preventPodSchedulingIfMissing"],
  prepareForUpdate: (draft) => void delete specOf(draft)["preventPodSchedulingIfMissing"],
  // They begin without one.
  generationChanged: contentChanged,
  warnings(draft, before) {
    const spec = specOf(draft);
    if (items(spec, "tokenRequests").length === 0 || present(spec, "serviceAccountTokenInSecrets")) return [];
    const old = before === undefined ? undefined : child(asJson(before), "spec")?.["tokenRequests"];
    if (before !== undefined && sameValue(old, spec["tokenRequests"])) return [];
    return [
      "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes",
    ];
  },
  columns: [
    nameColumn,
    column("AttachRequired", (driver) => driverCell(driver, "attachRequired"), { type: "boolean" }),
    column("PodInfoOnMount", (driver) => driverCell(driver, "podInfoOnMount"), { type: "boolean" }),
    column("StorageCapacity", (driver) => driverCell(driver, "storageCapacity"), { type: "boolean" }),
    column("TokenRequests", (driver) => {
      const requests = child(driver, "spec")?.["tokenRequests"];
      if (requests === undefined) return "<unset>";
      return items(child(driver, "spec"), "tokenRequests")
        .map((one) => text(one, "audience"))
        .join(",");
    }),
    column("RequiresRepublish", (driver) => driverCell(driver, "requiresRepublish"), { type: "boolean" }),
    column("Modes", (driver) => strings(child(driver, "spec"), "volumeLifecycleModes").join(",") || "<none>"),
    ageColumn,
  ],
};

const NODE_ID = 256;

function validateNodeDriver(driver: Json, path: string, errors: FieldErrors): void {
  validateDriverName(text(driver, "name"), `${path}.name`, errors);
  const id = text(driver, "nodeID");
  if (id === "") errors.required(`${path}.nodeID`);
  if (byteLength(id) > NODE_ID) errors.invalid(`${path}.nodeID`, id, `must be ${NODE_ID} characters or less`);
  errors.nonNegative(`${path}.allocatable.count`, integer(child(driver, "allocatable"), "count"));
  const keys = strings(driver, "topologyKeys");
  for (const [index, key] of keys.entries()) {
    if (key === "") errors.required(path);
    if (keys.indexOf(key) < index) errors.duplicate(path, key);
    errors.invalidEach(path, key, labelKeyProblems(key));
  }
}

const csiNodeRules: KindSpec = {
  validate(draft, errors) {
    const names = new Set<string>();
    for (const [index, driver] of items(specOf(draft), "drivers").entries()) {
      const path = `spec.drivers[${index}]`;
      const name = text(driver, "name");
      validateNodeDriver(driver, path, errors);
      if (names.has(name)) errors.duplicate(`${path}.name`, name);
      names.add(name);
    }
  },
  validateChange(draft, before, errors) {
    // How many volumes a node takes may change.
    const fixed = (driver: Json): Json => ({ ...driver, allocatable: null });
    const now = Map.groupBy(items(specOf(draft), "drivers"), (driver) => text(driver, "name"));
    for (const old of items(child(before, "spec"), "drivers"))
      for (const driver of now.get(text(old, "name")) ?? [])
        errors.immutable("spec.drivers", fixed(driver), fixed(old));
  },
  columns: [
    nameColumn,
    column("Drivers", (object) => items(child(object, "spec"), "drivers").length, { type: "integer" }),
    ageColumn,
  ],
};

export const csiKinds = [
  defineKind(resources.csiDrivers, driverRules),
  defineKind(resources.csiNodes, csiNodeRules),
  defineKind(resources.csiStorageCapacities, {
    warnings: capacityWarnings,
    validate(draft, errors) {
      validateLabelSelector(child(draft, "nodeTopology"), "nodeTopology", errors);
      const className = text(draft, "storageClassName");
      errors.invalidEach("storageClassName", className, dnsSubdomainProblems(className));
      const capacity = readQuantity(draft["capacity"]);
      if (capacity !== undefined && capacity.sign() < 0)
        errors.invalid("capacity", capacity.toString(), "must be greater than or equal to 0");
    },
    validateChange(draft, before, errors) {
      for (const key of ["nodeTopology", "storageClassName"]) errors.immutable(key, draft[key], before[key]);
    },
  }),
];

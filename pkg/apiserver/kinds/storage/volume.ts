import { formatTime } from "../../../api/time.ts";
import { dnsSubdomainProblems } from "../../../api/names.ts";
import { resources } from "../../../api/resources.ts";
import { defineKind, specOf, type KindSpec } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import {
  asJson,
  child,
  copyField,
  ensure,
  isJson,
  optionalText,
  present,
  sameValue,
  setDefault,
  setZeroDefault,
  stringMap,
  strings,
  text,
} from "../../../api/json.ts";
import type { Draft } from "../kind.ts";
import { validateNodeSelector } from "../pod/node-affinity.ts";
import { validateResourceAmount } from "../pod/requirements.ts";
import { quantities } from "../quantities.ts";
import { ageColumn, column, nameColumn } from "../table.ts";
import { accessModesCell } from "./claim.ts";
import { validateAccessModes, volumeModes } from "./claim-spec.ts";

const reclaimPolicies = ["Delete", "Recycle", "Retain"];
const notSources = new Set([
  "accessModes",
  "capacity",
  "claimRef",
  "mountOptions",
  "nodeAffinity",
  "persistentVolumeReclaimPolicy",
  "storageClassName",
  "volumeAttributesClassName",
  "volumeMode",
]);

function sourceOf(spec: Json): Json {
  return Object.fromEntries(
    Object.entries(spec).filter(([key, value]) => !notSources.has(key) && isJson(value)),
  );
}

function validate(draft: Draft, errors: FieldErrors): void {
  const spec = specOf(draft);
  const modes = strings(spec, "accessModes");
  if (modes.length === 0) errors.required("spec.accessModes");
  validateAccessModes(modes, "spec.accessModes", errors);
  const capacity = quantities(spec, "capacity");
  if (capacity.size === 0) errors.required("spec.capacity");
  if (!capacity.has("storage") || capacity.size > 1) {
    errors.notSupported("spec.capacity", spec["capacity"] ?? null, ["storage"]);
  }
  for (const [name, quantity] of capacity) {
    if (quantity.sign() <= 0) {
      errors.invalid(`spec.capacity[${name}]`, quantity.toString(), "must be greater than zero");
    } else validateResourceAmount(name, quantity, `spec.capacity[${name}]`, errors);
  }
  const policy = text(spec, "persistentVolumeReclaimPolicy");
  if (policy !== "" && !reclaimPolicies.includes(policy)) {
    errors.notSupported("spec.persistentVolumeReclaimPolicy", policy, reclaimPolicies);
  }
  const required = child(child(spec, "nodeAffinity"), "required");
  if (present(spec, "nodeAffinity")) {
    if (required === undefined)
      errors.required("spec.nodeAffinity.required", "must specify required node constraints");
    else validateNodeSelector(required, "spec.nodeAffinity.required", errors);
  }
  validateSource(spec, required !== undefined, errors);
  const className = text(spec, "storageClassName");
  if (className !== "")
    errors.invalidEach("spec.storageClassName", className, dnsSubdomainProblems(className));
  const mode = optionalText(spec, "volumeMode");
  if (mode !== undefined && !volumeModes.includes(mode))
    errors.notSupported("spec.volumeMode", mode, volumeModes);
}

function validateSource(spec: Json, hasAffinity: boolean, errors: FieldErrors): void {
  const sources = Object.keys(sourceOf(spec));
  if (sources.length === 0) errors.required("spec", "must specify a volume type");
  for (const extra of sources.slice(1)) {
    errors.forbidden(`spec.${extra}`, "may not specify more than 1 volume type");
  }
  const hostPath = child(spec, "hostPath");
  if (hostPath !== undefined && text(hostPath, "path") === "") errors.required("spec.hostPath.path");
  if (present(spec, "local") && !hasAffinity) {
    errors.required("spec.nodeAffinity", "Local volume requires node affinity");
  }
  const csi = child(spec, "csi");
  if (csi !== undefined) {
    if (text(csi, "driver") === "") errors.required("spec.csi.driver");
    if (text(csi, "volumeHandle") === "") errors.required("spec.csi.volumeHandle");
  }
  const root = hostPath !== undefined && text(hostPath, "path") === "/";
  if (root && text(spec, "persistentVolumeReclaimPolicy") === "Recycle") {
    errors.forbidden(
      "spec.persistentVolumeReclaimPolicy",
      "may not be 'recycle' for a hostPath mount of '/'",
    );
  }
}

function validateChange(draft: Draft, before: Json, errors: FieldErrors): void {
  const spec = specOf(draft);
  const old = child(before, "spec") ?? {};
  const source = structuredClone(sourceOf(spec));
  const csi = child(source, "csi");
  // This secret may come later.
  if (csi !== undefined && !present(child(old, "csi"), "controllerExpandSecretRef")) {
    delete csi["controllerExpandSecretRef"];
  }
  if (!sameValue(source, sourceOf(old))) {
    errors.forbidden(
      "spec.persistentvolumesource",
      "spec.persistentvolumesource is immutable after creation\n",
    );
  }
  errors.immutable("volumeMode", spec["volumeMode"], old["volumeMode"]);
  if (present(old, "nodeAffinity"))
    errors.immutable("nodeAffinity", spec["nodeAffinity"], old["nodeAffinity"]);
}

const rules: KindSpec = {
  setDefaults(draft) {
    const spec = specOf(draft);
    setZeroDefault(spec, "persistentVolumeReclaimPolicy", "Retain");
    setDefault(spec, "volumeMode", "Filesystem");
    const hostPath = child(spec, "hostPath");
    if (hostPath !== undefined) setDefault(hostPath, "type", "");
    const claim = child(spec, "claimRef");
    if (claim !== undefined) setZeroDefault(claim, "apiVersion", "v1");
    if (claim !== undefined) setZeroDefault(claim, "kind", "PersistentVolumeClaim");
    setZeroDefault(ensure(draft, "status"), "phase", "Pending");
  },
  prepareForCreate(draft, { nowMs }) {
    draft["status"] = { phase: "Pending", lastPhaseTransitionTime: formatTime(nowMs) };
  },
  prepareForUpdate(draft, before, { subresource, nowMs }) {
    if (subresource !== "status") return;
    const status = ensure(draft, "status");
    const old = child(before, "status") ?? {};
    const phaseChanged = text(status, "phase") !== text(old, "phase");
    const sameTime = text(status, "lastPhaseTransitionTime") === text(old, "lastPhaseTransitionTime");
    if (phaseChanged) {
      if (sameTime || !present(status, "lastPhaseTransitionTime")) {
        status["lastPhaseTransitionTime"] = formatTime(nowMs);
      }
    } else if (!present(status, "lastPhaseTransitionTime")) copyField(status, old, "lastPhaseTransitionTime");
  },
  validate,
  validateChange,
  selectableFields: (object) => ({ name: text(child(asJson(object), "metadata"), "name") }),
  columns: [
    nameColumn,
    column(
      "Capacity",
      (volume) => quantities(child(volume, "spec"), "capacity").get("storage")?.toString() ?? "0",
    ),
    column("Access Modes", (volume) => accessModesCell(child(volume, "spec"))),
    column("Reclaim Policy", (volume) => text(child(volume, "spec"), "persistentVolumeReclaimPolicy")),
    column("Status", (volume) =>
      present(child(volume, "metadata"), "deletionTimestamp")
        ? "Terminating"
        : text(child(volume, "status"), "phase"),
    ),
    column("Claim", (volume) => {
      const claim = child(child(volume, "spec"), "claimRef");
      return claim === undefined ? "" : `${text(claim, "namespace")}/${text(claim, "name")}`;
    }),
    column("StorageClass", (volume) => {
      const annotations = stringMap(child(volume, "metadata"), "annotations");
      return (
        annotations["volume.beta.kubernetes.io/storage-class"] ??
        text(child(volume, "spec"), "storageClassName")
      );
    }),
    column(
      "VolumeAttributesClass",
      (volume) => optionalText(child(volume, "spec"), "volumeAttributesClassName") ?? "<unset>",
    ),
    column("Reason", (volume) => text(child(volume, "status"), "reason")),
    ageColumn,
    column("VolumeMode", (volume) => optionalText(child(volume, "spec"), "volumeMode") ?? "<unset>", {
      wide: true,
    }),
  ],
};

export const volumeKinds = [defineKind(resources.persistentVolumes, rules)];

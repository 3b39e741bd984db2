import { posix } from "node:path";
import { formatTime } from "../../../api/time.ts";
import { dnsSubdomainProblems } from "../../../api/names.ts";
import { resources } from "../../../api/resources.ts";
import { defineKind, specOf, type KindSpec } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import {
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
import { validateHostPath } from "../pod/volume.ts";
import { validateNoBacksteps } from "../pod/volume-mount.ts";
import { validateBasicAmount } from "./capacity.ts";
import { quantities } from "../quantities.ts";
import { ageColumn, column, nameColumn } from "../table.ts";
import { accessModesCell } from "./claim.ts";
import { volumeSources } from "./volume-sources.ts";
import { validateAccessModes, volumeModes } from "./claim-spec.ts";
import { volumeWarnings } from "../warnings/storage.ts";

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

/** `inline`: as VolumeAttachments have them, without most of what volumes say of themselves. */
export function validateVolumeSpec(
  spec: Json,
  at: { readonly path: string; readonly name: string; readonly inline: boolean },
  errors: FieldErrors,
): void {
  const { path, inline } = at;
  if (inline) validateInline(spec, path, errors);
  const modes = strings(spec, "accessModes");
  if (modes.length === 0) errors.required(`${path}.accessModes`);
  validateAccessModes(modes, `${path}.accessModes`, errors);
  if (!inline) validateCapacity(spec, path, errors);
  const policy = text(spec, "persistentVolumeReclaimPolicy");
  if (!inline && policy !== "" && !reclaimPolicies.includes(policy))
    errors.notSupported(`${path}.persistentVolumeReclaimPolicy`, policy, reclaimPolicies);
  const required = child(child(spec, "nodeAffinity"), "required");
  if (!inline && present(spec, "nodeAffinity")) {
    if (required === undefined)
      errors.required(`${path}.nodeAffinity.required`, "must specify required node constraints");
    else validateNodeSelector(required, `${path}.nodeAffinity.required`, errors);
  }
  validateSource(spec, at, errors);
  if (inline) return;
  const className = text(spec, "storageClassName");
  if (className !== "")
    errors.invalidEach(`${path}.storageClassName`, className, dnsSubdomainProblems(className));
  const mode = optionalText(spec, "volumeMode");
  if (mode !== undefined && !volumeModes.includes(mode))
    errors.notSupported(`${path}.volumeMode`, mode, volumeModes);
  const attributes = optionalText(spec, "volumeAttributesClassName");
  if (attributes === undefined) return;
  const field = `${path}.volumeAttributesClassName`;
  if (attributes === "") errors.required(field, "an empty string is disallowed");
  else errors.invalidEach(field, attributes, dnsSubdomainProblems(attributes));
  if (!present(spec, "csi"))
    errors.required(`${path}.csi`, "has to be specified when using volumeAttributesClassName");
}

function validateInline(spec: Json, path: string, errors: FieldErrors): void {
  const message = "may not be specified in the context of inline volumes";
  if (present(spec, "claimRef")) errors.forbidden(`${path}.claimRef`, message);
  if (Object.keys(child(spec, "capacity") ?? {}).length > 0) errors.forbidden(`${path}.capacity`, message);
  if (!present(spec, "csi"))
    errors.required(`${path}.csi`, "has to be specified in the context of inline volumes");
  const policy = text(spec, "persistentVolumeReclaimPolicy");
  if (policy !== "" && policy !== "Retain")
    errors.forbidden(
      `${path}.persistentVolumeReclaimPolicy`,
      "may only be Retain in the context of inline volumes",
    );
  if (present(spec, "nodeAffinity")) errors.forbidden(`${path}.nodeAffinity`, message);
  if (text(spec, "storageClassName") !== "") errors.forbidden(`${path}.storageClassName`, message);
  const mode = optionalText(spec, "volumeMode");
  if (mode !== undefined && mode !== "Filesystem")
    errors.forbidden(
      `${path}.volumeMode`,
      "may not specify volumeMode other than Filesystem in the context of inline volumes",
    );
}

function validateCapacity(spec: Json, path: string, errors: FieldErrors): void {
  const capacity = quantities(spec, "capacity");
  if (capacity.size === 0) errors.required(`${path}.capacity`);
  if (!capacity.has("storage") || capacity.size > 1)
    errors.notSupported(`${path}.capacity`, spec["capacity"] ?? null, ["storage"]);
  for (const [name, quantity] of capacity) {
    const at = `${path}.capacity[${name}]`;
    validateBasicAmount(quantity, at, errors);
    if (quantity.sign() <= 0) errors.invalid(at, quantity.toString(), "must be greater than zero");
  }
}

function validateSource(
  spec: Json,
  { path, name }: { readonly path: string; readonly name: string },
  errors: FieldErrors,
): void {
  let found = 0;
  for (const [key, check] of Object.entries(volumeSources(name))) {
    const source = child(spec, key);
    if (source === undefined) continue;
    // upstream: pkg/apis/core/validation#ValidatePersistentVolumeSpec, where this one may be beside others.
    if (found > 0 && key !== "flexVolume")
      errors.forbidden(
        `${path}.${key === "cephfs" ? "cephFS" : key}`,
        "may not specify more than 1 volume type",
      );
    else {
      check(source, `${path}.${key === "gcePersistentDisk" ? "persistentDisk" : key}`, errors);
      if (key === "hostPath") validateHostPath(source, `${path}.hostPath`, errors);
      if (key === "local") validateLocal(spec, source, path, errors);
    }
    found++;
  }
  if (found === 0) errors.required(path, "must specify a volume type");
  const hostPath = text(child(spec, "hostPath"), "path");
  if (posix.normalize(hostPath === "" ? "." : hostPath) !== "/") return;
  if (text(spec, "persistentVolumeReclaimPolicy") === "Recycle")
    errors.forbidden(
      `${path}.persistentVolumeReclaimPolicy`,
      "may not be 'recycle' for a hostPath mount of '/'",
    );
}

function validateLocal(spec: Json, local: Json, path: string, errors: FieldErrors): void {
  const directory = text(local, "path");
  if (directory === "") errors.required(`${path}.local.path`);
  validateNoBacksteps(directory, `${path}.local.path`, errors);
  if (!present(spec, "nodeAffinity"))
    errors.required(`${path}.nodeAffinity`, "Local volume requires node affinity");
}

function validate(draft: Draft, errors: FieldErrors): void {
  validateVolumeSpec(
    specOf(draft),
    { path: "spec", name: text(draft.metadata, "name"), inline: false },
    errors,
  );
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
  warnings: (draft, _before, subresource) => (subresource === "" ? volumeWarnings(draft) : []),
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

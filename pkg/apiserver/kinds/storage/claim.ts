import { parseQuantity } from "../../../api/quantity-parse.ts";
import { resources } from "../../../api/resources.ts";
import { defineKind, specOf, type KindSpec } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import {
  child,
  copyField,
  ensure,
  optionalText,
  present,
  sameValue,
  setZeroDefault,
  stringMap,
  strings,
  text,
} from "../../../api/json.ts";
import type { Draft } from "../kind.ts";
import { readQuantity } from "../quantities.ts";
import { ageColumn, column, nameColumn } from "../table.ts";
import { setClaimSpecDefaults } from "../../../api/defaults/claim.ts";
import { validateClaimSpec } from "./claim-spec.ts";
import { validateClaimStatus } from "./claim-status.ts";
import { claimWarnings } from "../warnings/storage.ts";

const classAnnotation = "volume.beta.kubernetes.io/storage-class";

export const accessModeLetters: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

export function accessModesCell(holder: Json | undefined): string {
  const modes = new Set(strings(holder, "accessModes"));
  const shown = Object.entries(accessModeLetters).filter(([mode]) => modes.has(mode));
  return shown.map(([, letters]) => letters).join(",");
}

/** dataSource is the older form of dataSourceRef, as long as that stays within the namespace. */
function alignDataSources(spec: Json, before: Json | undefined): void {
  // Sources elsewhere are a feature that is off.
  const isElsewhere = text(child(spec, "dataSourceRef"), "namespace") !== "";
  if (isElsewhere && !present(before, "dataSourceRef")) delete spec["dataSourceRef"];
  const reference = child(spec, "dataSourceRef");
  const had = present(before, "dataSource") || present(before, "dataSourceRef");
  // A source that old clusters did not know is ignored as ever.
  const given = child(spec, "dataSource");
  if (!had && reference === undefined && given !== undefined && !isKnownSource(given))
    delete spec["dataSource"];
  const source = child(spec, "dataSource");
  if (source !== undefined && reference === undefined) spec["dataSourceRef"] = { ...source };
  if (reference === undefined || source !== undefined || text(reference, "namespace") !== "") return;
  const { namespace: _, ...plain } = reference;
  spec["dataSource"] = plain;
}

function isKnownSource(source: Json): boolean {
  const group = text(source, "apiGroup");
  const kind = text(source, "kind");
  if (kind === "PersistentVolumeClaim") return group === "";
  return kind === "VolumeSnapshot" && group === "snapshot.storage.k8s.io";
}

const storageOf = (holder: Json | undefined, ...path: readonly string[]): unknown => {
  let at = holder;
  for (const key of path) at = child(at, key);
  return at?.["storage"];
};

function validateChange(draft: Draft, before: Json, errors: FieldErrors): void {
  const spec = structuredClone(specOf(draft));
  const old = structuredClone(child(before, "spec") ?? {});
  if (text(old, "volumeName") === "") copyField(old, spec, "volumeName");
  // A default class that comes later may be filled in.
  const annotated = stringMap(child(before, "metadata"), "annotations")[classAnnotation];
  const name = optionalText(spec, "storageClassName");
  if (
    !present(old, "storageClassName") &&
    name !== undefined &&
    (annotated === undefined || annotated === name)
  ) {
    copyField(old, spec, "storageClassName");
  }
  if (text(child(draft, "status"), "phase") === "Bound") {
    const requests = ensure(ensure(spec, "resources"), "requests");
    copyField(requests, child(child(old, "resources"), "requests") ?? {}, "storage");
    copyField(spec, old, "volumeAttributesClassName");
  }
  if (!sameValue(spec, old)) {
    errors.forbidden(
      "spec",
      "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n",
    );
  }
  const none = parseQuantity("0");
  const size = readQuantity(storageOf(specOf(draft), "resources", "requests")) ?? none;
  const oldSize = readQuantity(storageOf(child(before, "spec"), "resources", "requests")) ?? none;
  const actual = readQuantity(storageOf(child(before, "status"), "capacity")) ?? none;
  if (size.compare(oldSize) < 0 && size.compare(actual) <= 0)
    errors.forbidden("spec.resources.requests.storage", "field can not be less than status.capacity");
  errors.immutable("volumeMode", specOf(draft)["volumeMode"], child(before, "spec")?.["volumeMode"]);
}

const rules: KindSpec = {
  setDefaults(draft) {
    setClaimSpecDefaults(specOf(draft));
    setZeroDefault(ensure(draft, "status"), "phase", "Pending");
  },
  prepareForCreate(draft) {
    draft["status"] = { phase: "Pending" };
    alignDataSources(specOf(draft), undefined);
  },
  prepareForUpdate(draft, before, { subresource }) {
    if (subresource === "") alignDataSources(specOf(draft), child(before, "spec"));
  },
  validate: (draft, errors) => validateClaimSpec(specOf(draft), "spec", errors),
  validateUpdate(draft, before, errors) {
    validateClaimSpec(specOf(draft), "spec", errors, child(before, "spec"));
    validateChange(draft, before, errors);
  },
  validateStatus: (draft, _before, errors) => validateClaimStatus(draft, errors),
  warnings: (draft, _before, subresource) => (subresource === "" ? claimWarnings(draft) : []),
  columns: [
    nameColumn,
    column("Status", (claim) =>
      present(child(claim, "metadata"), "deletionTimestamp")
        ? "Terminating"
        : text(child(claim, "status"), "phase"),
    ),
    column("Volume", (claim) => text(child(claim, "spec"), "volumeName")),
    column("Capacity", (claim) => {
      if (text(child(claim, "spec"), "volumeName") === "") return "";
      return readQuantity(storageOf(child(claim, "status"), "capacity"))?.toString() ?? "0";
    }),
    column("Access Modes", (claim) =>
      text(child(claim, "spec"), "volumeName") === "" ? "" : accessModesCell(child(claim, "status")),
    ),
    column("StorageClass", (claim) => {
      const annotated = stringMap(child(claim, "metadata"), "annotations")[classAnnotation];
      return annotated ?? text(child(claim, "spec"), "storageClassName");
    }),
    column(
      "VolumeAttributesClass",
      (claim) => optionalText(child(claim, "spec"), "volumeAttributesClassName") ?? "<unset>",
    ),
    ageColumn,
    column("VolumeMode", (claim) => optionalText(child(claim, "spec"), "volumeMode") ?? "<unset>", {
      wide: true,
    }),
  ],
};

export const claimKinds = [defineKind(resources.persistentVolumeClaims, rules)];

import { dnsLabelProblems, dnsSubdomainProblems } from "../../../api/names.ts";
import type { FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import { child, optionalText, present, sameValue, strings, text } from "../../../api/json.ts";
import { validateLabelSelector } from "../label-selector.ts";
import { quantities } from "../quantities.ts";
import { validateResourceAmount } from "../pod/requirements.ts";

export const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
export const volumeModes = ["Block", "Filesystem"];

/** The spec of a claim: of its own, of a StatefulSet's template, of an ephemeral volume; of one that was there, `before`. */
export function validateClaimSpec(spec: Json, path: string, errors: FieldErrors, before?: Json): void {
  const modes = strings(spec, "accessModes");
  if (modes.length === 0) errors.required(`${path}.accessModes`, "at least 1 access mode is required");
  validateLabelSelector(child(spec, "selector"), `${path}.selector`, errors);
  validateAccessModes(modes, `${path}.accessModes`, errors);
  validateStorageRequest(spec, `${path}.resources[storage]`, errors);
  for (const key of ["storageClassName", "volumeAttributesClassName"]) {
    const name = text(spec, key);
    if (name !== "") errors.invalidEach(`${path}.${key}`, name, dnsSubdomainProblems(name));
  }
  const mode = optionalText(spec, "volumeMode");
  if (mode !== undefined && !volumeModes.includes(mode)) {
    errors.notSupported(`${path}.volumeMode`, mode, volumeModes);
  }
  const sources = ["dataSource", "dataSourceRef"];
  // What is wrong with the group of a source that is there may stay.
  const isAnyGroup = sources.some((key) => present(child(before, key), "apiGroup"));
  for (const key of sources) validateDataSource(child(spec, key), isAnyGroup, `${path}.${key}`, errors);
  validateDataSourcePair(spec, path, errors);
}

export function validateAccessModes(modes: readonly string[], path: string, errors: FieldErrors): void {
  for (const mode of modes) {
    if (!accessModes.includes(mode)) errors.notSupported(path, mode, accessModes);
  }
  const others = modes.filter((mode) => mode !== "ReadWriteOncePod" && accessModes.includes(mode));
  if (modes.includes("ReadWriteOncePod") && others.length > 0) {
    errors.forbidden(path, "may not use ReadWriteOncePod with other access modes");
  }
}

function validateStorageRequest(spec: Json, path: string, errors: FieldErrors): void {
  const request = quantities(child(spec, "resources"), "requests").get("storage");
  if (request === undefined) errors.required(path);
  else if (request.sign() <= 0) errors.invalid(path, request.toString(), "must be greater than zero");
  else validateResourceAmount("storage", request, path, errors);
}

function validateDataSource(
  source: Json | undefined,
  isAnyGroup: boolean,
  path: string,
  errors: FieldErrors,
): void {
  if (source === undefined) return;
  if (text(source, "name") === "") errors.required(`${path}.name`);
  const kind = text(source, "kind");
  if (kind === "") errors.required(`${path}.kind`);
  const group = text(source, "apiGroup");
  if (group === "" && kind !== "PersistentVolumeClaim") {
    errors.invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  }
  if (group !== "" && !isAnyGroup) errors.invalidEach(`${path}.apiGroup`, group, dnsSubdomainProblems(group));
  const namespace = text(source, "namespace");
  if (namespace !== "") errors.invalidEach(`${path}.namespace`, namespace, dnsLabelProblems(namespace));
}

function validateDataSourcePair(spec: Json, path: string, errors: FieldErrors): void {
  const source = child(spec, "dataSource");
  const reference = child(spec, "dataSourceRef");
  if (source === undefined || reference === undefined) return;
  if (text(reference, "namespace") !== "") {
    // upstream shows the path to the source, which JSON makes nothing of.
    errors.invalid(path, {}, "may not be specified when dataSourceRef.namespace is specified");
  } else if (!["apiGroup", "kind", "name"].every((key) => sameValue(source[key], reference[key]))) {
    errors.invalid(path, {}, "must match dataSourceRef");
  }
}

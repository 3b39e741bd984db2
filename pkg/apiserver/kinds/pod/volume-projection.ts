import type { FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import { child, count64, integer, items, present, text } from "../../../api/json.ts";
import { validateFieldReference, validateResourceReference } from "./environment.ts";
import { validateLocalPath } from "./volume-mount.ts";

const modeMessage = "must be a number between 0 and 0777 (octal), both inclusive";
const fileFields = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];

export function validateMode(source: Json, key: string, path: string, errors: FieldErrors): void {
  const mode = integer(source, key);
  if (mode !== undefined && (mode > 0o777 || mode < 0)) errors.invalid(`${path}.${key}`, mode, modeMessage);
}

export function validateKeyPaths(source: Json, path: string, errors: FieldErrors): void {
  for (const [index, item] of items(source, "items").entries()) {
    const at = `${path}.items[${index}]`;
    if (text(item, "key") === "") errors.required(`${at}.key`);
    validateFilePath(text(item, "path"), `${at}.path`, errors);
    validateMode(item, "mode", at, errors);
  }
}

function validateFilePath(file: string, path: string, errors: FieldErrors): void {
  if (file === "") {
    errors.required(path);
    return;
  }
  validateLocalPath(file, path, errors);
  if (file.startsWith("..") && !file.startsWith("../"))
    errors.invalid(path, file, "must not start with '..'");
}

/** upstream: validateDownwardAPIVolumeSource gives all items the path of their list's owner. */
export function validateDownward(source: Json, path: string, errors: FieldErrors): void {
  validateMode(source, "defaultMode", path, errors);
  for (const item of items(source, "items")) {
    validateFilePath(text(item, "path"), `${path}.path`, errors);
    const field = child(item, "fieldRef");
    const resource = child(item, "resourceFieldRef");
    if (field !== undefined) {
      validateFieldReference(field, fileFields, `${path}.fieldRef`, errors);
      if (resource !== undefined) {
        errors.invalid(path, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously");
      }
    } else if (resource !== undefined) {
      validateResourceReference(resource, true, `${path}.resourceFieldRef`, errors);
    } else {
      errors.required(path, "one of fieldRef and resourceFieldRef is required");
    }
    validateMode(item, "mode", path, errors);
  }
}

export function validateProjected(source: Json, path: string, errors: FieldErrors): void {
  validateMode(source, "defaultMode", path, errors);
  const volume: Volume = { path, files: new Set() };
  for (const [index, projection] of items(source, "sources").entries()) {
    validateProjection(projection, `${path}.sources[${index}]`, volume, errors);
  }
}

interface Volume {
  readonly path: string;
  /** Those that the sources seen so far put into it. */
  readonly files: Set<string>;
}

function validateProjection(projection: Json, path: string, volume: Volume, errors: FieldErrors): void {
  for (const key of ["secret", "configMap"]) {
    const source = child(projection, key);
    if (source === undefined) continue;
    const name = text(source, "name");
    if (name === "") errors.required(`${path}.${key}.name`);
    validateKeyPaths(source, `${path}.${key}`, errors);
    for (const item of items(source, "items")) claimFile(text(item, "path"), name, volume, errors);
  }
  const downward = child(projection, "downwardAPI");
  if (downward !== undefined) {
    validateDownward(downward, `${path}.downwardAPI`, errors);
    for (const item of items(downward, "items")) {
      claimFile(text(item, "path"), text(item, "path"), volume, errors);
    }
  }
  const token = child(projection, "serviceAccountToken");
  if (token !== undefined) validateToken(token, `${path}.serviceAccountToken`, volume.path, errors);
  const sources = [
    "secret",
    "configMap",
    "downwardAPI",
    "serviceAccountToken",
    "clusterTrustBundle",
    "podCertificate",
  ];
  if (sources.filter((key) => present(projection, key)).length > 1) {
    errors.forbidden(path, "may not specify more than 1 volume type per source");
  }
}

function claimFile(file: string, reported: string, { path, files }: Volume, errors: FieldErrors): void {
  if (file === "") return;
  if (files.has(file)) errors.invalid(path, reported, "conflicting duplicate paths");
  files.add(file);
}

function validateToken(token: Json, path: string, volumePath: string, errors: FieldErrors): void {
  const seconds = count64(token, "expirationSeconds");
  const at = `${path}.expirationSeconds`;
  if (seconds < 600) errors.invalid(at, seconds, "may not specify a duration less than 10 minutes");
  if (seconds > 2 ** 32) errors.invalid(at, seconds, "may not specify a duration larger than 2^32 seconds");
  const file = text(token, "path");
  if (file === "") errors.required(`${volumePath}.path`);
  else validateFilePath(file, `${volumePath}.path`, errors);
}

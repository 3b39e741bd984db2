import type { FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import { child, flag, items, present, text } from "../../../api/json.ts";
import type { PodSpecView } from "./pod-spec-view.ts";

export function validateVolumeMounts(
  container: Json,
  view: PodSpecView,
  path: string,
  errors: FieldErrors,
): void {
  const devices = items(container, "volumeDevices");
  const deviceNames = new Set(devices.map((device) => text(device, "name")));
  const devicePaths = new Set(devices.map((device) => text(device, "devicePath")));
  const mountPaths = new Set<string>();
  for (const [index, mount] of items(container, "volumeMounts").entries()) {
    const at = `${path}[${index}]`;
    const name = text(mount, "name");
    if (name === "") errors.required(`${at}.name`);
    if (!view.volumes.has(name)) errors.notFound(`${at}.name`, name);
    const mountPath = text(mount, "mountPath");
    if (mountPath === "") errors.required(`${at}.mountPath`);
    if (mountPaths.has(mountPath)) errors.invalid(`${at}.mountPath`, mountPath, "must be unique");
    mountPaths.add(mountPath);
    if (deviceNames.has(name)) errors.invalid(`${at}.name`, name, "must not already exist in volumeDevices");
    if (devicePaths.has(mountPath)) {
      errors.invalid(`${at}.mountPath`, mountPath, "must not already exist as a path in volumeDevices");
    }
    validateSubPath(mount, path, at, errors);
    validatePropagation(mount, container, `${path}.mountPropagation`, errors);
    validateRecursiveReadOnly(mount, `${path}.recursiveReadOnly`, errors);
  }
}

/** upstream: ValidateVolumeMounts names the list, not the mount, for what is wrong inside a sub-path. */
function validateSubPath(mount: Json, path: string, at: string, errors: FieldErrors): void {
  const subPath = text(mount, "subPath");
  if (subPath !== "") validateLocalPath(subPath, `${path}.subPath`, errors);
  const expression = text(mount, "subPathExpr");
  if (expression === "") return;
  if (subPath !== "") {
    errors.invalid(`${at}.subPathExpr`, expression, "subPathExpr and subPath are mutually exclusive");
  }
  validateLocalPath(expression, `${path}.subPathExpr`, errors);
}

/** A relative path that stays below where it starts. */
export function validateLocalPath(path: string, field: string, errors: FieldErrors): void {
  if (path.startsWith("/")) errors.invalid(field, path, "must be a relative path");
  validateNoBacksteps(path, field, errors);
}

export function validateNoBacksteps(path: string, field: string, errors: FieldErrors): void {
  if (path.split("/").includes("..")) errors.invalid(field, path, "must not contain '..'");
}

function validatePropagation(mount: Json, container: Json, path: string, errors: FieldErrors): void {
  if (!present(mount, "mountPropagation")) return;
  const mode = text(mount, "mountPropagation");
  const modes = ["Bidirectional", "HostToContainer", "None"];
  if (!modes.includes(mode)) errors.notSupported(path, mode, modes);
  if (mode === "Bidirectional" && !flag(child(container, "securityContext"), "privileged")) {
    errors.forbidden(path, "Bidirectional mount propagation is available only to privileged containers");
  }
}

function validateRecursiveReadOnly(mount: Json, path: string, errors: FieldErrors): void {
  if (!present(mount, "recursiveReadOnly")) return;
  const mode = text(mount, "recursiveReadOnly");
  if (mode === "Disabled") return;
  if (mode !== "Enabled" && mode !== "IfPossible") {
    errors.notSupported(path, mode, ["Disabled", "Enabled", "IfPossible"]);
    return;
  }
  if (!flag(mount, "readOnly")) errors.forbidden(path, "may only be specified when readOnly is true");
  const propagation = text(mount, "mountPropagation");
  if (propagation !== "" && propagation !== "None") {
    errors.forbidden(path, "may only be specified when mountPropagation is None or not specified");
  }
}

export function validateVolumeDevices(
  container: Json,
  view: PodSpecView,
  path: string,
  errors: FieldErrors,
): void {
  const mounts = items(container, "volumeMounts");
  const mountNames = new Set(mounts.map((mount) => text(mount, "name")));
  const mountPaths = new Set(mounts.map((mount) => text(mount, "mountPath")));
  const names = new Set<string>();
  const paths = new Set<string>();
  for (const [index, device] of items(container, "volumeDevices").entries()) {
    const at = `${path}[${index}]`;
    const name = text(device, "name");
    const volume = view.volumes.get(name);
    if (name === "") errors.required(`${at}.name`);
    if (names.has(name)) errors.invalid(`${at}.name`, name, "must be unique");
    if (volume === undefined) errors.notFound(`${at}.name`, name);
    else if (!present(volume, "persistentVolumeClaim") && !present(volume, "ephemeral")) {
      errors.invalid(
        `${at}.name`,
        name,
        "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode",
      );
    }
    const devicePath = text(device, "devicePath");
    if (devicePath === "") errors.required(`${at}.devicePath`);
    if (paths.has(devicePath)) errors.invalid(`${at}.devicePath`, devicePath, "must be unique");
    if (devicePath.split("/").includes("..")) {
      errors.invalid(`${at}.devicePath`, devicePath, "can not contain backsteps ('..')");
    } else paths.add(devicePath);
    if (mountNames.has(name)) errors.invalid(`${at}.name`, name, "must not already exist in volumeMounts");
    if (mountPaths.has(devicePath)) {
      errors.invalid(`${at}.devicePath`, devicePath, "must not already exist as a path in volumeMounts");
    }
    if (name !== "") names.add(name);
  }
}

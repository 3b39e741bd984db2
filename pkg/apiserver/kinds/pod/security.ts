import { isInt64 } from "../../../api/int64.ts";
import type { FieldErrors } from "../field-errors.ts";
import { rangeMessage } from "../formats.ts";
import type { Json } from "../../../api/json.ts";
import { child, flag, int64, items, optionalText, present, strings, text } from "../../../api/json.ts";
import type { PodSpecView } from "./pod-spec-view.ts";
import { validateLocalPath } from "./volume-mount.ts";

const largestId = 2 ** 31 - 1;

function validateId(holder: Json, key: string, path: string, errors: FieldErrors): void {
  const id = int64(holder, key);
  if (id !== undefined && (id < 0 || id > largestId)) {
    errors.invalid(`${path}.${key}`, id, rangeMessage(0, largestId));
  }
}

export function validatePodSecurity(spec: Json, path: string, errors: FieldErrors): void {
  const context = child(spec, "securityContext");
  if (context === undefined) return;
  for (const key of ["fsGroup", "runAsUser", "runAsGroup"]) validateId(context, key, path, errors);
  const groups = context["supplementalGroups"];
  for (const [index, group] of (Array.isArray(groups) ? groups : []).entries()) {
    if (isInt64(group) && (group < 0 || group > largestId)) {
      errors.invalid(`${path}.supplementalGroups[${index}]`, group, rangeMessage(0, largestId));
    }
  }
  if (flag(spec, "shareProcessNamespace") && flag(spec, "hostPID")) {
    errors.invalid(
      `${path}.shareProcessNamespace`,
      true,
      "ShareProcessNamespace and HostPID cannot both be enabled",
    );
  }
  validateSysctls(context, spec, `${path}.sysctls`, errors);
  validateChoice(context, "fsGroupChangePolicy", path, errors);
  validateSeccomp(child(context, "seccompProfile"), `${path}.seccompProfile`, errors);
  validateAppArmor(child(context, "appArmorProfile"), `${path}.appArmorProfile`, errors);
  validateChoice(context, "supplementalGroupsPolicy", path, errors);
  validateChoice(context, "seLinuxChangePolicy", path, errors);
}

const policies = {
  fsGroupChangePolicy: ["Always", "OnRootMismatch"],
  supplementalGroupsPolicy: ["Merge", "Strict"],
  // MountOption is of a feature that is off by default.
  seLinuxChangePolicy: ["Recursive"],
};

function validateChoice(holder: Json, key: keyof typeof policies, path: string, errors: FieldErrors): void {
  const value = optionalText(holder, key);
  const choices = policies[key];
  if (value !== undefined && !choices.includes(value)) errors.notSupported(`${path}.${key}`, value, choices);
}

const sysctlName = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;

function validateSysctls(context: Json, spec: Json, path: string, errors: FieldErrors): void {
  const names = new Set<string>();
  for (const [index, sysctl] of items(context, "sysctls").entries()) {
    const name = text(sysctl, "name");
    const at = `${path}[${index}].name`;
    if (name === "") errors.required(at);
    else if (!sysctlName.test(name) || name.length > 253) {
      errors.invalid(
        at,
        name,
        "must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$",
      );
    } else if (names.has(name)) errors.duplicate(at, name);
    names.add(name);
    const dotted = name.replaceAll("/", ".");
    if (flag(spec, "hostNetwork") && dotted.startsWith("net.")) {
      errors.invalid(at, name, "may not be specified when 'hostNetwork' is true");
    }
    if (
      flag(spec, "hostIPC") &&
      (dotted.startsWith("kernel.shm") ||
        dotted.startsWith("kernel.msg") ||
        dotted === "kernel.sem" ||
        dotted.startsWith("fs.mqueue."))
    ) {
      errors.invalid(at, name, "may not be specified when 'hostIPC' is true");
    }
  }
}

function validateSeccomp(profile: Json | undefined, path: string, errors: FieldErrors): void {
  if (profile === undefined) return;
  const type = text(profile, "type");
  const types = ["Localhost", "RuntimeDefault", "Unconfined"];
  if (type === "") errors.required(`${path}.type`, "type is required when seccompProfile is set");
  else if (!types.includes(type)) errors.notSupported(`${path}.type`, type, types);
  const at = `${path}.localhostProfile`;
  const local = optionalText(profile, "localhostProfile");
  if (type !== "Localhost") {
    if (local !== undefined) errors.invalid(at, profile, "can only be set when seccomp type is Localhost");
  } else if (local === undefined) errors.required(at, "must be set when seccomp type is Localhost");
  else validateLocalPath(local, at, errors);
}

function validateAppArmor(profile: Json | undefined, path: string, errors: FieldErrors): void {
  if (profile === undefined) return;
  const at = `${path}.localhostProfile`;
  const local = optionalText(profile, "localhostProfile");
  const type = text(profile, "type");
  if (type === "Localhost") {
    if (local === undefined || local === "")
      errors.required(at, "must be set when AppArmor type is Localhost");
    else if (local.trim() !== local) errors.invalid(at, local, "must not be padded with whitespace");
  } else if (type === "RuntimeDefault" || type === "Unconfined") {
    if (local !== undefined) errors.invalid(at, local, "can only be set when AppArmor type is Localhost");
  } else if (type === "") errors.required(`${path}.type`, "type is required when appArmorProfile is set");
  else errors.notSupported(`${path}.type`, type, ["Localhost", "RuntimeDefault", "Unconfined"]);
}

export function validateContainerSecurity(
  context: Json | undefined,
  view: PodSpecView,
  path: string,
  errors: FieldErrors,
): void {
  if (context === undefined) return;
  validateId(context, "runAsUser", path, errors);
  validateId(context, "runAsGroup", path, errors);
  validateProcMount(context, view.spec["hostUsers"] !== false, path, errors);
  validateSeccomp(child(context, "seccompProfile"), `${path}.seccompProfile`, errors);
  if (context["allowPrivilegeEscalation"] === false) {
    if (flag(context, "privileged")) {
      errors.invalid(
        path,
        context,
        "cannot set `allowPrivilegeEscalation` to false and `privileged` to true",
      );
    }
    if (strings(child(context, "capabilities"), "add").includes("CAP_SYS_ADMIN")) {
      errors.invalid(
        path,
        context,
        "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN",
      );
    }
  }
  validateAppArmor(child(context, "appArmorProfile"), `${path}.appArmorProfile`, errors);
}

function validateProcMount(context: Json, hostUsers: boolean, path: string, errors: FieldErrors): void {
  if (!present(context, "procMount")) return;
  const type = text(context, "procMount");
  if (type !== "Default" && type !== "Unmasked") {
    errors.notSupported(`${path}.procMount`, type, ["Default", "Unmasked"]);
  }
  if (hostUsers && type === "Unmasked") {
    errors.invalid(`${path}.procMount`, type, "`hostUsers` must be false to use `Unmasked`");
  }
}

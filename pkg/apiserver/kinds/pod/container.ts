import { dnsLabelProblems } from "../../../api/names.ts";
import type { FieldErrors } from "../field-errors.ts";
import { portName, portNumber } from "../formats.ts";
import type { Json } from "../../../api/json.ts";
import { child, count, flag, integer, items, present, text } from "../../../api/json.ts";
import { validateEnvironment } from "./environment.ts";
import { validateLifecycle, validateProbes } from "./probe.ts";
import { validateRequirements } from "./requirements.ts";
import { validateContainerSecurity } from "./security.ts";
import type { PodSpecView } from "./pod-spec-view.ts";
import { validateVolumeDevices, validateVolumeMounts } from "./volume-mount.ts";

const pullPolicies = ["Always", "IfNotPresent", "Never"];
const restartPolicies = ["Always", "Never", "OnFailure"];

export function validateContainers(view: PodSpecView, path: string, errors: FieldErrors): void {
  const containers = items(view.spec, "containers");
  if (containers.length === 0) {
    errors.required(path);
    return;
  }
  const names = new Set<string>();
  for (const [index, container] of containers.entries()) {
    const at = `${path}[${index}]`;
    validateCommon(container, view, at, errors);
    const name = text(container, "name");
    if (names.has(name)) errors.duplicate(`${at}.name`, name);
    names.add(name);
    validateLifecycle(child(container, "lifecycle"), view, `${at}.lifecycle`, errors);
    validateProbes(container, view, at, errors);
    validateRestartPolicy(container, at, errors);
  }
  validateHostPortConflicts(containers, path, errors);
}

export function validateInitContainers(view: PodSpecView, path: string, errors: FieldErrors): void {
  const names = new Set(items(view.spec, "containers").map((container) => text(container, "name")));
  for (const [index, container] of items(view.spec, "initContainers").entries()) {
    const at = `${path}[${index}]`;
    validateCommon(container, view, at, errors);
    validateInitRestartPolicy(container, at, errors);
    const name = text(container, "name");
    if (names.has(name)) errors.duplicate(`${at}.name`, name);
    else if (name !== "") names.add(name);
    validateHostPortConflicts([container], path, errors);
    if (text(container, "restartPolicy") === "Always") {
      validateLifecycle(child(container, "lifecycle"), view, `${at}.lifecycle`, errors);
      validateProbes(container, view, at, errors);
    } else {
      forbidProbes(container, at, errors);
    }
  }
}

/** Only a sidecar lives long enough to be probed. */
function forbidProbes(container: Json, path: string, errors: FieldErrors): void {
  for (const key of ["lifecycle", "livenessProbe", "readinessProbe", "startupProbe"]) {
    if (present(container, key)) {
      errors.forbidden(`${path}.${key}`, "may not be set for init containers without restartPolicy=Always");
    }
  }
  for (const [index, policy] of items(container, "resizePolicy").entries()) {
    if (text(policy, "restartPolicy") !== "RestartContainer") continue;
    errors.invalid(
      `${path}.resizePolicy[${index}].restartPolicy`,
      "RestartContainer",
      "must not be set to 'RestartContainer' for non-sidecar initContainers",
    );
  }
}

export function validateEphemeralContainers(view: PodSpecView, path: string, errors: FieldErrors): void {
  const others = [...items(view.spec, "containers"), ...items(view.spec, "initContainers")];
  const targets = new Set(others.map((container) => text(container, "name")));
  const names = new Set(targets);
  for (const [index, container] of items(view.spec, "ephemeralContainers").entries()) {
    const at = `${path}[${index}]`;
    validateCommon(container, view, at, errors);
    validateImageSpaces(container, at, errors);
    const name = text(container, "name");
    if (names.has(name)) errors.duplicate(`${at}.name`, name);
    names.add(name);
    const target = text(container, "targetContainerName");
    if (target !== "" && !targets.has(target)) errors.notFound(`${at}.targetContainerName`, target);
    for (const key of [
      "ports",
      "livenessProbe",
      "readinessProbe",
      "startupProbe",
      "lifecycle",
      "resizePolicy",
    ]) {
      if (present(container, key))
        errors.forbidden(`${at}.${key}`, "cannot be set for an Ephemeral Container");
    }
    if (Object.keys(child(container, "resources") ?? {}).length > 0) {
      errors.forbidden(`${at}.resources`, "cannot be set for an Ephemeral Container");
    }
  }
}

function validateCommon(container: Json, view: PodSpecView, path: string, errors: FieldErrors): void {
  const name = text(container, "name");
  if (name === "") errors.required(`${path}.name`);
  else errors.invalidEach(`${path}.name`, name, dnsLabelProblems(name));
  if (text(container, "image") === "") errors.required(`${path}.image`);
  errors.oneOf(`${path}.terminationMessagePolicy`, text(container, "terminationMessagePolicy"), [
    "File",
    "FallbackToLogsOnError",
  ]);
  validatePorts(container, `${path}.ports`, errors);
  validateEnvironment(container, path, errors);
  validateVolumeMounts(container, view, `${path}.volumeMounts`, errors);
  validateVolumeDevices(container, view, `${path}.volumeDevices`, errors);
  errors.oneOf(`${path}.imagePullPolicy`, text(container, "imagePullPolicy"), pullPolicies);
  validateRequirements(child(container, "resources"), view, `${path}.resources`, errors);
  validateResizePolicy(container, view, `${path}.resizePolicy`, errors);
  validateContainerSecurity(child(container, "securityContext"), view, `${path}.securityContext`, errors);
}

function validatePorts(container: Json, path: string, errors: FieldErrors): void {
  const names = new Set<string>();
  for (const [index, port] of items(container, "ports").entries()) {
    const at = `${path}[${index}]`;
    const name = text(port, "name");
    if (name !== "") {
      const problems = portName(name);
      if (problems.length > 0) errors.invalidEach(`${at}.name`, name, problems);
      else if (names.has(name)) errors.duplicate(`${at}.name`, name);
      names.add(name);
    }
    const containerPort = count(port, "containerPort");
    if (containerPort === 0) errors.required(`${at}.containerPort`);
    else errors.invalidEach(`${at}.containerPort`, containerPort, portNumber(containerPort));
    const hostPort = count(port, "hostPort");
    if (hostPort !== 0) errors.invalidEach(`${at}.hostPort`, hostPort, portNumber(hostPort));
    errors.oneOf(`${at}.protocol`, text(port, "protocol"), ["SCTP", "TCP", "UDP"]);
  }
}

function validateHostPortConflicts(containers: readonly Json[], path: string, errors: FieldErrors): void {
  const taken = new Set<string>();
  for (const [index, container] of containers.entries()) {
    for (const [portIndex, port] of items(container, "ports").entries()) {
      const hostPort = count(port, "hostPort");
      if (hostPort === 0) continue;
      const key = `${text(port, "protocol")}/${text(port, "hostIP")}/${hostPort}`;
      if (taken.has(key)) errors.duplicate(`${path}[${index}].ports[${portIndex}].hostPort`, key);
      taken.add(key);
    }
  }
}

function validateResizePolicy(container: Json, view: PodSpecView, path: string, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [index, policy] of items(container, "resizePolicy").entries()) {
    const resource = text(policy, "resourceName");
    if (seen.has(resource)) errors.duplicate(`${path}[${index}]`, resource);
    seen.add(resource);
    errors.oneOf(path, resource, ["cpu", "memory"]);
    const restart = text(policy, "restartPolicy");
    errors.oneOf(path, restart, ["NotRequired", "RestartContainer"]);
    if (text(view.spec, "restartPolicy") === "Never" && restart !== "NotRequired") {
      errors.invalid(path, restart, "must be 'NotRequired' when pod `restartPolicy` is 'Never'");
    }
  }
}

/** Rules are looked at where there is a policy that leaves them something to say. */
function validateInitRestartPolicy(container: Json, path: string, errors: FieldErrors): void {
  const hasRules = items(container, "restartPolicyRules").length > 0;
  if (!present(container, "restartPolicy")) {
    if (hasRules)
      errors.required(`${path}.restartPolicy`, "must specify restartPolicy when restart rules are used");
  } else validateRestartPolicy(container, path, errors);
}

function validateRestartPolicy(container: Json, path: string, errors: FieldErrors): void {
  const rules = items(container, "restartPolicyRules");
  const policy = text(container, "restartPolicy");
  if (!present(container, "restartPolicy")) {
    if (rules.length > 0) {
      errors.required(`${path}.restartPolicy`, "must specify restartPolicy when restart rules are used");
    }
    if (rules.length === 0) return;
  } else if (!restartPolicies.includes(policy)) {
    errors.notSupported(`${path}.restartPolicy`, policy, restartPolicies);
  }
  if (rules.length > 20) errors.tooMany(`${path}.restartPolicyRules`, rules.length, 20);
  for (const [index, rule] of rules.entries()) {
    validateRestartRule(rule, `${path}.restartPolicyRules[${index}]`, errors);
  }
}

function validateRestartRule(rule: Json, path: string, errors: FieldErrors): void {
  const actions = ["Restart", "RestartAllContainers"];
  const action = text(rule, "action");
  if (!actions.includes(action)) errors.notSupported(`${path}.action`, action, actions);
  const exitCodes = child(rule, "exitCodes");
  if (exitCodes === undefined) {
    errors.required(`${path}.exitCodes`, "must be specified");
    return;
  }
  const operator = text(exitCodes, "operator");
  if (operator !== "In" && operator !== "NotIn") {
    errors.notSupported(`${path}.exitCodes.operator`, operator, ["In", "NotIn"]);
  }
  const values = exitCodes["values"];
  if (Array.isArray(values) && values.length > 255) {
    errors.tooMany(`${path}.exitCodes.values`, values.length, 255);
  }
}

/** Pods, not templates, refuse an image with spaces around it. */
export function validateImageSpaces(container: Json, path: string, errors: FieldErrors): void {
  const image = text(container, "image");
  if (image !== image.trim()) {
    errors.invalid(`${path}.image`, image, "must not have leading or trailing whitespace");
  }
}

/** With the host's network a container's port is the host's. */
export function validateHostNetworkPorts(view: PodSpecView, path: string, errors: FieldErrors): void {
  if (!flag(view.spec, "hostNetwork")) return;
  for (const [index, container] of items(view.spec, "containers").entries()) {
    for (const [portIndex, port] of items(container, "ports").entries()) {
      const hostPort = count(port, "hostPort");
      if ((view.isPod || hostPort !== 0) && hostPort !== integer(port, "containerPort")) {
        errors.invalid(
          `${path}.containers[${index}].ports[${portIndex}].hostPort`,
          hostPort,
          "must match `containerPort` when `hostNetwork` is true",
        );
      }
    }
  }
}

/** Names that a volume mount or failure policy may refer to. */
export function containerNames(spec: Json): string[] {
  return [...items(spec, "containers"), ...items(spec, "initContainers")].map((one) => text(one, "name"));
}

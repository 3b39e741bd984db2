import { dnsLabelProblems, dnsSubdomainProblems } from "../../../api/names.ts";
import { placedContainers } from "./placed-containers.ts";
import { labelKeyProblems } from "../../../api/labels-validate.ts";
import type { FieldErrors } from "../field-errors.ts";
import { byteLength, dns1123SubdomainWithUnderscore, rangeMessage } from "../formats.ts";
import type { Json } from "../../../api/json.ts";
import {
  child,
  flag,
  int64,
  items,
  optionalText,
  present,
  stringMap,
  strings,
  text,
} from "../../../api/json.ts";
import { validateLabels } from "../label-selector.ts";
import {
  validateContainers,
  validateEphemeralContainers,
  validateHostNetworkPorts,
  validateInitContainers,
} from "./container.ts";
import { validatePodResources } from "./pod-resources.ts";
import { podSpecView } from "./pod-spec-view.ts";
import { validateRequirements } from "./requirements.ts";
import { validateSchedulingGroup } from "./scheduling-group.ts";
import { validateAffinity, validateSpreadConstraints, validateTolerations } from "./scheduling.ts";
import { validatePodSecurity } from "./security.ts";
import { validateOldIp } from "../network/address-checks.ts";
import { validateVolumes } from "./volume.ts";

const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const largestDeadline = 2 ** 31 - 1;

export interface PodSpecOptions {
  /** A pod of its own, in contrast to a template. */
  readonly isPod: boolean;
  readonly podName: string;
}

/** Everything about a pod spec that can be wrong whatever it belongs to. */
export function validatePodSpec(
  spec: Json,
  path: string,
  options: PodSpecOptions,
  errors: FieldErrors,
): void {
  const volumes = validateVolumes(spec, options.podName, `${path}.volumes`, errors);
  const view = podSpecView(spec, options.isPod, volumes);
  validateResourceClaims(spec, `${path}.resourceClaims`, errors);
  validateContainers(view, `${path}.containers`, errors);
  validateInitContainers(view, `${path}.initContainers`, errors);
  validateEphemeralContainers(view, `${path}.ephemeralContainers`, errors);
  validatePodResources(view, `${path}.resources`, errors);
  validateHostNetworkPorts(view, path, errors);
  errors.oneOf(`${path}.restartPolicy`, text(spec, "restartPolicy"), ["Always", "OnFailure", "Never"]);
  errors.oneOf(`${path}.dnsPolicy`, text(spec, "dnsPolicy"), dnsPolicies);
  validateLabels(stringMap(spec, "nodeSelector"), `${path}.nodeSelector`, errors);
  validatePodSecurity(spec, `${path}.securityContext`, errors);
  validateAffinity(child(spec, "affinity"), `${path}.affinity`, errors);
  validateDnsConfig(spec, `${path}.dnsConfig`, errors);
  validateGates(spec, path, errors);
  validateSpreadConstraints(spec, `${path}.topologySpreadConstraints`, errors);
  validateHostUsers(spec, path, errors);
  validateHostname(spec, `${path}.hostnameOverride`, errors);
  validateNames(spec, path, errors);
  validateTolerations(items(spec, "tolerations"), `${path}.tolerations`, errors);
  validateHostAliases(spec, `${path}.hostAliases`, errors);
  validatePreemptionPolicy(spec, `${path}.preemptionPolicy`, errors);
  const overhead = child(spec, "overhead");
  if (overhead !== undefined)
    validateRequirements({ limits: overhead }, { claimNames: new Set() }, `${path}.overhead`, errors);
  validateOs(spec, `${path}.os`, errors);
  validateSchedulingGroup(spec, path, errors);
  validateFileVolumes(spec, path, errors);
}

/** Files that variables are read from lie in volumes that containers write. */
function validateFileVolumes(spec: Json, path: string, errors: FieldErrors): void {
  for (const key of ["initContainers", "containers", "ephemeralContainers"])
    for (const [index, container] of items(spec, key).entries())
      for (const [at, variable] of items(container, "env").entries()) {
        const reference = child(child(variable, "valueFrom"), "fileKeyRef");
        if (reference === undefined) continue;
        const name = text(reference, "volumeName");
        const place = `${path}.${key}[${index}].env[${at}].valueFrom.fileKeyRef.volumeName`;
        const volume = items(spec, "volumes").findLast((one) => text(one, "name") === name);
        if (volume === undefined) errors.notFound(place, name);
        else if (!present(volume, "emptyDir"))
          errors.invalid(place, name, "referenced volume must be of type emptyDir");
      }
}

/** The name that the kernel is told, in place of the one that the pod would have. */
function validateHostname(spec: Json, path: string, errors: FieldErrors): void {
  const name = optionalText(spec, "hostnameOverride");
  if (name === undefined) return;
  if (flag(spec, "setHostnameAsFQDN"))
    errors.forbidden(path, "may not be specified when setHostnameAsFQDN is true");
  if (flag(spec, "hostNetwork")) errors.forbidden(path, "may not be specified when hostNetwork is true");
  if (byteLength(name) > 64) errors.tooLong(path, 64);
  errors.invalidEach(path, name, dnsSubdomainProblems(name));
}

function validateNames(spec: Json, path: string, errors: FieldErrors): void {
  const names = { serviceAccountName: dnsSubdomainProblems, nodeName: dnsSubdomainProblems } as const;
  for (const [key, check] of Object.entries(names)) {
    const name = text(spec, key);
    if (name !== "") errors.invalidEach(`${path}.${key}`, name, check(name));
  }
  const deadline = int64(spec, "activeDeadlineSeconds");
  if (deadline !== undefined && (deadline < 1 || deadline > largestDeadline)) {
    errors.invalid(`${path}.activeDeadlineSeconds`, deadline, rangeMessage(1, largestDeadline));
  }
  for (const key of ["hostname", "subdomain"]) {
    const name = text(spec, key);
    if (name !== "") errors.invalidEach(`${path}.${key}`, name, dnsLabelProblems(name));
  }
  for (const key of ["priorityClassName", "runtimeClassName"]) {
    const name = text(spec, key);
    if (name !== "") errors.invalidEach(`${path}.${key}`, name, dnsSubdomainProblems(name));
  }
}

function validateResourceClaims(spec: Json, path: string, errors: FieldErrors): void {
  const names = new Set<string>();
  for (const [index, claim] of items(spec, "resourceClaims").entries()) {
    const at = `${path}[${index}]`;
    const name = text(claim, "name");
    if (name === "") errors.required(`${at}.name`);
    else if (names.has(name)) errors.duplicate(`${at}.name`, name);
    else errors.invalidEach(`${at}.name`, name, dnsLabelProblems(name));
    names.add(name);
    const sources = ["resourceClaimName", "resourceClaimTemplateName"].filter((key) => present(claim, key));
    if (sources.length > 1) {
      errors.invalid(
        at,
        claim,
        "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified",
      );
    }
    if (sources.length === 0) {
      errors.invalid(at, claim, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
    }
    for (const key of sources) {
      const reference = text(claim, key);
      errors.invalidEach(`${at}.${key}`, reference, dnsSubdomainProblems(reference));
    }
  }
}

function validateDnsConfig(spec: Json, path: string, errors: FieldErrors): void {
  const config = child(spec, "dnsConfig");
  const nameservers = strings(config, "nameservers");
  if (text(spec, "dnsPolicy") === "None") {
    if (config === undefined) {
      errors.required(path, "must provide `dnsConfig` when `dnsPolicy` is None");
      return;
    }
    if (nameservers.length === 0) {
      errors.required(
        `${path}.nameservers`,
        "must provide at least one DNS nameserver when `dnsPolicy` is None",
      );
      return;
    }
  }
  if (nameservers.length > 3) {
    errors.invalid(`${path}.nameservers`, nameservers, "must not have more than 3 nameservers");
  }
  for (const [index, address] of nameservers.entries()) {
    validateOldIp(address, `${path}.nameservers[${index}]`, errors);
  }
  const searches = strings(config, "searches");
  if (searches.length > 32) {
    errors.invalid(`${path}.searches`, searches, "must not have more than 32 search paths");
  }
  if (searches.join(" ").length > 2048) {
    errors.invalid(
      `${path}.searches`,
      searches,
      "must not have more than 2048 characters (including spaces) in the search list",
    );
  }
  for (const [index, search] of searches.entries()) {
    const name = search.replace(/\.$/, "");
    if (search !== ".") {
      errors.invalidEach(`${path}.searches[${index}]`, name, dns1123SubdomainWithUnderscore(name));
    }
  }
  for (const [index, option] of items(config, "options").entries()) {
    if (text(option, "name") === "") errors.required(`${path}.options[${index}]`, "must not be empty");
  }
}

function validateGates(spec: Json, path: string, errors: FieldErrors): void {
  for (const [index, gate] of items(spec, "readinessGates").entries()) {
    const type = text(gate, "conditionType");
    errors.invalidEach(`${path}.readinessGates[${index}].conditionType`, type, labelKeyProblems(type));
  }
  const names = new Set<string>();
  for (const [index, gate] of items(spec, "schedulingGates").entries()) {
    const name = text(gate, "name");
    const at = `${path}.schedulingGates[${index}]`;
    errors.invalidEach(at, name, labelKeyProblems(name));
    if (names.has(name)) errors.duplicate(at, name);
    names.add(name);
  }
}

/** A pod in its own user namespace cannot share the host's other ones. */
function validateHostUsers(spec: Json, path: string, errors: FieldErrors): void {
  if (spec["hostUsers"] !== false) return;
  if (flag(spec, "hostNetwork")) errors.forbidden(`${path}.hostNetwork`, "when `hostUsers` is false");
  if (flag(spec, "hostPID")) errors.forbidden(`${path}.HostPID`, "when `hostUsers` is false");
  if (flag(spec, "hostIPC")) errors.forbidden(`${path}.HostIPC`, "when `hostUsers` is false");
  for (const { container, path: at } of placedContainers(spec, path))
    if (items(container, "volumeDevices").length > 0)
      errors.forbidden(`${at}.volumeDevices`, "when `hostUsers` is false");
}

function validateHostAliases(spec: Json, path: string, errors: FieldErrors): void {
  for (const [index, alias] of items(spec, "hostAliases").entries()) {
    validateOldIp(text(alias, "ip"), `${path}[${index}].ip`, errors);
    for (const [at, hostname] of strings(alias, "hostnames").entries()) {
      errors.invalidEach(`${path}[${index}].hostnames[${at}]`, hostname, dnsSubdomainProblems(hostname));
    }
  }
}

export function validatePreemptionPolicy(holder: Json, path: string, errors: FieldErrors): void {
  const policy = optionalText(holder, "preemptionPolicy");
  if (policy !== undefined) errors.oneOf(path, policy, ["PreemptLowerPriority", "Never"]);
}

function validateOs(spec: Json, path: string, errors: FieldErrors): void {
  const os = child(spec, "os");
  if (os === undefined) return;
  const name = text(os, "name");
  if (name === "") errors.required(`${path}.name`);
  else if (name !== "linux" && name !== "windows") {
    errors.notSupported(path, name, ["linux", "windows"]);
  }
}

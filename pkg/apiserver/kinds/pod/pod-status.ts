import { validateClaimStatuses } from "./claim-statuses.ts";
import { dnsSubdomainProblems } from "../../../api/names.ts";
import { labelKeyProblems } from "../../../api/labels-validate.ts";
import type { FieldErrors } from "../field-errors.ts";
import type { Json } from "../../../api/json.ts";
import { child, count, count64, items, optionalText, present, text } from "../../../api/json.ts";
import type { Draft } from "../kind.ts";
import { validateOldIp } from "../network/address-checks.ts";

const systemConditions = new Set(["PodScheduled", "Ready", "Initialized"]);

export function validatePodStatus(draft: Draft, before: Json, errors: FieldErrors): void {
  const status = child(draft, "status");
  const old = child(before, "status");
  const spec = child(before, "spec") ?? {};
  validateConditions(status, errors);
  validateNominatedNode(status, old, spec, errors);
  if (count64(status, "observedGeneration") < 0) {
    errors.invalid(
      "status.observedGeneration",
      count64(status, "observedGeneration"),
      "must be a non-negative integer",
    );
  }
  errors.immutable("status.qosClass", text(status, "qosClass"), text(old, "qosClass"));
  validateTransitions("containers", draft, before, errors);
  validateTransitions("initContainers", draft, before, errors);
  for (const key of ["podIPs", "hostIPs"]) validateAddresses(status, old, key, errors);
  const [firstHost] = items(status, "hostIPs");
  if (firstHost !== undefined && text(firstHost, "ip") !== text(status, "hostIP")) {
    errors.invalid("status.hostIPs[0].ip", text(firstHost, "ip"), "must be equal to `hostIP`");
  }
  validateClaimStatuses(status, spec, errors);
}

function validateConditions(status: Json | undefined, errors: FieldErrors): void {
  for (const [index, condition] of items(status, "conditions").entries()) {
    const type = text(condition, "type");
    if (systemConditions.has(type)) continue;
    errors.invalidEach(`status.conditions[${index}].Type`, type, labelKeyProblems(type));
  }
}

function validateNominatedNode(
  status: Json | undefined,
  old: Json | undefined,
  spec: Json,
  errors: FieldErrors,
): void {
  const path = "status.nominatedNodeName";
  const name = text(status, "nominatedNodeName");
  if (name === "" || name === text(old, "nominatedNodeName")) return;
  errors.invalidEach(path, name, dnsSubdomainProblems(name));
  if (text(spec, "nodeName") !== "") {
    errors.forbidden(path, "may not be set on pods that are already bound to a node");
  }
}

const statusKeys = { containers: "containerStatuses", initContainers: "initContainerStatuses" };

/** A container that has ended for good does not come back. */
function validateTransitions(
  containersKey: keyof typeof statusKeys,
  draft: Draft,
  pod: Json,
  errors: FieldErrors,
): void {
  const statusKey = statusKeys[containersKey];
  const spec = child(pod, "spec") ?? {};
  const containers = [...items(spec, "containers"), ...items(spec, "initContainers")];
  const anyRestartsAll = containers.some((container) =>
    items(container, "restartPolicyRules").some((rule) => text(rule, "action") === "RestartAllContainers"),
  );
  if (anyRestartsAll) return;
  const now = items(child(draft, "status"), statusKey);
  for (const [index, before] of items(child(pod, "status"), statusKey).entries()) {
    const ended = child(child(before, "state"), "terminated");
    if (ended === undefined) continue;
    const name = text(before, "name");
    const current = now.find((one) => text(one, "name") === name);
    if (current === undefined || present(child(current, "state"), "terminated")) continue;
    const container = items(spec, containersKey).find((one) => text(one, "name") === name);
    if (container !== undefined && mayRestart(container, spec, count(ended, "exitCode"))) continue;
    errors.forbidden(
      `status.${statusKey}[${index}].state`,
      "may not be transitioned to non-terminated state",
    );
  }
}

function mayRestart(container: Json, spec: Json, exitCode: number): boolean {
  for (const rule of items(container, "restartPolicyRules")) {
    const exitCodes = child(rule, "exitCodes");
    const values = exitCodes?.["values"];
    const listed = Array.isArray(values) && values.includes(exitCode);
    if ((text(exitCodes, "operator") === "In") === listed) return true;
  }
  const policy = optionalText(container, "restartPolicy") ?? text(spec, "restartPolicy");
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}

/** What is there already may stay. */
function validateAddresses(
  status: Json | undefined,
  old: Json | undefined,
  key: string,
  errors: FieldErrors,
): void {
  const known = new Set(items(old, key).map((item) => text(item, "ip")));
  const addresses = items(status, key).map((item) => text(item, "ip"));
  for (const [index, address] of addresses.entries()) {
    if (!known.has(address)) validateOldIp(address, `status.${key}[${index}]`, errors);
  }
  const families = new Set(addresses.map((address) => address.includes(":")));
  if (addresses.length > families.size) {
    errors.invalid(
      `status.${key}`,
      status?.[key] ?? null,
      "may specify no more than one IP for each IP family",
    );
  }
}

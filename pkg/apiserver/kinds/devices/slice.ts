import { child, count64, items, type Json, present, text } from "../../../api/json.ts";
import { dnsLabelProblems, dnsSubdomainProblems } from "../../../api/names.ts";
import type { FieldErrors } from "../field-errors.ts";
import { validateNodeSelector } from "../pod/node-affinity.ts";
import { validateCounters } from "./counters.ts";
import { validateDriverName, validatePoolName } from "./names.ts";
import { validateDevice } from "./slice-device.ts";

const DEVICES = 128;
const DEVICES_WITH_MORE = 64;

/** upstream: pkg/apis/resource/validation#validateResourceSliceSpec */
export function validateSlice(spec: Json, before: Json | undefined, errors: FieldErrors): void {
  const pool = child(spec, "pool");
  validateDriverName(text(spec, "driver"), "spec.driver", errors);
  validatePoolName(text(pool, "name"), "spec.pool.name", errors);
  const slices = count64(pool, "resourceSliceCount");
  if (slices <= 0) errors.invalid("spec.pool.resourceSliceCount", slices, "must be greater than zero");
  const generation = count64(pool, "generation");
  if (generation < 0)
    errors.invalid("spec.pool.generation", generation, "must be greater than or equal to zero");
  if (before !== undefined) {
    errors.immutable("spec.pool.name", text(pool, "name"), text(child(before, "pool"), "name"));
    errors.immutable("spec.driver", text(spec, "driver"), text(before, "driver"));
    errors.immutable("spec.nodeName", spec["nodeName"], before["nodeName"]);
  }
  validatePlace(spec, errors);
  if (present(spec, "sharedCounters") && present(spec, "devices"))
    errors.invalid("spec", "", "only one of `sharedCounters` or `devices` is allowed");
  validateDevices(spec, before, errors);
  for (const [index, set] of items(spec, "sharedCounters").entries()) {
    const path = `spec.sharedCounters[${index}]`;
    const name = text(set, "name");
    if (name === "") errors.required(`${path}.name`);
    else errors.invalidEach(`${path}.name`, name, dnsLabelProblems(name));
    validateCounters(set, path, errors);
  }
}

function validateDevices(spec: Json, before: Json | undefined, errors: FieldErrors): void {
  const devices = items(spec, "devices");
  const hasMore = devices.some(
    (device) => items(device, "taints").length > 0 || items(device, "consumesCounters").length > 0,
  );
  const limit = hasMore ? DEVICES_WITH_MORE : DEVICES;
  if (devices.length > limit) {
    errors.tooMany("spec.devices", devices.length, limit);
    return;
  }
  const eachChoosesNodes = spec["perDeviceNodeSelection"] === true;
  const names = new Set<string>();
  for (const [index, device] of devices.entries()) {
    const path = `spec.devices[${index}]`;
    const name = text(device, "name");
    const old = items(before, "devices").find((one) => text(one, "name") === name);
    validateDevice(device, { path, old, eachChoosesNodes }, errors);
    if (names.has(name)) errors.duplicate(path, name);
    names.add(name);
  }
}

function validatePlace(spec: Json, errors: FieldErrors): void {
  const given: string[] = [];
  if (present(spec, "nodeName")) {
    const name = text(spec, "nodeName");
    if (name === "")
      errors.invalid("spec.nodeName", name, "must be either unset or set to a non-empty string");
    else given.push("`nodeName`");
    if (name !== "") errors.invalidEach("spec.nodeName", name, dnsSubdomainProblems(name));
  }
  const selector = child(spec, "nodeSelector");
  if (selector !== undefined) {
    given.push("`nodeSelector`");
    validateNodeSelector(selector, "spec.nodeSelector", errors);
    const terms = items(selector, "nodeSelectorTerms");
    const at = "spec.nodeSelector.nodeSelectorTerms";
    if (terms.length !== 1) errors.invalid(at, asTerms(terms), "must have exactly one node selector term");
  }
  for (const key of ["allNodes", "perDeviceNodeSelection"]) {
    if (spec[key] === true) given.push(`\`${key}\``);
    else if (present(spec, key)) errors.invalid(`spec.${key}`, false, "must be either unset or set to true");
  }
  const message =
    "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
  if (given.length === 0) errors.required("spec", message);
  else if (given.length > 1)
    errors.invalid("spec", `{${given.join(", ")}}`, `${message}, but multiple fields are set`);
}

/** A list that is not there is null in Go. */
function asTerms(terms: readonly Json[]): readonly Json[] | null {
  return terms.length === 0 ? null : terms;
}

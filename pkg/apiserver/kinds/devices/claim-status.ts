import {
  asJson,
  child,
  items,
  type Json,
  optionalText,
  present,
  sameValue,
  strings,
  text,
} from "../../../api/json.ts";
import type { ApiObject } from "../../../api/object.ts";
import { validateConditions } from "../conditions.ts";
import { uuidProblem } from "../formats.ts";
import { specOf } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import type { Draft } from "../kind.ts";
import { validateInterfaceAddress } from "../network/address-checks.ts";
import { validateNodeSelector } from "../pod/node-affinity.ts";
import { validateBindingConditions } from "./binding-conditions.ts";
import {
  requestNames,
  validateConfiguration,
  validateRequestReference,
  validateRequestReferences,
} from "./claim-spec.ts";
import { validateDriverName, validateLabelName, validatePoolName } from "./names.ts";
import { validateParameters } from "./parameters.ts";

const CONDITIONS = 8;

/** upstream: pkg/apis/resource/validation#ValidateResourceClaimStatusUpdate */
export function validateClaimStatus(draft: Draft, before: Json, errors: FieldErrors): void {
  const status = child(draft, "status");
  const old = child(before, "status");
  validateConsumers(status, errors);
  const allocation = child(status, "allocation");
  validateDeviceStatuses(status, allocated(allocation), errors);
  const consumers = items(status, "reservedFor");
  if (consumers.length > 0 && allocation === undefined)
    errors.forbidden("status.reservedFor", "may not be specified when `allocated` is not set");
  else if (consumers.length > 0 && present(draft.metadata, "deletionTimestamp")) {
    const known = items(old, "reservedFor");
    if (consumers.some((one) => !known.some((other) => sameValue(one, other))))
      errors.forbidden(
        "status.reservedFor",
        "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set",
      );
  }
  if (allocation === undefined) return;
  if (present(old, "allocation")) errors.immutable("status.allocation", allocation, old?.["allocation"]);
  else validateAllocation(allocation, requestNames(child(specOf(draft), "devices")), errors);
}

/** Of devices that were given back, nothing is said any more. */
export function dropDeallocated(draft: Draft, before: ApiObject | Json): void {
  const status = child(draft, "status");
  const was = allocated(child(child(asJson(before as ApiObject), "status"), "allocation"));
  const is = allocated(child(status, "allocation"));
  const devices = items(status, "devices");
  const kept = devices.filter((one) => is.has(deviceId(one)) || !was.has(deviceId(one)));
  if (status === undefined || kept.length === devices.length) return;
  if (kept.length === 0) delete status["devices"];
  else status["devices"] = kept;
}

function deviceOf(one: Json): Json {
  const [Driver, Pool, Device, ShareID] = ["driver", "pool", "device", "shareID"].map((key) =>
    text(one, key),
  );
  return { Driver, Pool, Device, ShareID };
}

function deviceId(one: Json): string {
  return JSON.stringify(deviceOf(one));
}

function allocated(allocation: Json | undefined): ReadonlySet<string> {
  return new Set(items(child(allocation, "devices"), "results").map(deviceId));
}

function validateConsumers(status: Json | undefined, errors: FieldErrors): void {
  const uids = new Set<string>();
  for (const [index, consumer] of items(status, "reservedFor").entries()) {
    const path = `status.reservedFor[${index}]`;
    for (const key of ["resource", "name", "uid"])
      if (text(consumer, key) === "") errors.required(`${path}.${key}`);
    const uid = text(consumer, "uid");
    if (uids.has(uid)) errors.duplicate(path, uid);
    uids.add(uid);
  }
}

function validateDeviceStatuses(
  status: Json | undefined,
  known: ReadonlySet<string>,
  errors: FieldErrors,
): void {
  const seen = new Set<string>();
  for (const [index, device] of items(status, "devices").entries()) {
    const path = `status.devices[${index}]`;
    validateDriverName(text(device, "driver"), `${path}.driver`, errors);
    validatePoolName(text(device, "pool"), `${path}.pool`, errors);
    validateLabelName(text(device, "device"), `${path}.device`, errors);
    validateShareId(device, path, errors);
    const id = deviceId(device);
    if (!known.has(id)) errors.invalid(path, deviceOf(device), "must be an allocated device in the claim");
    const conditions = items(device, "conditions");
    if (conditions.length > CONDITIONS) errors.tooMany(`${path}.conditions`, conditions.length, CONDITIONS);
    validateConditions(device, path, errors);
    if (present(device, "data")) validateParameters(device["data"], `${path}.data`, errors);
    for (const [at, address] of strings(child(device, "networkData"), "ips").entries())
      validateInterfaceAddress(address, `${path}.networkData.ips[${at}]`, errors);
    if (seen.has(id)) errors.duplicate(path, deviceOf(device));
    seen.add(id);
  }
}

/** upstream: pkg/apis/resource/validation/validation.go#validateUID */
function validateShareId(holder: Json, path: string, errors: FieldErrors): void {
  const id = optionalText(holder, "shareID");
  if (id === undefined) return;
  const problem = uuidProblem(id);
  if (problem !== undefined) errors.invalid(`${path}.shareID`, id, `error validating uid: ${problem}`);
  else if (id.length !== 36 || id !== id.toLowerCase())
    errors.invalid(
      `${path}.shareID`,
      id,
      "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters",
    );
}

function validateAllocation(allocation: Json, names: ReadonlySet<string>, errors: FieldErrors): void {
  const path = "status.allocation";
  const devices = child(allocation, "devices");
  for (const [index, result] of items(devices, "results").entries()) {
    const at = `${path}.devices.results[${index}]`;
    validateRequestReference(text(result, "request"), names, `${at}.request`, errors);
    validateDriverName(text(result, "driver"), `${at}.driver`, errors);
    validatePoolName(text(result, "pool"), `${at}.pool`, errors);
    validateLabelName(text(result, "device"), `${at}.device`, errors);
    validateBindingConditions(result, at, errors);
    validateShareId(result, at, errors);
  }
  for (const [index, config] of items(devices, "config").entries()) {
    const at = `${path}.devices.config[${index}]`;
    errors.oneOf(`${at}.source`, text(config, "source"), ["FromClaim", "FromClass"]);
    validateRequestReferences(config, names, at, errors);
    validateConfiguration(config, at, errors);
  }
  const selector = child(allocation, "nodeSelector");
  if (selector !== undefined) validateNodeSelector(selector, `${path}.nodeSelector`, errors);
}

import { labelKeyProblems } from "../../../api/labels-validate.ts";
import { child, stringMap } from "../../../api/json.ts";
import type { Draft } from "../kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import { isNativeResource, validateResourceAmount } from "../pod/requirements.ts";
import { quantities } from "../quantities.ts";
import { validateBasicAmount } from "./capacity.ts";

const resizeStatuses = [
  "ControllerResizeInProgress",
  "ControllerResizeInfeasible",
  "NodeResizeInProgress",
  "NodeResizeInfeasible",
  "NodeResizePending",
].toSorted();

/** How far a claim has got with becoming larger. */
export function validateClaimStatus(draft: Draft, errors: FieldErrors): void {
  const status = child(draft, "status");
  for (const [name, amount] of quantities(status, "capacity"))
    validateBasicAmount(amount, `status.capacity[${name}]`, errors);
  const path = "status.allocatedResourceStatuses";
  for (const [name, is] of Object.entries(stringMap(status, "allocatedResourceStatuses"))) {
    validateKey(name, path, errors);
    if (!resizeStatuses.includes(is)) errors.notSupported(path, name, resizeStatuses);
  }
  const allocated = "status.allocatedResources";
  for (const [name, amount] of quantities(status, "allocatedResources")) {
    const found = errors.list.length;
    validateKey(name, allocated, errors);
    if (errors.list.length > found) continue;
    const at = `${allocated}[${name}]`;
    validateBasicAmount(amount, at, errors);
    if (errors.list.length === found) validateResourceAmount("storage", amount, at, errors);
  }
}

/** What a claim can have an amount of: storage, or something that somebody else gives a meaning. */
function validateKey(name: string, path: string, errors: FieldErrors): void {
  const problems = labelKeyProblems(name);
  errors.invalidEach(path, name, problems);
  if (problems.length === 0 && isNativeResource(name) && name !== "storage")
    errors.notSupported(path, name, ["storage"]);
}

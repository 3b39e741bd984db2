import type { Int64 } from "../../../api/int64.ts";
import {
  child,
  count,
  descend,
  int64,
  items,
  type Json,
  optionalText,
  present,
  setDefault,
  text,
} from "../../../api/json.ts";
import { dnsSubdomainProblems, maxSubdomainLength } from "../../../api/names.ts";
import { resources } from "../../../api/resources.ts";
import { validateConditions } from "../conditions.ts";
import { defineKind, specOf } from "../define-kind.ts";
import type { FieldErrors } from "../field-errors.ts";
import { byteLength, caselessSubdomain } from "../formats.ts";
import type { KindRules } from "../kind.ts";
import { column, nameColumn, since } from "../table.ts";

const DEFAULT_LIMIT = 100;
const MOST_POOLS = 1_000;
const MOST_CONDITIONS = 10;
const LONGEST_ERROR = 256;

function validateDriver(parent: Json, path: string, errors: FieldErrors): void {
  const driver = text(parent, "driver");
  if (driver === "") errors.required(path);
  else errors.invalidEach(path, driver, caselessSubdomain(driver));
}

/** upstream: k8s.io/apimachinery/pkg/api/validate/strfmt.go#ResourcePoolName */
function validatePool(name: string, path: string, errors: FieldErrors): void {
  if (byteLength(name) > maxSubdomainLength) errors.tooLong(path, maxSubdomainLength);
  for (const [index, part] of name.split("/").entries()) {
    if (part === "") errors.invalid(path, name, `segment ${index}: must not be empty`);
    else
      errors.invalidEach(
        path,
        part,
        dnsSubdomainProblems(part).map((problem) => `segment ${index}: ${problem}`),
      );
  }
}

function validateAtLeast(least: number, value: Int64 | undefined, path: string, errors: FieldErrors): void {
  if (value !== undefined && value < least)
    errors.invalid(path, value, `must be greater than or equal to ${least}`);
}

function validateSpec(spec: Json, errors: FieldErrors): void {
  validateDriver(spec, "spec.driver", errors);
  const pool = optionalText(spec, "poolName");
  if (pool !== undefined) validatePool(pool, "spec.poolName", errors);
  const limit = int64(spec, "limit");
  if (limit !== undefined && limit > MOST_POOLS)
    errors.invalid("spec.limit", limit, `must be less than or equal to ${MOST_POOLS}`);
  validateAtLeast(1, limit, "spec.limit", errors);
}

function validatePoolStatus(pool: Json, path: string, errors: FieldErrors): void {
  validateDriver(pool, `${path}.driver`, errors);
  const name = text(pool, "poolName");
  if (name === "") errors.required(`${path}.poolName`);
  else validatePool(name, `${path}.poolName`, errors);
  const generation = int64(pool, "generation") ?? 0;
  if (generation === 0) errors.required(`${path}.generation`);
  else validateAtLeast(0, generation, `${path}.generation`, errors);
  const slices = "resourceSliceCount";
  validateAtLeast(1, int64(pool, slices), `${path}.${slices}`, errors);
  for (const which of ["total", "allocated", "available", "unavailable"]) {
    const key = `${which}Devices`;
    validateAtLeast(0, int64(pool, key), `${path}.${key}`, errors);
  }
  const node = optionalText(pool, "nodeName");
  if (node !== undefined) errors.invalidEach(`${path}.nodeName`, node, dnsSubdomainProblems(node));
  if (byteLength(text(pool, "validationError")) > LONGEST_ERROR)
    errors.tooLong(`${path}.validationError`, LONGEST_ERROR);
}

/** Once there is an answer it stays. upstream: pkg/apis/resource/validation#ValidateResourcePoolStatusRequestStatusUpdate */
function validateAnswer(draft: Json, before: Json, errors: FieldErrors): void {
  if (present(before, "status")) return errors.immutable("status", draft["status"], before["status"]);
  const status = child(draft, "status");
  if (status === undefined) return;
  validateConditions(status, "status", errors);
  if (!present(status, "poolCount")) errors.required("status.poolCount");
  validateAtLeast(0, int64(status, "poolCount"), "status.poolCount", errors);
  const pools = items(status, "pools");
  if (pools.length > MOST_POOLS) errors.tooMany("status.pools", pools.length, MOST_POOLS);
  else
    for (const [index, pool] of pools.entries()) validatePoolStatus(pool, `status.pools[${index}]`, errors);
  const { length } = items(status, "conditions");
  if (length > MOST_CONDITIONS) errors.tooMany("status.conditions", length, MOST_CONDITIONS);
}

/** The condition that tells how it ended. */
function endOf(request: Json): Json | undefined {
  return items(child(request, "status"), "conditions").find(
    (each) => ["Complete", "Failed"].includes(text(each, "type")) && text(each, "status") === "True",
  );
}

const endsAs = (request: Json, type: string): boolean => text(endOf(request), "type") === type;

function stateCell(request: Json): string {
  const type = text(endOf(request), "type") || "Pending";
  const all = count(child(request, "status"), "poolCount");
  const shown = items(child(request, "status"), "pools").length;
  return type === "Complete" && all > shown ? `${type} (${shown}/${all} pools)` : type;
}

/** Of all pools together, if it did not fail. */
function sumCell(valueOf: (pool: Json) => number): (request: Json) => string {
  return (request) => {
    if (!present(request, "status") || endsAs(request, "Failed")) return "-";
    const pools = items(child(request, "status"), "pools");
    return `${pools.reduce((sum, pool) => sum + valueOf(pool), 0)}`;
  };
}

const devices = (key: string): ((request: Json) => string) => sumCell((pool) => count(pool, key));

/** Served where servers are told to, which stands for the feature gate DRAResourcePoolStatus. */
export const poolStatusRequestKind: KindRules = {
  ...defineKind(resources.resourcePoolStatusRequests, {
    statusKeepsMetadata: "all",
    setDefaults: (draft) => setDefault(specOf(draft), "limit", DEFAULT_LIMIT),
    validate: (draft, errors) => validateSpec(specOf(draft), errors),
    validateUpdate: (draft, before, errors) => errors.unchanged("spec", draft["spec"], before["spec"]),
    validateStatus: validateAnswer,
    columns: [
      nameColumn,
      column("Driver", (request) => text(child(request, "spec"), "driver")),
      column("Total", devices("totalDevices")),
      column("Available", devices("availableDevices")),
      column("Allocated", devices("allocatedDevices")),
      column("Unavailable", devices("unavailableDevices")),
      column(
        "Errors",
        sumCell((pool) => (present(pool, "validationError") ? 1 : 0)),
      ),
      column("Pools", (request) => count(descend(request, "status"), "poolCount"), { type: "integer" }),
      column("Status", stateCell),
      column("Completed", (request, nowMs) =>
        endsAs(request, "Complete") ? since(text(endOf(request), "lastTransitionTime"), nowMs) : "<none>",
      ),
    ],
  }),
  unconditionalUpdate: false,
  reset: { "": [["status"]], status: [["metadata"], ["spec"]] },
};

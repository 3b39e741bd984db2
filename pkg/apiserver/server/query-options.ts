import { parseDurationNs } from "../../api/duration.ts";
import { messageOf } from "../../api/errors.ts";
import { type FieldSelector, parseFieldSelector } from "../../api/fields.ts";
import { type Int64, parseInt64, toInt64 } from "../../api/int64.ts";
import { parseLabelSelector } from "../../api/labels-parse.ts";
import { type LabelSelector, SelectorError } from "../../api/labels.ts";
import { FieldErrors } from "../kinds/field-errors.ts";
import { badRequest, internal, invalid } from "./status-error.ts";

export interface ListQuery {
  readonly resourceVersion: string;
  readonly resourceVersionMatch: string;
  /** 0: no limit. */
  readonly limit: number;
  readonly continueToken: string;
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  readonly watch: boolean;
  readonly allowWatchBookmarks: boolean;
  readonly sendInitialEvents: boolean | undefined;
  /** 0: as long as the server likes. */
  readonly timeoutSeconds: number;
}

const listOptionsKind = { group: "meta.k8s.io", kind: "ListOptions" };

/** Reads and checks the parameters of a list or watch; throws 400 and 422 as the API server words them. */
export function parseListQuery(query: URLSearchParams, watchPath: boolean): ListQuery {
  // upstream: conversion-gen reads the members in the order of their type, and only then what their texts mean.
  const limit = Number(integerParameter(query, "limit") ?? 0);
  const timeoutSeconds = Number(integerParameter(query, "timeoutSeconds") ?? 0);
  const options: ListQuery = {
    resourceVersion: query.get("resourceVersion") ?? "",
    resourceVersionMatch: query.get("resourceVersionMatch") ?? "",
    limit,
    continueToken: query.get("continue") ?? "",
    labels: selector(() => parseLabelSelector(query.get("labelSelector") ?? "")),
    fields: selector(() => parseFieldSelector(query.get("fieldSelector") ?? "")),
    watch: watchPath || (booleanParameter(query, "watch") ?? false),
    allowWatchBookmarks: booleanParameter(query, "allowWatchBookmarks") ?? false,
    sendInitialEvents: booleanParameter(query, "sendInitialEvents"),
    timeoutSeconds,
  };
  const errors = new FieldErrors();
  if (options.watch) checkWatch(options, errors);
  else checkList(options, errors);
  if (errors.list.length > 0) throw invalid(listOptionsKind, "", errors.list);
  return options;
}

function selector<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.message);
    throw error;
  }
}

function checkList(options: ListQuery, errors: FieldErrors): void {
  const field = "resourceVersionMatch";
  const match = options.resourceVersionMatch;
  if (match !== "") {
    if (options.resourceVersion === "")
      errors.forbidden(field, "resourceVersionMatch is forbidden unless resourceVersion is provided");
    if (options.continueToken !== "")
      errors.forbidden(field, "resourceVersionMatch is forbidden when continue is provided");
    if (match !== "Exact" && match !== "NotOlderThan")
      errors.notSupported(field, match, ["Exact", "NotOlderThan", ""]);
    if (match === "Exact" && options.resourceVersion === "0")
      errors.forbidden(field, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"');
  }
  if (options.sendInitialEvents !== undefined)
    errors.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list");
}

function checkWatch(options: ListQuery, errors: FieldErrors): void {
  const field = "resourceVersionMatch";
  const match = options.resourceVersionMatch;
  if (options.sendInitialEvents !== undefined && match !== "NotOlderThan")
    errors.forbidden(field, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  if (match !== "" && options.sendInitialEvents === undefined)
    errors.forbidden(
      field,
      "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
    );
  if (match !== "" && match !== "NotOlderThan") errors.notSupported(field, match, ["NotOlderThan"]);
  if (options.continueToken !== "")
    errors.forbidden(field, "resourceVersionMatch is forbidden when continue is provided");
}

export interface WriteQuery {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: "Ignore" | "Warn" | "Strict";
  /** Server-side apply only. */
  readonly force: boolean;
}

const validations = ["Ignore", "Strict", "Warn"];

/** Reads and checks the parameters of a create, update or patch. */
export function parseWriteQuery(
  query: URLSearchParams,
  kind: "CreateOptions" | "UpdateOptions" | "PatchOptions",
  isApply = false,
): WriteQuery {
  const errors = new FieldErrors();
  const fieldManager = query.get("fieldManager") ?? "";
  if (isApply && fieldManager === "") errors.required("fieldManager", "is required for apply patch");
  const forced = booleanParameter(query, "force");
  if (kind === "PatchOptions" && !isApply && forced !== undefined)
    errors.forbidden("force", "may not be specified for non-apply patch");
  checkFieldManager(fieldManager, errors);
  checkDryRun(query.getAll("dryRun"), errors);
  const validation = query.get("fieldValidation") ?? "";
  if (validation !== "" && !validations.includes(validation))
    errors.notSupported("fieldValidation", validation, ["", ...validations]);
  if (errors.list.length > 0) throw invalid({ group: "meta.k8s.io", kind }, "", errors.list);
  return {
    dryRun: query.has("dryRun"),
    fieldManager,
    fieldValidation: validation === "" ? "Warn" : (validation as WriteQuery["fieldValidation"]),
    force: forced ?? false,
  };
}

function checkFieldManager(manager: string, errors: FieldErrors): void {
  if (manager.length > 128) errors.tooLong("fieldManager", 128);
  for (const [position, character] of Array.from(manager).entries()) {
    if (/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character)) continue;
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    errors.invalid("fieldManager", manager, `invalid character U+${code} (at position ${position})`);
    return;
  }
}

export function checkDryRun(values: readonly string[], errors: FieldErrors): void {
  if (values.some((value) => value !== "All")) errors.notSupported("dryRun", values, ["All"]);
}

/** How long the client waits matters to nobody here, but it has to be a duration. */
export function checkTimeout(query: URLSearchParams): void {
  const timeout = query.get("timeout") ?? "";
  if (timeout === "") return;
  try {
    parseDurationNs(timeout);
  } catch (error) {
    throw badRequest(`invalid timeout specified in the request URL - ${messageOf(error)}`);
  }
}

/** As the API server reads it: present without a value is true; "0" and "false" are false. */
export function booleanParameter(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  return value !== "0" && value.toLowerCase() !== "false";
}

/** Of 64 bits, as the API server reads all of them. */
export function integerParameter(query: URLSearchParams, name: string): Int64 | undefined {
  const value = query.get(name);
  if (value === null || value === "") return undefined;
  const number = parseInt64(value);
  if (number !== undefined) return toInt64(number);
  const why = /^[+-]?[0-9]+$/.test(value) ? "value out of range" : "invalid syntax";
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(value)}: ${why}`);
}

const MAX_UINT64 = 2n ** 64n - 1n;

/** Undefined for "" and "0", which ask for no particular version. */
export function parseVersion(text: string, purpose: "get" | "list" | "watch" | "write"): number | undefined {
  if (text === "" || text === "0") return undefined;
  const isNumber = /^[0-9]+$/.test(text);
  const digits = text.replace(/^0+/, "");
  if (isNumber && digits.length <= 20 && BigInt(`0${digits}`) <= MAX_UINT64) return Number(text);
  const why = isNumber ? "value out of range" : "invalid syntax";
  const problem = `strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`;
  if (purpose === "write") throw internal(problem);
  const invalidValue = `resourceVersion: Invalid value: ${JSON.stringify(text)}: ${problem}`;
  throw purpose === "list" ? badRequest(`invalid resource version: ${invalidValue}`) : internal(invalidValue);
}

import { readBase64 } from "../../../api/base64.ts";
import { child, isJson, type Json, optionalText, strings, text } from "../../../api/json.ts";
import type { Status } from "../../../api/object.ts";
import { parseJson } from "../../../api/wire-json.ts";
import type { AdmissionAttributes } from "../../server/admission.ts";
import { jsonProblem } from "../../server/json-problem.ts";
import { WebhookCallError } from "../../webhook-client/webhook-call-error.ts";
import { admissionRequest, type SeenRequest } from "../matching/admission-request.ts";

const KNOWN_VERSIONS = ["v1", "v1beta1"] as const;
export type ReviewVersion = (typeof KNOWN_VERSIONS)[number];

export const REVIEW_GROUP = "admission.k8s.io";

/** The first that this server speaks. */
export function reviewVersion(accepted: readonly string[]): ReviewVersion {
  for (const one of accepted) {
    const known = KNOWN_VERSIONS.find((version) => version === one);
    if (known !== undefined) return known;
  }
  throw new WebhookCallError(
    "could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)",
  );
}

/** The question. `served`: the version that the webhook asked to be told of. */
export function admissionReview(
  version: ReviewVersion,
  uid: string,
  attributes: AdmissionAttributes,
  seen: SeenRequest,
): Json {
  return {
    kind: "AdmissionReview",
    apiVersion: `${REVIEW_GROUP}/${version}`,
    request: admissionRequest(uid, attributes, seen),
  };
}

/** What a webhook has decided. */
export interface AdmissionVerdict {
  readonly allowed: boolean;
  readonly status: Partial<Status> | undefined;
  readonly warnings: readonly string[];
  /** Operations of a JSON patch, undefined for none. */
  readonly patchType: string;
  readonly patch: string;
}

/** Throws a WebhookCallError for what is no answer to this question. */
export function readVerdict(
  review: Json,
  uid: string,
  version: ReviewVersion,
  mutating: boolean,
): AdmissionVerdict {
  const response = child(review, "response");
  if (response === undefined) throw invalid("webhook response was absent");
  requireTypes(response);
  const encoded = readBase64(text(response, "patch"));
  if (typeof encoded !== "string")
    throw new WebhookCallError(
      `failed to call webhook: illegal base64 data at input byte ${encoded.wrongAt}`,
    );
  const given = Buffer.from(encoded, "base64").toString();
  const patchType = optionalText(response, "patchType");
  if (version === "v1") {
    if (text(response, "uid") !== uid)
      throw invalid(
        `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(text(response, "uid"))}`,
      );
    if (text(review, "kind") === "" || text(review, "apiVersion") === "")
      throw invalid(
        `expected webhook response of ${REVIEW_GROUP}/v1, Kind=AdmissionReview, got ${goKind(review)}`,
      );
    requirePatch(given, patchType, mutating);
  }
  const isPatched = mutating && given !== "";
  return {
    allowed: response["allowed"] === true,
    status: child(response, "status"),
    warnings: strings(response, "warnings"),
    patch: isPatched ? given : "",
    patchType: version === "v1" ? (patchType ?? "") : "JSONPatch",
  };
}

function requirePatch(patch: string, patchType: string | undefined, mutating: boolean): void {
  if (!mutating) {
    if (patch !== "") throw invalid("validating webhook may not return response.patch");
    if (patchType !== undefined) throw invalid("validating webhook may not return response.patchType");
    return;
  }
  if (patch !== "" && patchType === undefined)
    throw invalid("webhook returned response.patch but not response.patchType");
  if (patch === "" && patchType !== undefined)
    throw invalid("webhook returned response.patchType but not response.patch");
  if (patchType === "") throw invalid('webhook returned invalid response.patchType of ""');
}

const fieldTypes: Readonly<Record<string, string>> = {
  uid: "string",
  allowed: "bool",
  patch: "[]uint8",
  patchType: "v1.PatchType",
  status: "v1.Status",
  warnings: "[]string",
  auditAnnotations: "map[string]string",
};

function requireTypes(response: Json): void {
  for (const [field, goType] of Object.entries(fieldTypes)) {
    const value = response[field];
    if (value === undefined || value === null || fits(value, goType)) continue;
    const actual = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
    throw new WebhookCallError(
      `failed to call webhook: json: cannot unmarshal ${actual} into Go struct field AdmissionResponse.response.${field} of type ${goType}`,
    );
  }
}

function fits(value: unknown, goType: string): boolean {
  switch (goType) {
    case "bool":
      return typeof value === "boolean";
    case "v1.Status":
      return isJson(value);
    case "[]string":
      return Array.isArray(value) && value.every((one) => typeof one === "string");
    case "map[string]string":
      return isJson(value) && Object.values(value).every((one) => typeof one === "string");
    default:
      return typeof value === "string";
  }
}

/** The operations; throws a WebhookCallError. */
export function readPatch({ patch, patchType }: AdmissionVerdict): readonly unknown[] {
  if (patch === "") return [];
  const operations = parsedPatch(patch);
  if (operations.length > 0 && patchType !== "JSONPatch")
    throw new WebhookCallError(`unsupported patch type ${JSON.stringify(patchType)}`);
  return operations;
}

function parsedPatch(patch: string): readonly unknown[] {
  let value: unknown;
  try {
    value = parseJson(patch);
  } catch (error) {
    throw undecodable(jsonProblem(patch, error), error);
  }
  if (value === null) return [];
  if (Array.isArray(value)) return value;
  const actual = isJson(value) ? "object" : typeof value === "boolean" ? "bool" : typeof value;
  throw undecodable(`json: cannot unmarshal ${actual} into Go value of type jsonpatch.Patch`);
}

function undecodable(problem: string, cause?: unknown): WebhookCallError {
  return new WebhookCallError(`received undecodable patch in webhook response: ${problem}`, cause);
}

function goKind(review: Json): string {
  const apiVersion = text(review, "apiVersion");
  return `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${text(review, "kind")}`;
}

function invalid(problem: string): WebhookCallError {
  return new WebhookCallError(`received invalid webhook response: ${problem}`);
}

import { child, isJson, items, type Json, stringMap, text } from "../../api/json.ts";
import { copyJson } from "../../api/json-copy.ts";
import { FieldErrors } from "../kinds/field-errors.ts";
import { validateLabels } from "../kinds/label-selector.ts";
import { validateAnnotations } from "../kinds/metadata.ts";

const KNOWN_VERSIONS: ReadonlySet<string> = new Set(["v1", "v1beta1"]);
export const CONVERSION_GROUP = "apiextensions.k8s.io";

/** What a converter has done and may not do, to be told after whose converter it is: `failed: …`. */
export class ConversionProblem extends Error {
  readonly code = "Conversion";
  constructor(message: string, how = "failed") {
    super(`${how}: ${message}`);
  }
}

const INVALID_OBJECT = "returned invalid object";
const FIRST_OBJECT = "returned invalid object at index 0";
const INVALID_METADATA = "returned invalid metadata";

/** The first that this server speaks. */
export function conversionReviewVersion(accepted: readonly string[]): string {
  const known = accepted.find((version) => KNOWN_VERSIONS.has(version));
  if (known === undefined) throw new ConversionProblem("no supported conversion review versions");
  return known;
}

export function conversionReview(
  version: string,
  uid: string,
  objects: readonly Json[],
  desiredAPIVersion: string,
): Json {
  return {
    kind: "ConversionReview",
    apiVersion: `${CONVERSION_GROUP}/${version}`,
    request: { uid, desiredAPIVersion, objects },
    response: { uid: "", convertedObjects: null, result: { metadata: {} } },
  };
}

/** The objects as they came back. upstream: apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go */
export function convertedObjects(review: Json, uid: string, version: string): readonly Json[] {
  const response = child(review, "response");
  if (response === undefined) throw new ConversionProblem("no response provided");
  if (version === "v1" && text(response, "uid") !== uid)
    throw new ConversionProblem(
      `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(text(response, "uid"))}`,
    );
  const result = child(response, "result");
  if (text(result, "status") !== "Success") {
    const message = text(result, "message");
    throw new ConversionProblem(
      message === "" ? `response.result.status was '${text(result, "status")}', not 'Success'` : message,
    );
  }
  return items(response, "convertedObjects");
}

/** The converted object with the metadata of the original: of that, only labels and annotations may be others. */
export function acceptConverted(original: Json, converted: Json, apiVersion: string): Json {
  if (text(converted, "apiVersion") !== apiVersion)
    throw new ConversionProblem(
      `invalid groupVersion (expected ${apiVersion}, received ${text(converted, "apiVersion")})`,
      FIRST_OBJECT,
    );
  if (text(converted, "kind") !== text(original, "kind"))
    throw new ConversionProblem(
      `invalid kind (expected ${text(original, "kind")}, received ${text(converted, "kind")})`,
      FIRST_OBJECT,
    );
  const old = child(original, "metadata") ?? {};
  const given = converted["metadata"];
  for (const [field, what] of identity) {
    const [was, is] = [text(old, field), text(child(converted, "metadata"), field)];
    if (was !== is)
      throw new ConversionProblem(`must have the same ${what}: ${was} != ${is}`, INVALID_OBJECT);
  }
  if (given === undefined) throw invalidMetadata("missing metadata in converted object");
  if (!isJson(given)) throw invalidMetadata(`invalid metadata of type ${goType(given)} in converted object`);
  const metadata = copyJson(old);
  for (const field of ["labels", "annotations"] as const) takeOver(metadata, given, field);
  return { ...converted, metadata };
}

function invalidMetadata(message: string): ConversionProblem {
  return new ConversionProblem(message, INVALID_METADATA);
}

const identity = [
  ["name", "name"],
  ["namespace", "namespace"],
  ["uid", "UID"],
] as const;

function takeOver(metadata: Json, given: Json, field: "labels" | "annotations"): void {
  const value = given[field];
  if (value === undefined || value === null) {
    delete metadata[field];
    return;
  }
  if (!isJson(value))
    throw invalidMetadata(`invalid metadata.${field} of type ${goType(value)} in converted object`);
  for (const [key, member] of Object.entries(value)) {
    if (typeof member !== "string")
      throw invalidMetadata(
        `metadata.${field}[${key}] must be a string, but is ${goType(member)} in converted object`,
      );
  }
  const errors = new FieldErrors();
  if (field === "labels") validateLabels(stringMap(given, field), "metadata.labels", errors);
  else validateAnnotations(stringMap(given, field), "metadata.annotation", errors);
  const lines = errors.list.map((error) => `${error.field}: ${error.message}`);
  if (lines.length > 0)
    throw invalidMetadata(lines.length === 1 ? (lines[0] ?? "") : `[${lines.join(", ")}]`);
  metadata[field] = copyJson(value);
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (isJson(value)) return "map[string]interface {}";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  if (typeof value === "bigint") return "int64";
  if (typeof value === "boolean") return "bool";
  return value === null || value === undefined ? "<nil>" : "string";
}

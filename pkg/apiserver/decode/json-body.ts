import { copyJson } from "../../api/json-copy.ts";
import { isJson, type Json } from "../../api/json.ts";
import { jsonProblem } from "../server/json-problem.ts";
import type { RequestBody } from "../server/request.ts";
import { badRequest } from "../server/status-error.ts";
import { parseBodyJson } from "./json-depth.ts";
import { readYamlBody } from "./yaml-body.ts";
import { YamlError } from "./yaml-scalar.ts";

/** What Go calls the type that it reads the kind of a body into. */
const typeOfKind = String.raw`struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`;
const fieldsOfKind = new Map([
  ["apiversion", "apiVersion"],
  ["kind", "kind"],
]);
const shownBytes = 30;

/**
 * The JSON object of a body, of which nothing is known yet but that its kind and version, if there are any, are texts.
 * `kind` is the one that is expected.
 */
export function readJsonBody(body: RequestBody | undefined, kind: string): Json {
  try {
    return interpret(body);
  } catch (error) {
    if (!(error instanceof UnreadableBody)) throw error;
    throw unreadable(kind, error.message, body);
  }
}

export function unreadable(kind: string, problem: string, body: RequestBody | undefined): Error {
  return badRequest(
    `the object provided is unrecognized (must be of type ${kind}): ${problem} (${summary(body)})`,
  );
}

/** A body that is not an object that could have a kind. */
export class UnreadableBody extends Error {
  constructor(problem: string, prefix = "couldn't get version/kind; json parse error: ") {
    super(prefix + problem);
    this.name = "UnreadableBody";
  }
}

/** Throws an UnreadableBody. A null is an object without anything, as Go has it. */
export function interpret(body: RequestBody | undefined): Json {
  const value = valueOf(body) ?? {};
  if (!isJson(value)) {
    throw new UnreadableBody(`json: cannot unmarshal ${nameOf(value)} into Go value of type ${typeOfKind}`);
  }
  // upstream: encoding/json takes names in any case, and the last one of each.
  const said: Json = {};
  for (const [key, given] of Object.entries(value)) {
    const field = fieldsOfKind.get(key.toLowerCase());
    if (field === undefined || given === undefined || given === null) continue;
    if (typeof given !== "string")
      throw new UnreadableBody(
        `json: cannot unmarshal ${nameOf(given)} into Go struct field .${field} of type string`,
      );
    said[field] = given;
  }
  return Object.assign(value, said);
}

function valueOf(body: RequestBody | undefined): unknown {
  if (body !== undefined && "value" in body) return copyJson(body.value);
  const text = body?.text ?? "";
  try {
    return body?.format === "yaml" ? readYamlBody(text).value : parseBodyJson(text);
  } catch (error) {
    if (error instanceof YamlError) throw new UnreadableBody(error.message, "");
    throw new UnreadableBody(jsonProblem(text, error));
  }
}

function nameOf(value: unknown): string {
  if (Array.isArray(value)) return "array";
  if (typeof value === "bigint") return "number";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/** The beginning of a body, as text if it may be an object. */
function summary(body: RequestBody | undefined): string {
  const text = body === undefined ? "" : "text" in body ? body.text : JSON.stringify(body.value);
  return summaryOf(text);
}

export function summaryOf(text: string): string {
  if (text === "") return "<empty>";
  const bytes = Buffer.from(text);
  const shown = bytes.subarray(0, shownBytes).toString(text.startsWith("{") ? "utf8" : "hex");
  return bytes.length > shownBytes ? `${shown} ...` : shown;
}

import { isJson } from "../../api/json.ts";
import { duplicateFields } from "../decode/json-scanner.ts";
import { mayHaveDuplicates } from "../decode/yaml-body.ts";
import type { RequestBody } from "./request.ts";

/** What a patch says twice, and what an operation of a JSON patch has no use for. */
export function patchOddities(
  type: "json" | "merge" | "strategic",
  patch: unknown,
  body: RequestBody | undefined,
): readonly string[] {
  const isJsonPatch = type === "json";
  const prefix = isJsonPatch ? "json patch " : "";
  const text = body !== undefined && "text" in body ? body.text : "";
  const twice = text !== "" && mayHaveDuplicates(text, patch) ? duplicateFields(text) : [];
  const unknown = isJsonPatch && Array.isArray(patch) ? patch.flatMap(unknownMembers) : [];
  return [
    ...twice.map((path) => `${prefix}duplicate field "${path}"`),
    ...unknown.map((path) => `${prefix}unknown field "${path}"`),
  ];
}

function unknownMembers(operation: unknown, index: number): readonly string[] {
  if (!isJson(operation)) return [];
  const strangers = Object.keys(operation).filter((name) => !["op", "path", "from", "value"].includes(name));
  return strangers.map((name) => `[${index}].${name}`);
}

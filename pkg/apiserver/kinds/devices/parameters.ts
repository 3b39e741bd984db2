import { isJson } from "../../../api/json.ts";
import type { FieldErrors } from "../field-errors.ts";

const LIMIT = 10 * 1024;

/** What only a driver understands: some object, and not a large one. */
export function validateParameters(value: unknown, path: string, errors: FieldErrors): void {
  if (value === undefined || value === null) errors.required(path);
  else if (Buffer.byteLength(JSON.stringify(value)) > LIMIT) errors.tooLong(path, LIMIT);
  else if (!isJson(value)) errors.invalid(path, "<value omitted>", "must be a valid JSON object");
}

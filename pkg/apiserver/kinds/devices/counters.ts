import { child, type Json } from "../../../api/json.ts";
import { dnsLabelProblems } from "../../../api/names.ts";
import type { FieldErrors } from "../field-errors.ts";

const COUNTERS = 32;

/** What devices share, or take of what they share. */
export function validateCounters(parent: Json, path: string, errors: FieldErrors): void {
  const names = Object.keys(child(parent, "counters") ?? {});
  if (names.length === 0) errors.required(`${path}.counters`);
  else if (names.length > COUNTERS) errors.tooMany(`${path}.counters`, names.length, COUNTERS);
  else for (const name of names) errors.invalidEach(`${path}.counters`, name, dnsLabelProblems(name));
}

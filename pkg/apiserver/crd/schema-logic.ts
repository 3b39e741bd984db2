import type { OpenApiSchema } from "../../cel/schemas/open-api-schema.ts";
import type { ValueErrors } from "./value-errors.ts";

/** What is wrong with the value by a schema that it may not have to fit. */
type Attempt = (schema: OpenApiSchema) => ValueErrors;
type Say = (problem: string) => void;

export function checkAnyOf(
  schemas: readonly OpenApiSchema[],
  attempt: Attempt,
  say: Say,
  errors: ValueErrors,
): void {
  let best: ValueErrors | undefined;
  for (const schema of schemas) {
    const found = attempt(schema);
    if (found.list.length === 0) {
      errors.merge(found);
      return;
    }
    if (best === undefined || found.matches > best.matches) best = found;
  }
  say("must validate at least one schema (anyOf)");
  if (best !== undefined) errors.merge(best);
}

export function checkOneOf(
  schemas: readonly OpenApiSchema[],
  attempt: Attempt,
  say: Say,
  errors: ValueErrors,
): void {
  const fitting: ValueErrors[] = [];
  let best: ValueErrors | undefined;
  for (const schema of schemas) {
    const found = attempt(schema);
    if (found.list.length === 0) fitting.push(found);
    else if (fitting.length === 0 && (best === undefined || found.matches > best.matches)) best = found;
  }
  const [only, another] = fitting;
  if (only !== undefined && another === undefined) return errors.merge(only);
  const count = only === undefined ? "none valid" : `${fitting.length} valid alternatives`;
  say(`must validate one and only one schema (oneOf). Found ${count}`);
  if (only === undefined && best !== undefined) errors.merge(best);
}

export function checkAllOf(
  schemas: readonly OpenApiSchema[],
  attempt: Attempt,
  say: Say,
  errors: ValueErrors,
): void {
  let fitting = 0;
  for (const schema of schemas) {
    const found = attempt(schema);
    if (found.list.length === 0) fitting++;
    errors.merge(found);
  }
  if (fitting < schemas.length)
    say(`must validate all the schemas (allOf)${fitting === 0 ? ". None validated" : ""}`);
}

import { isInt64 } from "../../api/int64.ts";
import { isJson, type Json } from "../../api/json.ts";
import { FieldErrors } from "../kinds/field-errors.ts";
import type { FieldError } from "../kinds/kind.ts";
import type { CustomScale } from "./definition.ts";

const maxReplicas = 2 ** 31 - 1;

/** The numbers that the scale subresource shows, where they are in the object itself. */
export function validateScale(
  draft: Json,
  scale: CustomScale | undefined,
  withSpec: boolean,
): readonly FieldError[] {
  const errors = new FieldErrors();
  if (scale === undefined) return errors.list;
  if (withSpec) checkReplicas(draft, scale.specReplicasPath, errors);
  checkReplicas(draft, scale.statusReplicasPath, errors);
  const { labelSelectorPath } = scale;
  if (labelSelectorPath === undefined) return errors.list;
  const selector = find(draft, labelSelectorPath);
  if (selector !== undefined && typeof selector !== "string")
    errors.invalid(labelSelectorPath, "", wrongType(labelSelectorPath, selector, "string"));
  return errors.list;
}

function checkReplicas(draft: Json, path: string, errors: FieldErrors): void {
  const replicas = find(draft, path);
  if (replicas === undefined) return;
  if (!isInt64(replicas)) errors.invalid(path, 0, wrongType(path, replicas, "int64"));
  else if (replicas < 0) errors.invalid(path, replicas, "should be a non-negative integer");
  else if (replicas > maxReplicas)
    errors.invalid(path, replicas, `should be less than or equal to ${maxReplicas}`);
}

function find(draft: Json, path: string): unknown {
  let at: unknown = draft;
  for (const name of path.split(".").slice(1)) at = isJson(at) ? at[name] : undefined;
  return at;
}

function wrongType(path: string, value: unknown, expected: string): string {
  return `${path} accessor error: ${shown(value)} is of the type ${goType(value)}, expected ${expected}`;
}

function shown(value: unknown): string {
  if (value === null) return "<nil>";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function goType(value: unknown): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  if (typeof value === "number") return Number.isSafeInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : typeof value;
}

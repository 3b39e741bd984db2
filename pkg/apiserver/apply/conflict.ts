import type { StatusCause } from "../../api/object.ts";
import { STEP, type Steps } from "../../api/steps.ts";
import type { FieldPath, FieldSet } from "./field-set.ts";
import { isEmptySet, pathsOf, printPath } from "./field-set.ts";
import type { Manager } from "./managers.ts";
import { compareStrings } from "./path-element.ts";

/** Fields that an apply would change though somebody else owns them. */
export interface Conflict {
  readonly manager: Manager;
  readonly path: FieldPath;
}

/** What a manager loses of its fields to a write. */
export interface Loss {
  readonly manager: Manager;
  readonly fields: FieldSet;
}

export function* conflictsOf(losses: readonly Loss[]): Steps<readonly Conflict[]> {
  const losers = losses
    .filter(({ fields }) => !isEmptySet(fields))
    .sort((a, b) => compareStrings(printManager(a.manager), printManager(b.manager)));
  const conflicts: Conflict[] = [];
  for (const { manager, fields } of losers)
    for (const path of yield* pathsOf(fields)) conflicts.push({ manager, path });
  return conflicts;
}

/** The message and the causes of the 409, as the API server words them. */
export function* describeConflicts(conflicts: readonly Conflict[]): Steps<{
  readonly message: string;
  readonly causes: readonly StatusCause[];
}> {
  const causes: { readonly reason: string; readonly message: string; readonly field: string }[] = [];
  const byManager = new Map<string, string[]>();
  for (const { manager, path } of conflicts) {
    if (causes.length % STEP === STEP - 1) yield;
    const [who, field] = [printManager(manager), printPath(path)];
    causes.push({ reason: "FieldManagerConflict", message: `conflict with ${who}`, field });
    const theirs = byManager.get(who);
    if (theirs === undefined) byManager.set(who, [`- ${field}`]);
    else theirs.push(`- ${field}`);
  }
  const [only] = causes;
  if (only !== undefined && causes.length === 1) {
    return { message: `Apply failed with 1 conflict: ${only.message}: ${only.field}`, causes };
  }
  const lines = [...byManager].flatMap(([who, theirs]) => [`conflicts with ${who}:`, theirs.join("\n")]);
  return { message: `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`, causes };
}

function printManager({ name, operation, apiVersion, subresource }: Manager): string {
  const who =
    subresource === ""
      ? JSON.stringify(name)
      : `${JSON.stringify(name)} with subresource ${JSON.stringify(subresource)}`;
  return operation === "Update" ? `${who} using ${apiVersion}` : who;
}

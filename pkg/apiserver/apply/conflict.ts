import type { StatusCause } from "../../api/object.ts";
import type { FieldPath, FieldSet } from "./field-set.ts";
import { isEmptySet, pathsOf, printPath } from "./field-set.ts";
import type { Manager } from "./managers.ts";
import { compareStrings } from "./path-element.ts";

/** Fields that an apply would change though somebody else owns them. */
export interface Conflict {
  readonly manager: Manager;
  readonly path: FieldPath;
}

export function conflictsOf(owners: readonly { manager: Manager; fields: FieldSet }[]): readonly Conflict[] {
  return owners
    .filter(({ fields }) => !isEmptySet(fields))
    .sort((a, b) => compareStrings(printManager(a.manager), printManager(b.manager)))
    .flatMap(({ manager, fields }) => [...pathsOf(fields)].map((path) => ({ manager, path })));
}

/** The message and the causes of the 409, as the API server words them. */
export function describeConflicts(conflicts: readonly Conflict[]): {
  readonly message: string;
  readonly causes: readonly StatusCause[];
} {
  const causes = conflicts.map(({ manager, path }) => ({
    reason: "FieldManagerConflict",
    message: `conflict with ${printManager(manager)}`,
    field: printPath(path),
  }));
  const [only] = causes;
  if (only !== undefined && causes.length === 1) {
    return { message: `Apply failed with 1 conflict: ${only.message}: ${only.field}`, causes };
  }
  const byManager = Map.groupBy(conflicts, ({ manager }) => printManager(manager));
  const lines = [...byManager].flatMap(([manager, theirs]) => [
    `conflicts with ${manager}:`,
    ...theirs.map(({ path }) => `- ${printPath(path)}`),
  ]);
  return { message: `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`, causes };
}

function printManager({ name, operation, apiVersion, subresource }: Manager): string {
  const who =
    subresource === ""
      ? JSON.stringify(name)
      : `${JSON.stringify(name)} with subresource ${JSON.stringify(subresource)}`;
  return operation === "Update" ? `${who} using ${apiVersion}` : who;
}

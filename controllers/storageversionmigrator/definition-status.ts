import { findCondition } from "../../pkg/api/conditions.ts";
import type { Stored } from "../../pkg/api/object.ts";
import { formatTime } from "../../pkg/api/time.ts";
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionCondition,
  CustomResourceDefinitionStatus,
} from "../../pkg/api/types/apiextensions-v1.gen.ts";
import { hasSucceeded, type Migration } from "./migration.ts";

type Definition = Stored<CustomResourceDefinition>;
type DefinitionStatus = Pick<CustomResourceDefinitionStatus, "conditions" | "storedVersions">;

const MIGRATING = "StorageMigrating";

/** What the definition of a custom resource is told when a migration of its objects begins. */
export function statusAtBegin(
  definition: Definition,
  { metadata }: Migration,
  nowMs: number,
): DefinitionStatus {
  const what = {
    status: "True",
    reason: "MigrationRunning",
    message: `Migration ${metadata.name} is running`,
  };
  return statusOf(definition, what, nowMs);
}

/**
 * And when it has ended. Nothing is stored in older versions any more, unless it has failed or the definition has become
 * another one meanwhile. Upstream says so of a migration that has failed, too.
 */
export function statusAtEnd(definition: Definition, migration: Migration, nowMs: number): DefinitionStatus {
  if (!hasSucceeded(migration)) {
    const what = { status: "False", reason: "MigrationFailed", message: "The migration has failed" };
    return statusOf(definition, what, nowMs);
  }
  const begun = findCondition(definition.status?.conditions, MIGRATING);
  const isSame = begun !== undefined && begun.observedGeneration === definition.metadata.generation;
  const rest = isSame
    ? "and the stored versions have been updated"
    : "but the stored versions have not been updated due to a generation mismatch";
  const what = {
    status: "False",
    reason: "MigrationSucceeded",
    message: `The migration has succeeded ${rest}`,
  };
  const status = statusOf(definition, what, nowMs);
  const stored = definition.spec.versions.find(({ storage }) => storage)?.name;
  return isSame && stored !== undefined ? { ...status, storedVersions: [stored] } : status;
}

/** The versions that are stored are named in any case: what is applied says all that this controller has said of them. */
function statusOf(
  { metadata, status }: Definition,
  what: Pick<CustomResourceDefinitionCondition, "status" | "reason" | "message">,
  nowMs: number,
): DefinitionStatus {
  const condition = {
    type: MIGRATING,
    ...what,
    lastTransitionTime: formatTime(nowMs),
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
  };
  return { conditions: [condition], storedVersions: status?.storedVersions ?? [] };
}

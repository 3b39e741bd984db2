import { hasCondition, setCondition } from "../../pkg/api/conditions.ts";
import { groupResource } from "../../pkg/api/resource.ts";
import type { GroupResource } from "../../pkg/api/types/meta.gen.ts";
import type { V1beta1StorageVersionMigration as Migration } from "../../pkg/api/types/storagemigration-v1beta1.gen.ts";

export type { Migration };

/** The condition that tells how far a migration is. */
export type State = "Running" | "Succeeded" | "Failed";

/** What is migrated. */
export function migratedResource({ spec }: Migration): GroupResource {
  return { group: spec?.resource.group ?? "", resource: spec?.resource.resource ?? "" };
}

/** "deployments.apps": resources have no dots in their names. */
export function resourceKeyOf(migration: Migration): string {
  const { group, resource } = migratedResource(migration);
  return groupResource({ group, plural: resource });
}

export function isRunning({ status }: Migration): boolean {
  return hasCondition(status?.conditions, "Running", "True");
}

/** Neither is ever taken back. */
export function isFinished({ status }: Migration): boolean {
  return ["Succeeded", "Failed"].some((state) => hasCondition(status?.conditions, state, "True"));
}

export function hasSucceeded({ status }: Migration): boolean {
  return hasCondition(status?.conditions, "Succeeded", "True");
}

/** Somebody has said that it does not run, before it came to an end. */
export function isStopped(migration: Migration): boolean {
  return hasCondition(migration.status?.conditions, "Running", "False") && !isFinished(migration);
}

const REASONS: Readonly<Record<State, string>> = {
  Running: "MigrationRunning",
  Succeeded: "StorageVersionMigrationSucceeded",
  Failed: "StorageVersionMigrationFailed",
};

/** The migration in this state from now on. */
export function inState<T extends Migration>(migration: T, state: State, message: string, nowMs: number): T {
  const { status = {} } = migration;
  const condition = { type: state, status: "True", reason: REASONS[state], message };
  return {
    ...migration,
    status: { ...status, conditions: setCondition(status.conditions ?? [], condition, nowMs) },
  };
}

/** The migration when it runs no longer. */
export function completed<T extends Migration>(migration: T, nowMs: number): T {
  const { metadata, status = {} } = migration;
  const condition = {
    type: "Running",
    status: "False",
    reason: "MigrationCompleted",
    message: "Migration completed",
    ...(metadata.generation !== undefined && { observedGeneration: metadata.generation }),
  };
  return {
    ...migration,
    status: { ...status, conditions: setCondition(status.conditions ?? [], condition, nowMs) },
  };
}

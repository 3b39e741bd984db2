import type { ApiObject } from "../../api/object.ts";
import { formatTime } from "../../api/time.ts";
import type { DeletionHold } from "../server/deletion-holds.ts";
import { cleanupFinalizer, type CustomResourceDefinition, withCondition } from "./definition.ts";

/** A definition stays until its objects are gone. */
export function holdDefinition(stored: ApiObject, nowMs: number): DeletionHold | undefined {
  if (stored.metadata.deletionTimestamp !== undefined) return undefined;
  const { status } = stored as CustomResourceDefinition;
  const conditions = withCondition(
    status?.conditions ?? [],
    {
      type: "Terminating",
      status: "True",
      reason: "InstanceDeletionPending",
      message: "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
    },
    formatTime(nowMs),
  );
  return { finalizers: [cleanupFinalizer], members: { status: { ...status, conditions } } };
}

import type { ApiObject } from "../../api/object.ts";
import { asJson, child, strings } from "../../api/json.ts";

/** What keeps an object whose deletion was asked for, beyond its finalizers: contents that go first. */
export interface DeletionHold {
  readonly finalizers: readonly string[];
  /** Members of the object that say so. */
  readonly members: Readonly<Record<string, unknown>>;
}

/** A namespace stays until whoever empties it has removed `kubernetes` from its own finalizers. */
export function holdNamespace(stored: ApiObject): DeletionHold | undefined {
  const object = asJson(stored);
  if (strings(child(object, "spec"), "finalizers").length === 0) return undefined;
  const status = { ...child(object, "status"), phase: "Terminating" };
  return { finalizers: stored.metadata.finalizers ?? [], members: { status } };
}

import type { ApiObject } from "../../../pkg/api/object.ts";
import type { StoredEvent } from "../../../pkg/apiserver/storage/bucket.ts";
import type { ManagerProcess } from "../world/process.ts";
import type { RequestFacts } from "../world/request-of.ts";

/** One object that a write of a manager changed, in the moment in which that takes effect. */
export interface Write {
  readonly bucket: string;
  readonly event: StoredEvent;
  readonly facts: RequestFacts;
  readonly process: ManagerProcess;
  /** The controller, by the name of its client. */
  readonly client: string;
  /** Its sender does not learn that it succeeded. */
  readonly ambiguous: boolean;
  /** Who does what, for a report. */
  readonly line: string;
}

/** The object as it is now; undefined when it is gone. */
export function stateAfter({ type, object }: StoredEvent): ApiObject | undefined {
  return type === "DELETED" ? undefined : object;
}

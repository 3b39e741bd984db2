import type { ApiObject, StatusCause } from "../api/object.ts";
import type { Logger } from "../log/logger.ts";

export type Operation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

export interface AdmissionUser {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export interface Denial {
  /** For programs: "Forbidden", "Invalid", or one of one's own. */
  readonly reason?: string;
  /** The HTTP status that the user is answered: 403. */
  readonly code?: number;
  /** Which fields are wrong, and how. */
  readonly causes?: readonly StatusCause[];
}

/** The request is refused. What it says is for whoever asked. */
export class DeniedError extends Error {
  readonly code = "Denied";
  readonly denial: Denial;
  constructor(message: string, denial: Denial = {}) {
    super(message);
    this.name = "DeniedError";
    this.denial = denial;
  }
}

/** One request to the API server that a webhook is asked about. */
export interface Admission<T extends ApiObject> {
  readonly operation: Operation;
  /** The object as it is before an update or a deletion. */
  readonly before: T | undefined;
  /** "" where the server is yet to make the name. */
  readonly name: string;
  readonly namespace: string;
  /** "" for the object itself. */
  readonly subresource: string;
  readonly user: AdmissionUser;
  /** Nothing will be kept: so nothing may be done besides. */
  readonly dryRun: boolean;
  readonly log: Logger;
  /** Aborts when the API server waits no longer. */
  readonly signal: AbortSignal;
  /** Shown to whoever asked, whether the request is admitted or not. */
  readonly warn: (message: string) => void;
  /** Goes into the audit log of the API server. */
  audit(key: string, value: string): void;
  readonly deny: (message: string, denial?: Denial) => never;
}

/** Gives the object as it is to be; undefined: as it is. The object that is given is frozen. */
export type Mutate<T extends ApiObject> = (
  object: T,
  admission: Admission<T>,
) => Change<T> | Promise<Change<T>>;
type Change<T> = T | undefined | void;

/** Looks at the object, and denies it or returns. Of a deletion it is the object that goes. */
export type Validate<T extends ApiObject> = (object: T, admission: Admission<T>) => void | Promise<void>;

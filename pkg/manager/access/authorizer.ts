import type { User } from "./user.ts";

/** What a user wants: the method in lower case, and the path. */
export interface Attempt {
  readonly user: User;
  readonly verb: string;
  readonly path: string;
}

/** "no-opinion" is a refusal when nobody else has an opinion either. */
export interface Decision {
  readonly result: "allowed" | "denied" | "no-opinion";
  readonly reason?: string;
}

/** Rejects when no decision could be had. */
export type Authorizer = (attempt: Attempt) => Promise<Decision>;

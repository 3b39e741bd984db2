import type { ApiObject } from "../../api/object.ts";
import type { Resource } from "../../api/resource.ts";
import type { Draft } from "../kinds/kind.ts";
import type { UserInfo } from "./access.ts";

export interface AdmissionAttributes {
  readonly operation: "CREATE" | "UPDATE" | "DELETE" | "CONNECT";
  readonly resource: Resource;
  readonly subresource: string;
  readonly namespace: string;
  /** "" when the name is still to be generated. */
  readonly name: string;
  /** The name in the path: "" for a POST, whatever its object is called. */
  readonly pathName: string;
  /** The state before; undefined for a create and a connect. */
  readonly before: ApiObject | undefined;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  /** Body of the DeleteOptions, for DELETE. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Adds a Warning header to the answer. */
  warn(message: string): void;
}

/**
 * Plug-ins between authorization and storage. Both may throw a StatusError to refuse. They run again when a write
 * met another one and starts over, so they must not count on being called once.
 */
export interface Admission {
  /** May change the draft: after defaulting, before validation. There is no draft for DELETE. */
  mutate(attributes: AdmissionAttributes, draft: Draft | undefined): Promise<void>;
  /** Sees what is about to be stored. */
  validate(attributes: AdmissionAttributes, object: ApiObject | undefined): Promise<void>;
}

export const admitEverything: Admission = {
  mutate: async () => undefined,
  validate: async () => undefined,
};

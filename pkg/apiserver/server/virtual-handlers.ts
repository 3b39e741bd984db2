import type { ApiObject } from "../../api/object.ts";
import type { Resource } from "../../api/resource.ts";
import type { Json } from "../../api/json.ts";
import type { UserInfo } from "./access.ts";

/** A create that stores nothing: an access review, a request for a token. */
export interface VirtualCreate {
  readonly resource: Resource;
  readonly namespace: string;
  /** The object whose subresource is created; undefined for a resource of its own. */
  readonly parent: ApiObject | undefined;
  /** Decoded and held against its kind: this handler's own copy. */
  readonly body: Json;
  readonly user: UserInfo;
  readonly dryRun: boolean;
}

/** Returns the answer's object; throws a StatusError to refuse. */
export interface VirtualHandler {
  (create: VirtualCreate): Promise<object>;
  /** What its kind fills in, before it is asked. */
  readonly setDefaults?: (body: Json) => void;
}

/** By "plural", "group/plural" or "plural/subresource": `serviceaccounts/token`, `authentication.k8s.io/tokenreviews`. */
export type VirtualHandlers = Readonly<Record<string, VirtualHandler>>;

import type { Clock } from "../../clock/clock.ts";
import type { Random } from "../../clock/random.ts";
import { TurnOfSteps } from "../../clock/turns.ts";
import type { UserInfo } from "./access.ts";
import { type Admission, RequestScope } from "./admission.ts";
import type { ComputedResources } from "./computed-resource.ts";
import type { Faults, FaultSubject } from "./faults.ts";
import type { PodProcesses } from "./pod-processes.ts";
import type { Registry } from "./registry.ts";
import type { ApiRequest } from "./request.ts";
import type { RequestInfo } from "./request-info.ts";
import type { ServedResource } from "./served-resource.ts";
import type { VirtualHandlers } from "./virtual-handlers.ts";
import type { Store } from "../storage/store.ts";

/** What every handler works with. */
export interface ServerParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly store: Store;
  readonly registry: Registry;
  readonly admission: Admission;
  readonly faults: Faults;
  readonly virtual: VirtualHandlers;
  readonly processes: PodProcesses | undefined;
  readonly computed: ComputedResources;
}

/** One request for one resource, past authentication and authorization. */
export interface Call extends ServerParts {
  readonly request: ApiRequest;
  /** "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection". */
  readonly verb: string;
  readonly info: RequestInfo;
  readonly served: ServedResource;
  readonly user: UserInfo;
  /** What faults see of the request. */
  readonly subject: FaultSubject;
  /** Collected for the Warning headers of the answer. */
  readonly warnings: string[];
  /** Work on large objects pauses here, so that the other requests go on meanwhile. */
  readonly turns: TurnOfSteps;
  /** To be ended by whoever has made the call. */
  readonly scope: RequestScope;
}

/** The call of one request; everything that follows from the others is derived here. */
export function makeCall(
  parts: ServerParts,
  facts: Omit<Call, keyof ServerParts | "scope" | "subject" | "turns">,
): Call {
  const { verb, info, user } = facts;
  const { plural, namespace, name, subresource } = info;
  const subject = { verb, resource: plural, namespace, name, subresource, username: user.username };
  return { ...parts, ...facts, subject, turns: new TurnOfSteps(parts.clock), scope: new RequestScope() };
}

import type { UserInfo } from "./access.ts";
import { withinOf } from "./admit.ts";
import { type Call, makeCall, type ServerParts } from "./call.ts";
import type { WriteQuery } from "./query-options.ts";
import type { ServedResource } from "./served-resource.ts";

/** The server itself, where it writes on its own account. */
const serverUser: UserInfo = { username: "system:apiserver", groups: ["system:masters"] };

export const internalQuery: WriteQuery = {
  dryRun: false,
  fieldManager: "kube-apiserver",
  fieldValidation: "Ignore",
  force: false,
};

export interface Place {
  readonly namespace: string;
  readonly name: string;
  readonly subresource?: string;
}

/** A call that no request stands behind. Nobody outside of this process is asked about it. */
export function internalCall(parts: ServerParts, served: ServedResource, verb: string, place: Place): Call {
  const { group, version, plural } = served.resource;
  const info = { group, version, plural, subresource: "", watchPath: false, ...place };
  const request = { method: "", path: "", query: new URLSearchParams(), headers: {} };
  return makeCall(
    { ...parts, admission: withinOf(parts.admission) },
    { request, verb, info, served, user: serverUser, warnings: [] },
  );
}

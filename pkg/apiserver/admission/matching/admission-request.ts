import type { Json } from "../../../api/json.ts";
import type { Resource } from "../../../api/resource.ts";
import type { AdmissionAttributes } from "../../server/admission.ts";
import type { ServedResource } from "../../server/served-resource.ts";
import type { AdmittedObjects } from "./admitted-objects.ts";

/** The request as somebody sees it: in a version of the resource that he asked for. */
export interface SeenRequest {
  readonly served: ServedResource;
  readonly objects: AdmittedObjects;
  /** What the resource is called, where that is not as the objects are shown. */
  readonly resource?: ServedResource;
}

/** What a review is about; expressions are told the same. */
export function admissionRequest(uid: string, attributes: AdmissionAttributes, seen: SeenRequest): Json {
  const { name, namespace, operation, user, dryRun, subresource, served } = attributes;
  const { username, uid: userUid, groups, extra } = user;
  const kindOf = ({ resource }: ServedResource): Json => {
    const { group, version: ofKind, kind } = attributes.bodyKind ?? resource;
    return { group, version: ofKind, kind };
  };
  return {
    uid,
    kind: kindOf(seen.served),
    resource: resourceOf((seen.resource ?? seen.served).resource),
    ...unlessEmpty("subResource", subresource),
    requestKind: kindOf(served),
    requestResource: resourceOf(served.resource),
    ...unlessEmpty("requestSubResource", subresource),
    ...unlessEmpty("name", name),
    ...unlessEmpty("namespace", namespace),
    operation,
    userInfo: {
      username,
      ...(userUid === undefined ? {} : { uid: userUid }),
      groups,
      ...(extra === undefined ? {} : { extra }),
    },
    object: seen.objects.object ?? null,
    oldObject: seen.objects.before ?? null,
    dryRun,
    options: attributes.options() ?? null,
  };
}

function resourceOf({ group, version, plural }: Resource): Json {
  return { group, version, resource: plural };
}

function unlessEmpty(key: string, value: string): Json {
  return value === "" ? {} : { [key]: value };
}

import type { PartialObject } from "../api/object.ts";
import type { Family } from "./cidr.ts";

/** Of IPAddresses. */
export const FAMILY_LABEL = "ipaddress.kubernetes.io/ip-family";
const MANAGER_LABEL = "ipaddress.kubernetes.io/managed-by";
const MANAGER = "ipallocator.k8s.io";

/** The labels of an IPAddress that is given to a Service. */
export function labelsOfGiven(family: Family): Readonly<Record<string, string>> {
  return { [FAMILY_LABEL]: family, [MANAGER_LABEL]: MANAGER };
}

/** Whether the API server gave it to a Service, and is to take it back: others may manage addresses of their own. */
export function isGiven({ metadata }: PartialObject): boolean {
  return metadata.labels?.[MANAGER_LABEL] === MANAGER;
}

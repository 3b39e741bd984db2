import type { PartialObject } from "../../pkg/api/object.ts";
import type { WakeRule } from "../../pkg/controller/cache.ts";
import { onlyWhen } from "../../pkg/controller/wake-rules.ts";
import type { StorageVersionContext } from "./context.ts";
import { isIdentityLease, LEASE_NAMESPACE } from "./identity-lease.ts";
import { type CachedVersion, reportsOf } from "./reports.ts";

/** A StorageVersion is looked at when one of those that it names is not known to be an API server. */
export function versionsOfUnknownServers({
  leases,
}: Pick<StorageVersionContext, "leases">): WakeRule<CachedVersion> {
  const isKnown = (id: string): boolean => {
    const lease = leases.lister.get(LEASE_NAMESPACE, id);
    return lease !== undefined && isIdentityLease(lease);
  };
  return onlyWhen(["added", "updated"], ({ object }, wake) => {
    if (!reportsOf(object).every(({ apiServerID }) => isKnown(apiServerID))) wake(object.metadata.name);
  });
}

/** The id of an API server whose Lease is gone. */
export const goneServers: WakeRule<PartialObject> = onlyWhen(["deleted"], ({ object }, wake) => {
  if (isIdentityLease(object)) wake(object.metadata.name);
});

import { isNotFound } from "../../pkg/client/errors.ts";
import type { StorageVersionContext } from "./context.ts";
import { isIdentityLease, LEASE_NAMESPACE } from "./identity-lease.ts";

/** The Lease of that name as the server has it: that of an API server, another one, or none. Not to be told is none of these. */
export async function leaseOf(
  { leaseClient }: StorageVersionContext,
  id: string,
  signal: AbortSignal,
): Promise<"server" | "other" | "none"> {
  try {
    const lease = await leaseClient.get({ namespace: LEASE_NAMESPACE, name: id }, {}, signal);
    return isIdentityLease(lease) ? "server" : "other";
  } catch (error) {
    if (isNotFound(error)) return "none";
    throw error;
  }
}

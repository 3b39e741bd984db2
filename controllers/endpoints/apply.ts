import { messageOf } from "../../pkg/api/errors.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Endpoints, Service } from "../../pkg/api/types/core-v1.gen.ts";
import { isConflict, isNamespaceTerminating, isNotFound } from "../../pkg/client/errors.ts";
import type { OwnerSync, Sync } from "../../pkg/controller/sync.ts";
import type { EndpointsContext } from "./context.ts";
import type { EndpointsPlan } from "./plan.ts";

type Write = Exclude<EndpointsPlan, { readonly action: "none" }>;

/** False in a namespace that is going away, where there is nothing to be done, nor to be reported. */
export async function writeEndpoints(
  { key, owner, signal }: OwnerSync<Service>,
  context: EndpointsContext,
  { action, endpoints }: Write,
): Promise<boolean> {
  let written: Endpoints;
  try {
    written =
      action === "create"
        ? await context.client.create(endpoints, {}, signal)
        : await context.client.update(endpoints, {}, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (action === "create" && isNamespaceTerminating(error)) return false;
    const [reason, what] =
      action === "create"
        ? ["FailedToCreateEndpoint", "Failed to create endpoint for service"]
        : ["FailedToUpdateEndpoint", "Failed to update endpoint"];
    const cause = messageOf(error);
    context.events.event(endpoints, "Warning", reason, `${what} ${key}: ${cause}`);
    throw error;
  }
  context.consistency.wroteFor(owner, resources.endpoints, written);
  return true;
}

/**
 * Deletes what is left over from a Service, if that is gone: a cache of Services may be older than that of Endpoints.
 * Others of the name that came meanwhile are not touched.
 */
export async function deleteEndpoints(
  { signal }: Sync,
  { client, serviceClient }: EndpointsContext,
  { metadata: { namespace = "", name = "", uid = "" } }: Endpoints,
): Promise<void> {
  if (await isThere(serviceClient.get({ namespace, name }, {}, signal))) return;
  try {
    await client.delete({ namespace, name }, { preconditions: { uid } }, signal);
  } catch (error) {
    // Someone else was faster; what has the name by now is looked at when the cache shows it.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

async function isThere(reading: Promise<unknown>): Promise<boolean> {
  try {
    await reading;
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

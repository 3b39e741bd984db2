import { messageOf } from "../../pkg/api/errors.ts";
import type { Endpoints } from "../../pkg/api/types/core-v1.gen.ts";
import { isNamespaceTerminating, isNotFound } from "../../pkg/client/errors.ts";
import { deleteThis } from "../../pkg/controller/delete-this.ts";
import type { OwnerSync, Sync } from "../../pkg/controller/sync.ts";
import type { EndpointsContext } from "./context.ts";
import type { EndpointsPlan } from "./plan.ts";
import type { BackedService } from "../../pkg/endpoints/backing-pods.ts";
import type { Stored } from "../../pkg/api/object.ts";

type Write = Exclude<EndpointsPlan, { readonly action: "none" }>;

/** False in a namespace that is going away, where there is nothing to be done, nor to be reported. */
export async function writeEndpoints(
  sync: OwnerSync<BackedService>,
  { events, writes }: EndpointsContext,
  { action, endpoints }: Write,
): Promise<boolean> {
  try {
    if (action === "create") await writes.create(sync, endpoints);
    else await writes.update(sync, endpoints);
  } catch (error) {
    sync.signal.throwIfAborted();
    if (action === "create" && isNamespaceTerminating(error)) return false;
    const [reason, what] =
      action === "create"
        ? ["FailedToCreateEndpoint", "Failed to create endpoint for service"]
        : ["FailedToUpdateEndpoint", "Failed to update endpoint"];
    const cause = messageOf(error);
    events.event(endpoints, "Warning", reason, `${what} ${sync.key}: ${cause}`);
    throw error;
  }
  return true;
}

/**
 * Deletes what is left over from a Service, if that is gone: a cache of Services may be older than that of Endpoints.
 * Others of the name that came meanwhile are not touched.
 */
export async function deleteEndpoints(
  { signal }: Sync,
  { client, serviceClient }: EndpointsContext,
  { metadata }: Stored<Endpoints>,
): Promise<void> {
  const { namespace, name } = metadata;
  if (await isThere(serviceClient.get({ namespace, name }, {}, signal))) return;
  await deleteThis(client, metadata, signal);
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

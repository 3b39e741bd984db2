import { keyOf } from "../../pkg/api/object.ts";
import { resources } from "../../pkg/api/resources.ts";
import type { Endpoints, Service } from "../../pkg/api/types/core-v1.gen.ts";
import { isNamespaceTerminating, isNotFound } from "../../pkg/client/errors.ts";
import type { EndpointsContext } from "./context.ts";
import type { EndpointsPlan } from "./plan.ts";

type Write = Exclude<EndpointsPlan, { readonly action: "none" }>;

export async function writeEndpoints(
  context: EndpointsContext,
  service: Service,
  { action, endpoints }: Write,
  signal: AbortSignal,
): Promise<void> {
  const key = keyOf(service);
  let written: Endpoints;
  try {
    written =
      action === "create"
        ? await context.client.create(endpoints, {}, signal)
        : await context.client.update(endpoints, {}, signal);
  } catch (error) {
    signal.throwIfAborted();
    // In a namespace that is going away there is nothing to be done, nor to be reported.
    if (action === "create" && isNamespaceTerminating(error)) return;
    const [reason, what] =
      action === "create"
        ? ["FailedToCreateEndpoint", "Failed to create endpoint for service"]
        : ["FailedToUpdateEndpoint", "Failed to update endpoint"];
    const cause = error instanceof Error ? error.message : String(error);
    context.events.event(endpoints, "Warning", reason, `${what} ${key}: ${cause}`);
    throw error;
  }
  const { uid = "" } = service.metadata;
  context.consistency.wroteAt(key, uid, resources.endpoints, written.metadata.resourceVersion);
}

/** Deletes these very Endpoints: others of their name may belong to a new Service. */
export async function deleteEndpoints(
  { client }: EndpointsContext,
  { metadata: { namespace = "", name = "", uid = "" } }: Endpoints,
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.delete({ namespace, name }, { preconditions: { uid } }, signal);
  } catch (error) {
    // Someone else was faster.
    if (!isNotFound(error)) throw error;
  }
}

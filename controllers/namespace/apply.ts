import type { Stored } from "../../pkg/api/object.ts";
import type { Namespace } from "../../pkg/api/types/core-v1.gen.ts";
import { isConflict, isNotFound } from "../../pkg/client/errors.ts";
import { identityOf, readLive } from "../../pkg/controller/read-live.ts";
import type { Sync } from "../../pkg/controller/sync.ts";
import type { NamespaceContext } from "./context.ts";
import { withoutFinalizer } from "./finalizers.ts";

type Change = (namespace: Stored<Namespace>) => Promise<Stored<Namespace>>;

/** Says in the status that the namespace is going away. Undefined when it has gone. */
export async function markTerminating(
  context: NamespaceContext,
  namespace: Stored<Namespace>,
  signal: AbortSignal,
): Promise<Stored<Namespace> | undefined> {
  return retryOnConflict(context, namespace, signal, async (latest) => {
    if (latest.metadata.deletionTimestamp === undefined || latest.status?.phase === "Terminating")
      return latest;
    const status = { ...latest.status, phase: "Terminating" };
    return context.namespaceClient.updateStatus({ ...latest, status }, {}, signal);
  });
}

/** Takes this controller's finalizer off the namespace, in which nothing is left to delete. */
export async function finalize(
  context: NamespaceContext,
  namespace: Stored<Namespace>,
  signal: AbortSignal,
): Promise<void> {
  const { name } = namespace.metadata;
  await retryOnConflict(context, namespace, signal, async (latest) =>
    context.namespaceClient.updateSubresource<Stored<Namespace>>(
      { name },
      "finalize",
      withoutFinalizer(latest),
      signal,
    ),
  );
}

/** Writes what is known of the contents. The next attempt writes it again, so that a failure is only logged. */
export async function writeConditions(
  { log, signal }: Sync,
  { namespaceClient }: Pick<NamespaceContext, "namespaceClient">,
  namespace: Stored<Namespace>,
): Promise<Stored<Namespace>> {
  try {
    return await namespaceClient.updateStatus(namespace, {}, signal);
  } catch (error) {
    signal.throwIfAborted();
    log.error(error, "The conditions of the namespace could not be written");
    return namespace;
  }
}

/** Repeats the change after each conflict. Undefined when the namespace is gone, and when another has its name. */
async function retryOnConflict(
  { namespaceClient }: NamespaceContext,
  namespace: Stored<Namespace>,
  signal: AbortSignal,
  change: Change,
): Promise<Stored<Namespace> | undefined> {
  const identity = identityOf(namespace);
  for (
    let latest: Stored<Namespace> | undefined = namespace;
    latest !== undefined;
    latest = await readLive(namespaceClient, identity, signal)
  ) {
    try {
      return await change(latest);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (!isConflict(error)) throw error;
    }
  }
  return undefined;
}

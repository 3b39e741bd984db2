import { isNamespaceTerminating, isNotFound, statusCodeOf } from "../../pkg/client/errors.ts";
import type { Sync, SyncResult } from "../../pkg/controller/sync.ts";
import { CONFIG_MAP, newConfigMap, repairedConfigMap } from "./config-map.ts";
import type { PublisherContext } from "./context.ts";

/** A map that is deleted before the cache has shown it wakes nobody: the namespace is looked at once more. */
const RECHECK_MS = 5_000;

/** Sees to it that the namespace has the CA, and counts how that went. */
export async function publishRootCa(sync: Sync, context: PublisherContext): Promise<SyncResult> {
  const { signal } = sync;
  const startMs = context.clock.monotonicMs();
  let code = "200";
  try {
    const isSeen = await publish(sync, context);
    return isSeen ? {} : { requeueAfterMs: RECHECK_MS };
  } catch (error) {
    signal.throwIfAborted();
    code = statusCodeOf(error);
    throw error;
  } finally {
    if (!signal.aborted) {
      context.durations.observe((context.clock.monotonicMs() - startMs) / 1_000, { code });
      context.syncs.inc({ code });
    }
  }
}

/** False when it was created, and the cache has yet to show it. */
async function publish(sync: Sync, context: PublisherContext): Promise<boolean> {
  const map = context.configMaps.lister.get(sync.key, CONFIG_MAP);
  if (map === undefined) return create(sync, context);
  const repaired = repairedConfigMap(map, context.rootCa);
  if (repaired === undefined) return true;
  sync.decided("The namespace has another CA than the cluster");
  await context.client.update(repaired, {}, sync.signal);
  return true;
}

/** True when there is nothing to be seen: a namespace that is gone or going needs no CA. */
async function create(sync: Sync, { client, rootCa }: PublisherContext): Promise<boolean> {
  sync.decided("The namespace lacks the CA");
  try {
    await client.create(newConfigMap(sync.key, rootCa), {}, sync.signal);
    return false;
  } catch (error) {
    if (!isNotFound(error) && !isNamespaceTerminating(error)) throw error;
    return true;
  }
}

import { keyOf, type Stored } from "../../pkg/api/object.ts";
import type { V1alpha3ResourcePoolStatusRequest } from "../../pkg/api/types/resource-v1alpha3.gen.ts";
import { forEachInTurns } from "../../pkg/clock/turns.ts";
import { deleteThis } from "../../pkg/controller/delete-this.ts";
import type { Sync, SyncResult } from "../../pkg/controller/sync.ts";
import type { PoolStatusContext } from "./context.ts";
import { isExpired } from "./expiry.ts";

/** One round over all requests. What fails is met again in the next one. */
export async function removeExpired(sync: Sync, context: PoolStatusContext): Promise<SyncResult> {
  const { log, signal } = sync;
  const { client, clock, requests } = context;
  const nowMs = clock.nowMs();
  const expired: Stored<V1alpha3ResourcePoolStatusRequest>[] = [];
  await forEachInTurns(clock, requests.lister.list(), (request) => {
    if (isExpired(request, nowMs)) expired.push(request);
  });
  for (const request of expired) {
    sync.decided("The request is to go", { request: keyOf(request) });
    try {
      await deleteThis(client, request.metadata, signal);
    } catch (error) {
      signal.throwIfAborted();
      log.error(error, "An old request for the status of pools could not be deleted", {
        request: keyOf(request),
      });
    }
  }
  return {};
}

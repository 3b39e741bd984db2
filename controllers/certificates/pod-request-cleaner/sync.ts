import { keyOf } from "../../../pkg/api/object.ts";
import { forEachInTurns } from "../../../pkg/clock/turns.ts";
import { deleteThis } from "../../../pkg/controller/delete-this.ts";
import type { Sync, SyncResult } from "../../../pkg/controller/sync.ts";
import { isOver } from "./age.ts";
import type { CleanerContext } from "./context.ts";

/** One round over all requests. What fails is met again in the next one. */
export async function cleanPodRequests(sync: Sync, context: CleanerContext): Promise<SyncResult> {
  const { log, signal } = sync;
  const { client, clock, requests } = context;
  const nowMs = clock.nowMs();
  const all = requests.lister.list();
  const over: (typeof all)[number][] = [];
  await forEachInTurns(clock, all, (request) => {
    if (isOver(request, nowMs)) over.push(request);
  });
  for (const request of over) {
    sync.decided("The request is to go", { pcr: keyOf(request) });
    try {
      await deleteThis(client, request.metadata, signal);
    } catch (error) {
      signal.throwIfAborted();
      log.error(error, "A request for a certificate of a pod could not be deleted", { pcr: keyOf(request) });
    }
  }
  return {};
}

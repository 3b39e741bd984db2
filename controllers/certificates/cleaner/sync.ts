import { forEachInTurns } from "../../../pkg/clock/turns.ts";
import { deleteThis } from "../../../pkg/controller/delete-this.ts";
import type { Sync, SyncResult } from "../../../pkg/controller/sync.ts";
import { firstCertificateExpiryMs } from "../../../pkg/pki/certificate-expiry.ts";
import type { CleanerContext } from "./context.ts";
import { staleReason } from "./stale-requests.ts";

/** One round over all requests. What fails is met again in the next one. */
export async function cleanRequests(sync: Sync, context: CleanerContext): Promise<SyncResult> {
  const { log, signal } = sync;
  const { client, clock, requests } = context;
  const nowMs = clock.nowMs();
  const all = requests.lister.list();
  const stale: { readonly request: (typeof all)[number]; readonly reason: string }[] = [];
  await forEachInTurns(clock, all, (request) => {
    const reason = staleReason(request, nowMs, firstCertificateExpiryMs);
    if (reason !== undefined) stale.push({ request, reason });
  });
  for (const { request, reason } of stale) {
    const { name } = request.metadata;
    sync.decided("The request is to go", { csr: name, reason });
    try {
      await deleteThis(client, request.metadata, signal);
    } catch (error) {
      signal.throwIfAborted();
      log.error(error, "A certificate signing request could not be deleted", { csr: name });
    }
  }
  return {};
}

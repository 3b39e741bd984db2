import { keyOf } from "../../../pkg/api/object.ts";
import { resources } from "../../../pkg/api/resources.ts";
import { forEachInTurns } from "../../../pkg/clock/turns.ts";
import { isNotFound } from "../../../pkg/client/errors.ts";
import { withDeadline } from "../../../pkg/clock/wait.ts";
import { whenSynced } from "../../../pkg/controller/caches-ready.ts";
import type { Sync, SyncResult } from "../../../pkg/controller/sync.ts";
import { deleteToken, invalidate } from "./apply.ts";
import type { CleanerContext } from "./context.ts";
import { SECRET_NAME_FIELDS, secretNames } from "./secret-names.ts";
import {
  type CachedSecret,
  decideFate,
  INVALID_SINCE,
  isTrackedLongEnough,
  isUnused,
  LAST_USED,
} from "./stale-tokens.ts";

/** Written by the API server. */
const TRACKING = { namespace: "kube-system", name: "kube-apiserver-legacy-service-account-token-tracking" };
const POD_LIST_LIMIT_MS = 60_000;

/** One round over all token Secrets. What fails is met again in the next one. */
export async function cleanTokens(sync: Sync, context: CleanerContext): Promise<SyncResult> {
  const { log, signal } = sync;
  const { clock, periodMs } = context;
  if (!(await isTracked(sync, context))) return {};
  const nowMs = clock.nowMs();
  const unused: CachedSecret[] = [];
  await forEachInTurns(clock, context.secrets.lister.list(), (secret) => {
    const { namespace } = secret.metadata;
    if (isUnused(secret, (name) => context.accounts.lister.get(namespace, name), nowMs, periodMs))
      unused.push(secret);
  });
  for (const [namespace, secrets] of Map.groupBy(unused, ({ metadata }) => metadata.namespace)) {
    try {
      await cleanNamespace(sync, context, namespace, secrets);
    } catch (error) {
      signal.throwIfAborted();
      log.error(error, "Which tokens pods refer to could not be learned", { namespace });
    }
  }
  return {};
}

async function isTracked(
  { log, signal }: Sync,
  { configMapClient, clock, periodMs }: CleanerContext,
): Promise<boolean> {
  try {
    const since = (await configMapClient.get(TRACKING, {}, signal)).data?.["since"];
    const isLongEnough = isTrackedLongEnough(since, clock.nowMs(), periodMs);
    if (isLongEnough === undefined)
      log.error(undefined, "It is not known since when uses of tokens are noted", { since });
    return isLongEnough ?? false;
  } catch (error) {
    signal.throwIfAborted();
    if (isNotFound(error)) {
      log.info("The API server does not note uses of tokens: which are unused is not known");
      return false;
    }
    log.error(error, "It could not be read since when uses of tokens are noted");
    return false;
  }
}

async function cleanNamespace(
  sync: Sync,
  context: CleanerContext,
  namespace: string,
  secrets: readonly CachedSecret[],
): Promise<void> {
  const { log, signal } = sync;
  const referred = await namesInPods(context, namespace, signal);
  for (const secret of secrets) {
    if (referred.has(secret.metadata.name)) continue;
    try {
      await settle(sync, context, secret);
    } catch (error) {
      signal.throwIfAborted();
      log.error(error, "An unused token could not be cleaned up", { secret: keyOf(secret) });
    }
  }
}

async function settle({ log, signal }: Sync, context: CleanerContext, secret: CachedSecret): Promise<void> {
  const fate = decideFate(secret, context.clock.nowMs(), context.periodMs);
  if (fate === "wait") return;
  const { labels = {}, creationTimestamp } = secret.metadata;
  log.info(fate === "delete" ? "Deleting an unused token" : "Invalidating an unused token", {
    secret: keyOf(secret),
    created: creationTimestamp,
    lastUsed: labels[LAST_USED],
    invalidSince: labels[INVALID_SINCE],
  });
  if (fate === "delete") await deleteToken(context, secret, signal);
  else await invalidate(context, secret, signal);
}

/**
 * Pods are watched in this namespace for as long as it takes to look at them: unused tokens are rare, and what is read
 * of the pods is nothing to keep of all pods of a cluster.
 */
async function namesInPods(
  { informers, clock }: CleanerContext,
  namespace: string,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const pods = informers.informer(resources.pods, { namespace, fields: SECRET_NAME_FIELDS });
  try {
    informers.start(signal);
    const deadline = { limitMs: POD_LIST_LIMIT_MS, what: "the list of pods" };
    await withDeadline(clock, deadline, whenSynced(clock, [pods]), signal);
    return new Set(pods.lister.list().flatMap((pod) => [...secretNames(pod)]));
  } finally {
    await informers.release(pods);
  }
}

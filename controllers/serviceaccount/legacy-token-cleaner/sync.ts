import { keyOf } from "../../../pkg/api/object.ts";
import { resources } from "../../../pkg/api/resources.ts";
import type { Pod, Secret } from "../../../pkg/api/types/core-v1.gen.ts";
import { forEachPaced } from "../../../pkg/cache/pace.ts";
import { isNotFound } from "../../../pkg/client/errors.ts";
import { withDeadline } from "../../../pkg/clock/wait.ts";
import { whenSynced } from "../../../pkg/controller/caches-ready.ts";
import { deleteToken, invalidate } from "./apply.ts";
import type { CleanerContext } from "./context.ts";
import { SECRET_NAME_FIELDS, secretNames } from "./secret-names.ts";
import { decideFate, INVALID_SINCE, isTrackedLongEnough, isUnused, LAST_USED } from "./stale-tokens.ts";

/** Written by the API server. */
const TRACKING = { namespace: "kube-system", name: "kube-apiserver-legacy-service-account-token-tracking" };
const POD_LIST_LIMIT_MS = 60_000;

/** One round over all token Secrets. What fails is met again in the next one. */
export async function cleanTokens(context: CleanerContext, signal: AbortSignal): Promise<void> {
  const { clock, periodMs, log } = context;
  if (!(await isTracked(context, signal))) return;
  const nowMs = clock.nowMs();
  const unused: Secret[] = [];
  await forEachPaced(clock, context.secrets.list(), (secret) => {
    const { namespace = "" } = secret.metadata;
    if (isUnused(secret, (name) => context.accounts.get(namespace, name), nowMs, periodMs))
      unused.push(secret);
  });
  for (const [namespace, secrets] of Map.groupBy(unused, ({ metadata }) => metadata.namespace ?? "")) {
    try {
      await cleanNamespace(context, namespace, secrets, signal);
    } catch (error) {
      signal.throwIfAborted();
      log.error(error, "Which tokens pods refer to could not be learned", { namespace });
    }
  }
}

async function isTracked(
  { configMapClient, clock, periodMs, log }: CleanerContext,
  signal: AbortSignal,
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
  context: CleanerContext,
  namespace: string,
  secrets: readonly Secret[],
  signal: AbortSignal,
): Promise<void> {
  const referred = await namesInPods(context, namespace, signal);
  for (const secret of secrets) {
    if (referred.has(secret.metadata.name ?? "")) continue;
    try {
      await settle(context, secret, signal);
    } catch (error) {
      signal.throwIfAborted();
      context.log.error(error, "An unused token could not be cleaned up", { secret: keyOf(secret) });
    }
  }
}

async function settle(context: CleanerContext, secret: Secret, signal: AbortSignal): Promise<void> {
  const fate = decideFate(secret, context.clock.nowMs(), context.periodMs);
  if (fate === "wait") return;
  const { labels = {}, creationTimestamp } = secret.metadata;
  context.log.info(fate === "delete" ? "Deleting an unused token" : "Invalidating an unused token", {
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
  const pods = informers.informer<Pod>(resources.pods, { namespace, fields: SECRET_NAME_FIELDS });
  try {
    informers.start(signal);
    const deadline = { limitMs: POD_LIST_LIMIT_MS, what: "the list of pods" };
    await withDeadline(clock, deadline, whenSynced(clock, [pods]), signal);
    return new Set(pods.lister.list().flatMap((pod) => [...secretNames(pod)]));
  } finally {
    await informers.release(pods);
  }
}

import { isNotFound, isUnmetPrecondition } from "../../../pkg/client/errors.ts";
import type { CleanerContext } from "./context.ts";
import { type CachedSecret, dayOf, INVALID_SINCE } from "./stale-tokens.ts";

/** From now on the API server refuses the token. */
export async function invalidate(
  { secretClient, clock }: CleanerContext,
  { metadata }: CachedSecret,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, name, uid } = metadata;
  const body = { metadata: { uid, labels: { [INVALID_SINCE]: dayOf(clock.nowMs()) } } };
  await secretClient.patch({ namespace, name }, { type: "merge", body }, {}, signal);
}

/** Only as it was seen: a use in the meantime would show. */
export async function deleteToken(
  { secretClient }: CleanerContext,
  { metadata }: CachedSecret,
  signal: AbortSignal,
): Promise<void> {
  const { namespace, name, resourceVersion } = metadata;
  try {
    await secretClient.delete({ namespace, name }, { preconditions: { resourceVersion } }, signal);
  } catch (error) {
    if (!isNotFound(error) && !isUnmetPrecondition(error)) throw error;
  }
}

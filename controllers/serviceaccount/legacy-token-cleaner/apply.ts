import type { Secret } from "../../../pkg/api/types/core-v1.gen.ts";
import { isConflict, isNotFound } from "../../../pkg/client/errors.ts";
import type { CleanerContext } from "./context.ts";
import { dayOf, INVALID_SINCE } from "./stale-tokens.ts";

/** From now on the API server refuses the token. */
export async function invalidate(
  { secretClient, clock }: CleanerContext,
  { metadata }: Secret,
  signal: AbortSignal,
): Promise<void> {
  const { namespace = "", name = "", uid } = metadata;
  const body = { metadata: { uid, labels: { [INVALID_SINCE]: dayOf(clock.nowMs()) } } };
  await secretClient.patch({ namespace, name }, { type: "merge", body }, {}, signal);
}

/** Only as it was seen: a use in the meantime would show. */
export async function deleteToken(
  { secretClient }: CleanerContext,
  { metadata }: Secret,
  signal: AbortSignal,
): Promise<void> {
  const { namespace = "", name = "", resourceVersion = "" } = metadata;
  try {
    await secretClient.delete({ namespace, name }, { preconditions: { resourceVersion } }, signal);
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}

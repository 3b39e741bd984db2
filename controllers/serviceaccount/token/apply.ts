import type { StoredObject } from "../../../pkg/api/object.ts";
import { isConflict, isNotFound } from "../../../pkg/client/errors.ts";
import { jitter } from "../../../pkg/clock/random.ts";
import { sleep } from "../../../pkg/clock/wait.ts";
import { identityOf, readLive } from "../../../pkg/controller/read-live.ts";
import type { Sync } from "../../../pkg/controller/sync.ts";
import type { TokenContext } from "./context.ts";
import type { SecretKey } from "./keys.ts";
import { filledSecret, lacksOf, tokenClaims, withoutReference } from "./token-secret.ts";

const REMOVAL_ATTEMPTS = 10;
const REMOVAL_PAUSE_MS = 100;

/** On top of what the server has, and only if that is what the cache has: whatever came after will be seen too. */
export async function fillSecret(
  sync: Sync<SecretKey>,
  context: TokenContext,
  cached: StoredObject,
  account: StoredObject,
): Promise<void> {
  const { signal } = sync;
  const { rootCa, signer, secretClient } = context;
  const { name, resourceVersion } = cached.metadata;
  try {
    const live = await readLive(secretClient, identityOf(cached), signal);
    if (live === undefined || live.metadata.resourceVersion !== resourceVersion) {
      sync.decided("The Secret is not as in the cache, leaving it to the next look");
      return;
    }
    const lacks = lacksOf(live, rootCa);
    if (lacks === undefined) return;
    const token = lacks.token ? signer.sign(tokenClaims(account, name)) : "";
    await secretClient.update(filledSecret(live, account, lacks, { rootCa, token }), {}, signal);
  } catch (error) {
    // Somebody changed or deleted it in between, which brings its key back.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}

/** The account no longer refers to a Secret that is gone. A failure but a conflict is final. */
export async function removeReference(
  context: TokenContext,
  secret: SecretKey,
  signal: AbortSignal,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await removeOnce(context, secret, signal);
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error) || attempt === REMOVAL_ATTEMPTS) throw error;
    }
    await sleep(context.clock, jitter(context.random, REMOVAL_PAUSE_MS, 1), signal);
  }
}

async function removeOnce(
  { accountClient }: TokenContext,
  { namespace, name, account: { name: accountName, uid } }: SecretKey,
  signal: AbortSignal,
): Promise<void> {
  const account = await accountClient.get({ namespace, name: accountName }, {}, signal);
  if (uid !== "" && uid !== account.metadata.uid) return;
  const changed = withoutReference(account, name);
  if (changed !== undefined) await accountClient.update(changed, {}, signal);
}

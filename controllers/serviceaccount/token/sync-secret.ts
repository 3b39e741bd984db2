import type { StoredObject } from "../../../pkg/api/object.ts";
import { isNotFound } from "../../../pkg/client/errors.ts";
import { deleteThis } from "../../../pkg/controller/delete-this.ts";
import type { Sync, SyncResult } from "../../../pkg/controller/sync.ts";
import { fillSecret, removeReference } from "./apply.ts";
import type { CachedSecret, TokenContext } from "./context.ts";
import type { SecretKey } from "./keys.ts";
import { lacksOf } from "./token-secret.ts";

/** A Secret for a token is filled, goes with its account, and is forgotten by its account when it goes. */
export async function syncSecret(sync: Sync<SecretKey>, context: TokenContext): Promise<SyncResult> {
  const { key: wanted, signal } = sync;
  const secret = cachedSecret(context, wanted);
  if (secret === undefined) {
    await forget(sync, context);
    return {};
  }
  const account = cachedAccount(context, wanted) ?? (await liveAccount(context, wanted, signal));
  if (account === undefined) {
    sync.decided("The account of the token does not exist");
    await deleteThis(context.secretClient, wanted, signal);
  } else if (lacksOf(secret, context.rootCa) !== undefined) {
    await fillSecret(sync, context, secret, account);
  }
  return {};
}

async function forget({ key: secret, log, signal }: Sync<SecretKey>, context: TokenContext): Promise<void> {
  if (cachedAccount(context, secret) === undefined) return;
  // Another Secret has the name by now, and the account refers to a name. Upstream does not look, and depends on how the
  // replacement was seen.
  if (context.secrets.lister.get(secret.namespace, secret.name) !== undefined) return;
  try {
    await removeReference(context, secret, signal);
  } catch (error) {
    signal.throwIfAborted();
    // A reference to nothing harms nobody; the attempts were the back-off.
    log.error(error, "The account still refers to a Secret that is gone", { account: secret.account.name });
  }
}

function cachedSecret(context: TokenContext, { namespace, name, uid }: SecretKey): CachedSecret | undefined {
  const secret = context.secrets.lister.get(namespace, name);
  return secret?.metadata.uid === uid ? secret : undefined;
}

function cachedAccount(context: TokenContext, { namespace, account }: SecretKey): StoredObject | undefined {
  return ifMeant(context.accounts.lister.get(namespace, account.name), account.uid);
}

/** A token is never deleted because the cache is behind. */
async function liveAccount(
  context: TokenContext,
  { namespace, account }: SecretKey,
  signal: AbortSignal,
): Promise<StoredObject | undefined> {
  try {
    return ifMeant(
      await context.accountClient.get({ namespace, name: account.name }, {}, signal),
      account.uid,
    );
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Without a uid any account of the name is meant. */
function ifMeant(account: StoredObject | undefined, uid: string): StoredObject | undefined {
  return uid === "" || uid === account?.metadata.uid ? account : undefined;
}

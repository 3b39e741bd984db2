import { throwAll } from "../../../pkg/api/errors.ts";
import { deleteThis } from "../../../pkg/controller/delete-this.ts";
import type { Sync, SyncResult } from "../../../pkg/controller/sync.ts";
import type { TokenContext } from "./context.ts";
import type { AccountKey } from "./keys.ts";
import { isTokenOf } from "./token-secret.ts";

/** The tokens of an account that is gone go too. */
export async function syncAccount(sync: Sync<AccountKey>, context: TokenContext): Promise<SyncResult> {
  const { key: account, signal } = sync;
  const { namespace, name, uid } = account;
  if (context.accounts.lister.get(namespace, name)?.metadata.uid === uid) return {};
  const tokens = context.secrets.lister.inNamespace(namespace).filter((secret) => isTokenOf(secret, account));
  if (tokens.length > 0) sync.decided("The account is gone", { tokens: tokens.length });
  const outcomes = await Promise.allSettled(
    tokens.map(async ({ metadata }) => deleteThis(context.secretClient, metadata, signal)),
  );
  const failures = outcomes.flatMap((each): unknown[] => (each.status === "rejected" ? [each.reason] : []));
  throwAll(failures);
  return {};
}

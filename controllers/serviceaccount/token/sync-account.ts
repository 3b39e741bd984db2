import { throwAll } from "../../../pkg/api/errors.ts";
import type { SyncResult } from "../../../pkg/controller/sync.ts";
import { deleteSecret } from "./apply.ts";
import type { TokenContext } from "./context.ts";
import { parseAccountKey } from "./keys.ts";
import { isTokenOf } from "./token-secret.ts";

/** The tokens of an account that is gone go too. */
export async function syncAccount(
  key: string,
  context: TokenContext,
  signal: AbortSignal,
): Promise<SyncResult> {
  const account = parseAccountKey(key);
  const { namespace, name, uid } = account;
  if (context.accounts.get(namespace, name)?.metadata.uid === uid) return {};
  const tokens = context.secrets.inNamespace(namespace).filter((secret) => isTokenOf(secret, account));
  const outcomes = await Promise.allSettled(
    tokens.map(async ({ metadata }) => {
      const secret = { namespace, name: metadata.name ?? "", uid: metadata.uid ?? "" };
      await deleteSecret(context, secret, signal);
    }),
  );
  const failures = outcomes.flatMap((each): unknown[] => (each.status === "rejected" ? [each.reason] : []));
  throwAll(failures);
  return {};
}

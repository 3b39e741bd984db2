import { isAlreadyExists, isNamespaceTerminating } from "../../../pkg/client/errors.ts";
import type { OwnerSync, SyncResult } from "../../../pkg/controller/sync.ts";
import type { AccountContext, CachedNamespace } from "./context.ts";

const DEFAULT_ACCOUNT = "default";
/** An account that is deleted before the cache has shown it wakes nobody: the namespace is looked at once more. */
const RECHECK_MS = 5_000;

/** Sees to it that an active namespace has the account that its pods run under when they name none. */
export async function ensureDefaultAccount(
  sync: OwnerSync<CachedNamespace>,
  { accounts, client }: AccountContext,
): Promise<SyncResult> {
  const { owner, key: namespace, signal } = sync;
  if (owner.status?.phase !== "Active") return {};
  if (accounts.lister.get(namespace, DEFAULT_ACCOUNT) !== undefined) return {};
  sync.decided("The namespace has no default account");
  try {
    await client.create({ metadata: { namespace, name: DEFAULT_ACCOUNT } }, {}, signal);
  } catch (error) {
    // The caches were behind: the account is there, or the namespace is going away.
    if (isNamespaceTerminating(error)) return {};
    if (!isAlreadyExists(error)) throw error;
  }
  return { requeueAfterMs: RECHECK_MS };
}

import { defineController } from "../../../pkg/controller/kit.ts";
import { OnePerValue } from "../../../pkg/controller/one-per-value.ts";
import { tokenContext, type TokenSettings } from "./context.ts";
import { AccountKey, SecretKey } from "./keys.ts";
import { syncAccount } from "./sync-account.ts";
import { syncSecret } from "./sync-secret.ts";

/** Fills the Secrets that ask for a token of a service account, and deletes them with the account. */
export const serviceAccountTokenController = defineController(
  {
    name: "serviceaccount-token-controller",
    clientName: "tokens-controller",
    // Service accounts get their tokens from this one: it cannot wait for one of its own.
    asConfiguredUser: true,
  },
  (kit, settings: TokenSettings) => {
    const context = tokenContext(kit, settings);
    // Both queues have had this name since the first of them.
    const name = "serviceaccount_tokens_service";
    const common = { name, workers: settings.workers, maxRetries: 10, groupOf: namespaceOf };
    const accountQueue = kit.queue<AccountKey>({
      ...common,
      label: `${name} (accounts)`,
      sync: async (sync) => syncAccount(sync, context),
    });
    const secretQueue = kit.queue<SecretKey>({
      ...common,
      label: `${name} (secrets)`,
      sync: async (sync) => syncSecret(sync, context),
    });
    const accountKeys = new OnePerValue<AccountKey>();
    const secretKeys = new OnePerValue<SecretKey>();
    context.accounts.wakes(accountQueue, ({ object }, wake) => wake(accountKeys.of(new AccountKey(object))));
    context.secrets.wakes(secretQueue, ({ object }, wake) => wake(secretKeys.of(new SecretKey(object))));
  },
);

function namespaceOf({ namespace }: AccountKey | SecretKey): string {
  return namespace;
}

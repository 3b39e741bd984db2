import { resources } from "../../../pkg/api/resources.ts";
import type { Secret, ServiceAccount } from "../../../pkg/api/types/core-v1.gen.ts";
import { whenSynced } from "../../../pkg/controller/caches-ready.ts";
import type { Controller, ControllerDescriptor, Env } from "../../../pkg/controller/env.ts";
import type { SyncFunction } from "../../../pkg/controller/sync.ts";
import { WorkerPool } from "../../../pkg/controller/worker.ts";
import type { TokenSigner } from "../../../pkg/tokens/token-signer.ts";
import { createWorkQueue } from "../../../pkg/workqueue/work-queue.ts";
import type { TokenContext } from "./context.ts";
import { accountHandler, secretHandler } from "./handlers.ts";
import { syncAccount } from "./sync-account.ts";
import { syncSecret } from "./sync-secret.ts";
import { ACCOUNT_NAME, ACCOUNT_UID, TOKEN_SECRET_TYPE } from "./token-secret.ts";

export interface TokenSettings {
  readonly workers: number;
  /** Called once, when the controller is built; what they throw ends the process. */
  readonly signer: () => TokenSigner;
  readonly rootCa: () => string;
}

/** Both queues have had this name since the first of them. */
const QUEUE = "serviceaccount_tokens_service";
const MAX_RETRIES = 10;

/** What is read of the Secrets that hold tokens; others are not even asked for. */
const SECRET_FIELDS = [
  `metadata.annotations[${ACCOUNT_NAME}]`,
  `metadata.annotations[${ACCOUNT_UID}]`,
  "type",
  "data[ca.crt]",
  "data.namespace",
  "data.token",
];

/** Fills the Secrets that ask for a token of a service account, and deletes them with the account. */
export function serviceAccountTokenController(settings: TokenSettings): ControllerDescriptor {
  return {
    name: "serviceaccount-token-controller",
    aliases: ["serviceaccount-token"],
    enabledByDefault: true,
    requires: {},
    clientName: "tokens-controller",
    // Service accounts get their tokens from this one: it cannot wait for one of its own.
    asConfiguredUser: true,
    build: (env) => build(env, settings),
  };
}

function build(env: Env, settings: TokenSettings): Controller {
  const accounts = env.informers.informer<ServiceAccount>(resources.serviceAccounts, { fields: [] });
  const secrets = env.informers.informer<Secret>(resources.secrets, {
    fieldSelector: `type=${TOKEN_SECRET_TYPE}`,
    fields: SECRET_FIELDS,
  });
  const context: TokenContext = {
    accounts: accounts.lister,
    secrets: secrets.lister,
    accountClient: env.client.clientFor<ServiceAccount>(resources.serviceAccounts),
    secretClient: env.client.clientFor<Secret>(resources.secrets),
    signer: settings.signer(),
    rootCa: settings.rootCa(),
    clock: env.clock,
    random: env.random,
  };
  const accountQueue = createWorkQueue<string>({ clock: env.clock, metrics: env.metrics, name: QUEUE });
  const secretQueue = createWorkQueue<string>({ clock: env.clock, metrics: env.metrics, name: QUEUE });
  accounts.addHandler(accountHandler(accountQueue), { resyncMs: 0 });
  secrets.addHandler(secretHandler(secretQueue), { resyncMs: 0 });
  const poolOf = (queue: typeof accountQueue, sync: SyncFunction<string>): WorkerPool<string> =>
    new WorkerPool({
      queue,
      workers: settings.workers,
      sync,
      ready: whenSynced(env.clock, [accounts, secrets]),
      clock: env.clock,
      log: env.log,
      maxRetries: MAX_RETRIES,
    });
  const accountPool = poolOf(accountQueue, async ({ key, signal }) => syncAccount(key, context, signal));
  const secretPool = poolOf(secretQueue, async ({ key, log, signal }) =>
    syncSecret(key, context, log, signal),
  );
  return {
    run: async (signal) => {
      await Promise.all([accountPool.run(signal), secretPool.run(signal)]);
    },
    health: () => ({
      pools: {
        [`${QUEUE} (accounts)`]: accountPool.liveness(),
        [`${QUEUE} (secrets)`]: secretPool.liveness(),
      },
    }),
  };
}

import { resources } from "../../../pkg/api/resources.ts";
import type { ConfigMap, Secret, ServiceAccount } from "../../../pkg/api/types/core-v1.gen.ts";
import { sleep } from "../../../pkg/clock/wait.ts";
import { whenSynced } from "../../../pkg/controller/caches-ready.ts";
import type { Controller, ControllerDescriptor, Env } from "../../../pkg/controller/env.ts";
import { ACCOUNT_NAME, ACCOUNT_UID, TOKEN_SECRET_TYPE } from "../token/token-secret.ts";
import type { CleanerContext } from "./context.ts";
import { cleanTokens } from "./sync.ts";

export interface LegacyTokenCleanerSettings {
  /** For so long a token must be unused before it is refused, and then again before it is deleted. */
  readonly cleanUpPeriodMs: number;
}

const ROUND_MS = 24 * 3_600_000;

/** Deletes tokens that were generated for accounts, as was done before v1.24, and that nobody uses. */
export function legacyTokenCleanerController(settings: LegacyTokenCleanerSettings): ControllerDescriptor {
  return {
    name: "legacy-serviceaccount-token-cleaner-controller",
    aliases: ["legacy-service-account-token-cleaner"],
    enabledByDefault: true,
    requires: {},
    clientName: "legacy-service-account-token-cleaner",
    build: (env) => build(env, settings),
  };
}

function build(env: Env, { cleanUpPeriodMs }: LegacyTokenCleanerSettings): Controller {
  if (cleanUpPeriodMs <= 0) throw new Error("--legacy-service-account-token-clean-up-period must be above 0");
  const accounts = env.informers.informer<ServiceAccount>(resources.serviceAccounts, {
    fields: ["secrets.name"],
  });
  const secrets = env.informers.informer<Secret>(resources.secrets, {
    fieldSelector: `type=${TOKEN_SECRET_TYPE}`,
    fields: [`metadata.annotations[${ACCOUNT_NAME}]`, `metadata.annotations[${ACCOUNT_UID}]`, "type"],
  });
  const context: CleanerContext = {
    accounts: accounts.lister,
    secrets: secrets.lister,
    informers: env.informers,
    secretClient: env.client.clientFor<Secret>(resources.secrets),
    configMapClient: env.client.clientFor<ConfigMap>(resources.configMaps),
    periodMs: cleanUpPeriodMs,
    clock: env.clock,
    log: env.log,
  };
  const ready = whenSynced(env.clock, [accounts, secrets]);
  return { run: async (signal) => run(context, ready, signal) };
}

async function run(
  context: CleanerContext,
  ready: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  try {
    await ready(signal);
    for (;;) {
      await cleanTokens(context, signal);
      await sleep(context.clock, ROUND_MS, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

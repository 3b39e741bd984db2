import { resources } from "../../../pkg/api/resources.ts";
import type { Kit } from "../../../pkg/controller/kit.ts";
import { ACCOUNT_NAME, ACCOUNT_UID, TOKEN_SECRETS } from "../token/token-secret.ts";

export interface LegacyTokenCleanerSettings {
  /** For so long a token must be unused before it is refused, and then again before it is deleted. */
  readonly cleanUpPeriodMs: number;
}

/** All that a round works with. */
export type CleanerContext = ReturnType<typeof cleanerContext>;

export function cleanerContext(kit: Kit, { cleanUpPeriodMs }: LegacyTokenCleanerSettings) {
  if (cleanUpPeriodMs <= 0) throw new Error("--legacy-service-account-token-clean-up-period must be above 0");
  const { client, clock, informers } = kit.env;
  return {
    accounts: kit.reads(resources.serviceAccounts, { fields: ["secrets.name"] }),
    secrets: kit.reads(resources.secrets, {
      ...TOKEN_SECRETS,
      fields: [`metadata.annotations[${ACCOUNT_NAME}]`, `metadata.annotations[${ACCOUNT_UID}]`, "type"],
    }),
    informers,
    secretClient: client.clientFor(resources.secrets),
    configMapClient: client.clientFor(resources.configMaps),
    periodMs: cleanUpPeriodMs,
    clock,
  };
}

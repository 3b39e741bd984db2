import { resources } from "../../../pkg/api/resources.ts";
import type { Kit } from "../../../pkg/controller/kit.ts";
import { TOKEN_SECRETS } from "../token/token-secret.ts";
import { REFERENCE_FIELDS, SECRET_FIELDS } from "./stale-tokens.ts";

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
    accounts: kit.reads(resources.serviceAccounts, { fields: REFERENCE_FIELDS }),
    secrets: kit.reads(resources.secrets, {
      ...TOKEN_SECRETS,
      fields: SECRET_FIELDS,
    }),
    informers,
    secretClient: client.clientFor(resources.secrets),
    configMapClient: client.clientFor(resources.configMaps),
    periodMs: cleanUpPeriodMs,
    clock,
  };
}

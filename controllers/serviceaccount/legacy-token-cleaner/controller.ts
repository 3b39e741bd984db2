import { defineController } from "../../../pkg/controller/kit.ts";
import { cleanerContext, type LegacyTokenCleanerSettings } from "./context.ts";
import { cleanTokens } from "./sync.ts";

const PERIOD_MS = 24 * 3_600_000;

/** Deletes tokens that were generated for accounts, as was done before v1.24, and that nobody uses. */
export const legacyTokenCleanerController = defineController(
  {
    name: "legacy-serviceaccount-token-cleaner-controller",
    clientName: "legacy-service-account-token-cleaner",
  },
  (kit, settings: LegacyTokenCleanerSettings) => {
    const context = cleanerContext(kit, settings);
    kit.every({ name: "rounds", periodMs: PERIOD_MS, round: async (sync) => cleanTokens(sync, context) });
  },
);

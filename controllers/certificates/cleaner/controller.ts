import { defineController } from "../../../pkg/controller/kit.ts";
import { cleanerContext } from "./context.ts";
import { cleanRequests } from "./sync.ts";

const PERIOD_MS = 3_600_000;

/** Deletes requests that are answered, or that nobody answers. */
export const csrCleanerController = defineController(
  { name: "certificatesigningrequest-cleaner-controller", clientName: "certificate-controller" },
  (kit) => {
    const context = cleanerContext(kit);
    kit.every({ name: "rounds", periodMs: PERIOD_MS, round: async (sync) => cleanRequests(sync, context) });
  },
);

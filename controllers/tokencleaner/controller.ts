import { defineController } from "../../pkg/controller/kit.ts";
import { itself, onlyWhen } from "../../pkg/controller/wake-rules.ts";
import { cleanerContext } from "./context.ts";
import { cleanUpToken } from "./sync.ts";

/** Deletes bootstrap tokens whose time is over. */
export const tokenCleanerController = defineController(
  { name: "token-cleaner-controller", clientName: "token-cleaner" },
  (kit) => {
    const context = cleanerContext(kit);
    kit.ownerQueue({
      name: "token_cleaner",
      workers: 1,
      owners: context.tokens,
      wakes: onlyWhen(["added", "updated"], itself),
      sync: async (sync) => cleanUpToken(sync, context),
    });
  },
);

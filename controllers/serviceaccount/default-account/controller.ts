import { defineController } from "../../../pkg/controller/kit.ts";
import { itself, itsNamespace, onlyWhen } from "../../../pkg/controller/wake-rules.ts";
import { accountContext } from "./context.ts";
import { ensureDefaultAccount } from "./sync.ts";

/** Gives every active namespace the service account `default`. */
export const serviceAccountController = defineController(
  { name: "serviceaccount-controller", clientName: "service-account-controller" },
  (kit) => {
    const context = accountContext(kit);
    const queue = kit.ownerQueue({
      name: "serviceaccount",
      workers: 1,
      owners: context.namespaces,
      wakes: onlyWhen(["added", "updated"], itself),
      sync: async (sync) => ensureDefaultAccount(sync, context),
    });
    // An account that was deleted may have been the one that must be there.
    context.accounts.wakes(queue, onlyWhen(["deleted"], itsNamespace));
  },
);

import { defineController } from "../../pkg/controller/kit.ts";
import { serviceCidrContext } from "./context.ts";
import { addressRule, followAddress, followRange, rangeRule } from "./handlers.ts";
import { syncRange } from "./sync.ts";

/** Says which ServiceCIDRs are ready, and keeps those that are being deleted while Services have their addresses. */
export const serviceCidrController = defineController(
  {
    name: "service-cidr-controller",
    clientName: "service-cidrs-controller",
    eventSource: "service-cidr-controller",
    featureGates: ["MultiCIDRServiceAllocator"],
  },
  (kit) => {
    const context = serviceCidrContext(kit);
    const { addresses, cidrs } = context;
    // Before anybody is woken: rules ask for what is known then.
    cidrs.hears((change) => followRange(change, context));
    addresses.hears((change) => followAddress(change, context));
    const queue = kit.ownerQueue({
      name: "ipaddresses",
      workers: 5,
      maxRetries: 15,
      owners: cidrs,
      wakes: rangeRule(context),
      sync: async (sync) => syncRange(sync, context),
    });
    addresses.wakes(queue, addressRule(context));
  },
);

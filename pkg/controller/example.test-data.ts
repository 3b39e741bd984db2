import { resources } from "../api/resources.ts";
import type { ControllerDescriptor } from "./env.ts";
import { wired } from "./kit.ts";
import { OwnedObjects } from "./owned-objects.ts";
import { itsOwner } from "./wake-rules.ts";

/** Keeps a disruption budget for every Deployment: all of its pods but one have to stay. */
export function budgetController(): ControllerDescriptor {
  return {
    name: "budget-controller",
    clientName: "budget-controller",
    build: wired((kit) => {
      const owners = kit.reads(resources.deployments, { fields: ["spec.selector"] });
      const budgets = kit.reads(resources.podDisruptionBudgets);
      const consistency = kit.readYourWrites({ caches: [budgets] });
      const owned = new OwnedObjects(kit, { owners, objects: budgets, consistency });
      const queue = kit.ownerQueue({
        name: "budgets",
        workers: 2,
        owners,
        consistency,
        sync: async (sync) => {
          const { metadata, spec } = sync.owner;
          if (metadata.deletionTimestamp !== undefined || owned.ownedBy(sync.owner).length > 0) return {};
          sync.decided("The Deployment has no budget");
          const { name = "" } = metadata;
          const budget = { maxUnavailable: 1, ...(spec && { selector: spec.selector }) };
          await owned.create(sync, { metadata: { name }, spec: budget });
          return {};
        },
      });
      budgets.wakes(queue, itsOwner({ owners }));
    }),
  };
}

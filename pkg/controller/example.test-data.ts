import { resources } from "../api/resources.ts";
import { defineController } from "./kit.ts";
import { OwnedObjects } from "./owned-objects.ts";

/** Keeps a disruption budget for every Deployment: all of its pods but one have to stay. */
export const budgetController = defineController({ name: "budget-controller" }, (kit) => {
  const owners = kit.reads(resources.deployments, { fields: ["spec.selector"] });
  const budgets = kit.reads(resources.podDisruptionBudgets);
  const owned = new OwnedObjects(kit, { owners, objects: budgets });
  const queue = kit.ownerQueue({
    name: "budgets",
    workers: 2,
    owners,
    sync: async (sync) => {
      const { metadata, spec } = sync.owner;
      if (metadata.deletionTimestamp !== undefined || owned.ownedBy(sync.owner).length > 0) return {};
      sync.decided("The Deployment has no budget");
      const { name } = metadata;
      const budget = { maxUnavailable: 1, ...(spec && { selector: spec.selector }) };
      await owned.create(sync, { metadata: { name }, spec: budget });
      return {};
    },
  });
  budgets.wakes(queue, owned.rule({}));
});

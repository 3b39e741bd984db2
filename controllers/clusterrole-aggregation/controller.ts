import { defineController } from "../../pkg/controller/kit.ts";
import { aggregationContext } from "./context.ts";
import { syncRole } from "./sync.ts";

/** Keeps the rules of aggregated cluster roles equal to the union of those that they select. */
export const clusterRoleAggregationController = defineController(
  { name: "clusterrole-aggregation-controller" },
  (kit) => {
    const context = aggregationContext(kit);
    const { roles } = context;
    kit.ownerQueue({
      name: "ClusterRoleAggregator",
      workers: 5,
      owners: roles,
      // Which roles a change touches, before and after, and through how many steps, is not known. There are few of them.
      wakes: (_change, wake) => {
        for (const { metadata, aggregationRule } of roles.lister.list())
          if (aggregationRule !== undefined) wake(metadata.name);
      },
      sync: async (sync) => syncRole(sync, context),
    });
  },
);

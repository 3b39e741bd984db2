import type { ControllerDescriptor } from "../../pkg/controller/env.ts";
import { wired } from "../../pkg/controller/kit.ts";
import { aggregationContext } from "./context.ts";
import { syncRole } from "./sync.ts";

/** Keeps the rules of aggregated cluster roles equal to the union of those that they select. */
export function clusterRoleAggregationController(): ControllerDescriptor {
  return {
    name: "clusterrole-aggregation-controller",
    clientName: "clusterrole-aggregation-controller",
    build: wired((kit) => {
      const context = aggregationContext(kit);
      const { roles, consistency } = context;
      kit.ownerQueue({
        name: "ClusterRoleAggregator",
        workers: 5,
        owners: roles,
        consistency,
        // Which roles a change touches, before and after, and through how many steps, is not known. There are few of them.
        wakes: (_change, wake) => {
          for (const { metadata, aggregationRule } of roles.lister.list())
            if (aggregationRule !== undefined) wake(metadata.name ?? "");
        },
        sync: async (sync) => syncRole(sync, context),
      });
    }),
  };
}

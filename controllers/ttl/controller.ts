import { defineController } from "../../pkg/controller/kit.ts";
import { ttlContext } from "./context.ts";
import { nodeRule } from "./handlers.ts";
import { syncNode } from "./sync.ts";

/** Annotates nodes with how long kubelets may keep Secrets and ConfigMaps: the longer, the larger the cluster. */
export const ttlController = defineController({ name: "ttl-controller" }, (kit) => {
  const context = ttlContext(kit);
  const { nodes, ttl } = context;
  kit.beforeSyncs(() => ttl.takeOver(nodes.lister.list()));
  kit.ownerQueue({
    name: "ttlcontroller",
    workers: 5,
    owners: nodes,
    wakes: nodeRule(context),
    sync: async (sync) => syncNode(sync, context),
  });
});

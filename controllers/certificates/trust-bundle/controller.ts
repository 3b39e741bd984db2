import { defineController } from "../../../pkg/controller/kit.ts";
import { trustBundleContext, type TrustBundleSettings } from "./context.ts";
import { syncBundles } from "./sync.ts";
import { followBundles } from "./sync-start.ts";

/** Publishes what the API server's certificate is verified with, for pods that mount trust bundles. */
export const trustBundlePublisherController = defineController(
  {
    name: "kube-apiserver-serving-clustertrustbundle-publisher-controller",
    clientName: "kube-apiserver-serving-clustertrustbundle-publisher",
    featureGates: ["ClusterTrustBundle"],
  },
  (kit, settings: TrustBundleSettings) => {
    const context = trustBundleContext(kit, settings);
    const queue = kit.queue({
      name: "ca_cert_publisher_cluster_trust_bundles",
      workers: 1,
      sync: async (sync) => syncBundles(sync, context),
    });
    // Without anything to publish there is nothing to do, as upstream has it.
    if (context.wanted.trustBundle === "") return;
    kit.task(async (signal) => followBundles(context, queue, signal));
  },
);

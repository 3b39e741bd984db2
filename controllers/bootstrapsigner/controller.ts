import { keyOf, type PartialObject } from "../../pkg/api/object.ts";
import type { WakeRule } from "../../pkg/controller/cache.ts";
import { defineController } from "../../pkg/controller/kit.ts";
import { onlyWhen } from "../../pkg/controller/wake-rules.ts";
import { CLUSTER_INFO } from "./cluster-info.ts";
import { signerContext } from "./context.ts";
import { signClusterInfo } from "./sync.ts";

const KEY = keyOf({ metadata: CLUSTER_INFO });
/** There is one thing to do, so there is one key: many changes at once become one sync. */
const theClusterInfo: WakeRule<PartialObject> = (_change, wake) => wake(KEY);

/** Signs the public description of the cluster with the bootstrap tokens, for nodes that are to join it. */
export const bootstrapSignerController = defineController(
  { name: "bootstrap-signer-controller", clientName: "bootstrap-signer" },
  (kit) => {
    const context = signerContext(kit);
    const queue = kit.queue({
      name: "bootstrap_signer_queue",
      workers: 1,
      sync: async (sync) => signClusterInfo(sync, context),
    });
    // A description that is deleted needs no signature.
    context.configMaps.wakes(queue, onlyWhen(["added", "updated"], theClusterInfo));
    context.tokens.wakes(queue, theClusterInfo);
  },
);

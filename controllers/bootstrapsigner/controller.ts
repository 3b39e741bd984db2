import type { ControllerDescriptor } from "../../pkg/controller/env.ts";
import { type Kit, wired } from "../../pkg/controller/kit.ts";
import { onlyWhen } from "../../pkg/controller/wake-rules.ts";
import { signerContext } from "./context.ts";
import { theClusterInfo } from "./handlers.ts";
import { signClusterInfo } from "./sync.ts";

/** Signs the public description of the cluster with the bootstrap tokens, for nodes that are to join it. */
export function bootstrapSignerController(): ControllerDescriptor {
  return {
    name: "bootstrap-signer-controller",
    aliases: ["bootstrapsigner"],
    enabledByDefault: false,
    requires: {},
    clientName: "bootstrap-signer",
    build: wired(setUp),
  };
}

function setUp(kit: Kit): void {
  const context = signerContext(kit);
  const queue = kit.queue({
    name: "bootstrap_signer_queue",
    workers: 1,
    sync: async (sync) => signClusterInfo(sync, context),
  });
  // A description that is deleted needs no signature.
  context.configMaps.wakes(queue, onlyWhen(["added", "updated"], theClusterInfo));
  context.tokens.wakes(queue, theClusterInfo);
}

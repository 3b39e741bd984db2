import { isNodeReady } from "../../pkg/api/node.ts";
import type { Node } from "../../pkg/api/types/core-v1.gen.ts";
import type { EventHandler } from "../../pkg/cache/informer.ts";
import { ZONE_LABEL } from "./endpoint-of-pod.ts";

/** Calls back when the zones' shares may have changed. */
export function nodeHandler(changed: () => void): EventHandler<Node> {
  return {
    onAdd: changed,
    onUpdate: (before, after) => {
      const moved = before.metadata.labels?.[ZONE_LABEL] !== after.metadata.labels?.[ZONE_LABEL];
      if (moved || isNodeReady(before) !== isNodeReady(after)) changed();
    },
    onDelete: changed,
  };
}

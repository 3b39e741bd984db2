import type { PartOf } from "../api/projected.ts";
import type { Pod } from "../api/types/core-v1.gen.ts";

/** Name of the index of pods by the node that they are bound to. It needs `spec.nodeName`. */
export const NODE_INDEX = "node";

/** All that ask for the index give this one function. */
export function podNode({ spec }: PartOf<Pod, "spec.nodeName">): readonly string[] {
  return spec?.nodeName ? [spec.nodeName] : [];
}

import { resources } from "../../pkg/api/resources.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { CurrentTtl, NODE_FIELDS } from "./current-ttl.ts";

/** All that a sync works with. */
export type TtlContext = ReturnType<typeof ttlContext>;

export function ttlContext(kit: Kit) {
  return {
    nodes: kit.reads(resources.nodes, { fields: NODE_FIELDS }),
    ttl: new CurrentTtl(),
    writes: kit.writes(resources.nodes),
  };
}

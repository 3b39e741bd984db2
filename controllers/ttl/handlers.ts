import type { WakeRule } from "../../pkg/controller/cache.ts";
import type { TtlContext } from "./context.ts";
import { ttlOf, type CachedNode } from "./current-ttl.ts";

/** Wakes nodes that are new or have another TTL than they should, and all of them when there are so many more or less. */
export function nodeRule({ nodes, ttl }: Pick<TtlContext, "nodes" | "ttl">): WakeRule<CachedNode> {
  return (change, wake) => {
    const { type, object } = change;
    if (type === "updated") {
      if (ttlOf(object) !== ttl.seconds) wake(object.metadata.name);
      return;
    }
    if (ttl.count(type === "added" ? 1 : -1))
      for (const { metadata } of nodes.lister.list()) wake(metadata.name);
    if (type === "added") wake(object.metadata.name);
  };
}

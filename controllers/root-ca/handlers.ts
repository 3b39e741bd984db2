import type { Namespace } from "../../pkg/api/types/core-v1.gen.ts";
import type { Wake } from "../../pkg/controller/cache.ts";
import type { Change } from "../../pkg/controller/change.ts";

/** Wakes a namespace that is new, or has changed and is not going away. */
export function namespaceThatStays(change: Change<Namespace>, wake: Wake): void {
  const { metadata, status } = change.object;
  const isActive = change.type === "updated" && status?.phase === "Active";
  if (change.type === "added" || isActive) wake(metadata.name ?? "");
}

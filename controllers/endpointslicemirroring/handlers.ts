import type { Endpoints, Service } from "../../pkg/api/types/core-v1.gen.ts";
import type { Wake } from "../../pkg/controller/cache.ts";
import type { Change } from "../../pkg/controller/change.ts";
import { itself } from "../../pkg/controller/wake-rules.ts";
import { isMirrored } from "./mirror-slice.ts";
import type { Projected } from "../../pkg/api/projected.ts";

/** What is read of Services. */
export const SERVICE_FIELDS = ["spec.selector"] as const;
export type CachedService = Projected<Service, typeof SERVICE_FIELDS>;

export function hasSelector(service: CachedService): boolean {
  return Object.keys(service.spec?.selector ?? {}).length > 0;
}

/** Only whether a Service has a selector means something to its Endpoints. */
export function serviceRule(change: Change<CachedService>, wake: Wake): void {
  const has = hasSelector(change.object);
  const matters = change.type === "updated" ? has !== hasSelector(change.before) : !has;
  if (matters) itself(change, wake);
}

/** Endpoints that are to be mirrored, or were before the change. */
export function endpointsRule(change: Change<Endpoints>, wake: Wake): void {
  const wasMirrored = change.type === "updated" && isMirrored(change.before);
  if (wasMirrored || isMirrored(change.object)) itself(change, wake);
}

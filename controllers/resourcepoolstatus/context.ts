import { resources } from "../../pkg/api/resources.ts";
import type { Kit } from "../../pkg/controller/kit.ts";
import { CLAIM_FIELDS, SLICE_FIELDS } from "./fields.ts";
import { requestMetrics } from "./metrics.ts";
import { devicesOf, type PoolRef, type PoolsView } from "./pool-status.ts";

const BY_DRIVER = "driver";
const BY_POOL = "pools";

/** All that a sync works with. */
export type PoolStatusContext = ReturnType<typeof poolStatusContext>;

export function poolStatusContext(kit: Kit) {
  const { client, clock, metrics } = kit.env;
  const slices = kit.reads(resources.resourceSlices, { fields: SLICE_FIELDS });
  slices.addIndex(BY_DRIVER, ({ spec }) => [spec.driver]);
  const claims = kit.reads(resources.resourceClaims, { fields: CLAIM_FIELDS });
  claims.addIndex(BY_POOL, ({ status }) => [
    ...new Set((status?.allocation?.devices?.results ?? []).map(poolKey)),
  ]);
  return {
    requests: kit.reads(resources.resourcePoolStatusRequests),
    slices,
    claims,
    writes: kit.writes(resources.resourcePoolStatusRequests),
    client: client.clientFor(resources.resourcePoolStatusRequests),
    metrics: requestMetrics(metrics),
    clock,
  };
}

/** What the caches have of the pools of a driver. */
export function poolsOf(
  { claims, slices }: Pick<PoolStatusContext, "claims" | "slices">,
  driver: string,
): PoolsView {
  return {
    slices: slices.lister.byIndex(BY_DRIVER, driver),
    allocated: (pool) =>
      claims.lister.byIndex(BY_POOL, poolKey(pool)).reduce((sum, claim) => sum + devicesOf(claim, pool), 0),
  };
}

function poolKey({ driver, pool }: PoolRef): string {
  return `${driver}/${pool}`;
}
